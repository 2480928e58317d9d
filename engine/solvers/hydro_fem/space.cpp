// SPDX-License-Identifier: BSD-3-Clause
// Numbering of shared nodes by the vertices of the edge or face that carries them.
#include "engine/solvers/hydro_fem/space.hpp"

#include "engine/solvers/hydro_fem/basis.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace conoid::hydro_fem {
namespace {

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

ZoneMesh box_zones(int dim, const std::array<std::vector<double>, 3>& lines) {
  ZoneMesh m;
  m.dim = dim;
  std::array<Index, 3> n{1, 1, 1};  // zones a direction
  for (int d = 0; d < dim; ++d) n[u(d)] = static_cast<Index>(lines[u(d)].size()) - 1;
  std::array<Index, 3> p{1, 1, 1};  // vertices a direction
  for (int d = 0; d < dim; ++d) p[u(d)] = n[u(d)] + 1;
  for (Index k = 0; k < p[2]; ++k)
    for (Index j = 0; j < p[1]; ++j)
      for (Index i = 0; i < p[0]; ++i) {
        const std::array<Index, 3> at{i, j, k};
        for (int d = 0; d < dim; ++d) m.vertices.push_back(lines[u(d)][u(at[u(d)])]);
      }
  auto vertex = [&](Index i, Index j, Index k) { return (k * p[1] + j) * p[0] + i; };
  for (int d = 0; d < dim; ++d)
    for (const char* end : {"min", "max"}) m.boundary_names.push_back(std::string(1, "xyz"[d]) + "_" + end);
  for (Index k = 0; k < n[2]; ++k)
    for (Index j = 0; j < n[1]; ++j)
      for (Index i = 0; i < n[0]; ++i) {
        const Index zone = static_cast<Index>(m.region.size());
        for (int c = 0; c < (1 << dim); ++c)
          m.zones.push_back(vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1)));
        m.region.push_back(0);
        const std::array<Index, 3> at{i, j, k};
        for (int d = 0; d < dim; ++d) {
          if (at[u(d)] == 0) m.faces.push_back({zone, 2 * d, 2 * d});
          if (at[u(d)] == n[u(d)] - 1) m.faces.push_back({zone, 2 * d + 1, 2 * d + 1});
        }
      }
  return m;
}

Space::Space(const ZoneMesh& mesh, int order) : dim(mesh.dim), k(order), zones(mesh.zone_count()) {
  const int n = k + 1;
  const int corners = 1 << dim;
  zone_nodes = 1;
  for (int d = 0; d < dim; ++d) zone_nodes *= n;
  map.resize(u(zones * zone_nodes));

  // A node lies inside the sub-cell spanned by the axes where it is not at an end. Its key: the sorted vertices of that
  // sub-cell, and its position counted from the smallest vertex towards the next smallest neighbours.
  std::map<std::vector<Index>, Index> first_node;  // sub-cell → its first node
  const std::vector<double> gll = gauss_lobatto(n);
  std::vector<double> position;  // dim a node, as they are numbered
  for (Index z = 0; z < zones; ++z) {
    const Index* corner = &mesh.zones[u(z * corners)];
    for (int local = 0; local < zone_nodes; ++local) {
      std::array<int, 3> at{0, 0, 0};
      int rest = local;
      for (int d = 0; d < dim; ++d) {
        at[u(d)] = rest % n;
        rest /= n;
      }
      int fixed_bits = 0;
      std::vector<int> free_axes;
      for (int d = 0; d < dim; ++d) {
        if (at[u(d)] == k) fixed_bits |= 1 << d;
        if (at[u(d)] != 0 && at[u(d)] != k) free_axes.push_back(d);
      }
      std::vector<Index> key;
      const int subcorners = 1 << free_axes.size();
      for (int s = 0; s < subcorners; ++s) {
        int c = fixed_bits;
        for (std::size_t f = 0; f < free_axes.size(); ++f)
          if (s >> f & 1) c |= 1 << free_axes[f];
        key.push_back(corner[c]);
      }
      // Orientation: start at the smallest vertex; order the free axes by the vertex reached along each.
      const int start = static_cast<int>(std::min_element(key.begin(), key.end()) - key.begin());
      std::vector<std::pair<Index, std::size_t>> axes;
      for (std::size_t f = 0; f < free_axes.size(); ++f) axes.emplace_back(key[u(start ^ (1 << f))], f);
      std::sort(axes.begin(), axes.end());
      Index inside = 0;
      Index stride = 1;
      for (const auto& [towards, f] : axes) {
        const int i = at[u(free_axes[f])];
        inside += stride * ((start >> f & 1) ? k - 1 - i : i - 1);
        stride *= k - 1;
      }
      std::sort(key.begin(), key.end());
      const auto [found, fresh] = first_node.try_emplace(std::move(key), nodes);
      if (fresh) {
        nodes += stride;
        position.resize(u(nodes) * u(dim));
      }
      const Index node = found->second + inside;
      map[u(z * zone_nodes + local)] = node;
      // Multilinear position; written again by each zone that shares it, with the same value up to round-off.
      {
        Vec3 p{0, 0, 0};
        for (int c = 0; c < corners; ++c) {
          double w = 1;
          for (int d = 0; d < dim; ++d) {
            const double t = gll[u(at[u(d)])];
            w *= (c >> d & 1) ? t : 1 - t;
          }
          for (int d = 0; d < dim; ++d) p[u(d)] += w * mesh.vertices[u(corner[c] * dim + d)];
        }
        if (mesh.curve) p = mesh.curve(p);
        for (int d = 0; d < dim; ++d) position[u(node * dim + d)] = p[u(d)];
      }
    }
  }
  x0.resize(u(nodes * dim));
  for (Index i = 0; i < nodes; ++i)
    for (int d = 0; d < dim; ++d) x0[u(d * nodes + i)] = position[u(i * dim + d)];

  meet_begin.assign(u(nodes + 1), 0);
  for (const Index node : map) ++meet_begin[u(node + 1)];
  std::partial_sum(meet_begin.begin(), meet_begin.end(), meet_begin.begin());
  meet.resize(map.size());
  std::vector<Index> next(meet_begin.begin(), meet_begin.end() - 1);
  for (Index i = 0; i < static_cast<Index>(map.size()); ++i) meet[u(next[u(map[u(i)])]++)] = i;
}

}  // namespace conoid::hydro_fem
