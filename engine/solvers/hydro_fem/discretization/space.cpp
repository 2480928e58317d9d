// SPDX-License-Identifier: BSD-3-Clause
// Numbering of shared nodes by the vertices of the edge or face that carries them.
#include "engine/solvers/hydro_fem/discretization/space.hpp"

#include "engine/solvers/hydro_fem/discretization/basis.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>

namespace conoid::hydro_fem {

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
        for (int c = 0; c < (1 << dim); ++c) m.zones.push_back(vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1)));
        m.region.push_back(0);
        const std::array<Index, 3> at{i, j, k};
        for (int d = 0; d < dim; ++d) {
          if (at[u(d)] == 0) m.faces.push_back({zone, 2 * d, 2 * d});
          if (at[u(d)] == n[u(d)] - 1) m.faces.push_back({zone, 2 * d + 1, 2 * d + 1});
        }
      }
  return m;
}

void ZoneMesh::drop_places() {
  vertices = {};
  zones = {};
  quadratic = {};
  curve = nullptr;
}

ZoneMesh ZoneMesh::without_places() const {
  ZoneMesh out;
  out.dim = dim;
  out.region = region;
  out.faces = faces;
  out.boundary_names = boundary_names;
  return out;
}

Vec3 ZoneMesh::vertex(Index v) const {
  Vec3 p{};
  for (int d = 0; d < dim; ++d) p[u(d)] = vertices[u(v * dim + d)];
  return p;
}

Vec3 ZoneMesh::position(Index zone, const Vec3& xi) const {
  Vec3 p{};
  if (!quadratic.empty()) {
    const int count = dim == 1 ? 3 : dim == 2 ? 9 : 27;
    std::array<std::array<double, 3>, 3> n{};
    for (int d = 0; d < dim; ++d) {
      const double t = xi[u(d)];
      n[u(d)] = {(1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1)};
    }
    for (int i = 0; i < count; ++i) {
      double w = 1;
      for (int d = 0, rest = i; d < dim; ++d, rest /= 3) w *= n[u(d)][u(rest % 3)];
      for (int d = 0; d < dim; ++d) p[u(d)] += w * quadratic[u((zone * count + i) * dim + d)];
    }
    return p;
  }
  for (int c = 0; c < (1 << dim); ++c) {
    double w = 1;
    for (int d = 0; d < dim; ++d) w *= (c >> d & 1) ? xi[u(d)] : 1 - xi[u(d)];
    const Index at = zones[u(zone * (1 << dim) + c)];
    for (int d = 0; d < dim; ++d) p[u(d)] += w * vertices[u(at * dim + d)];
  }
  return curve ? curve(p) : p;
}

SidePlane side_plane(const ZoneMesh& mesh, const ZoneMesh::Face& face) {
  const int dim = mesh.dim, axis = face.side / 2;
  std::array<int, 2> along{-1, -1};  // the axes of the side
  for (int d = 0, n = 0; d < dim; ++d)
    if (d != axis) along[u(n++)] = d;
  const auto at = [&](double s, double t) {
    Vec3 xi{};
    xi[u(axis)] = face.side % 2;
    if (dim > 1) xi[u(along[0])] = s;
    if (dim > 2) xi[u(along[1])] = t;
    return mesh.position(face.zone, xi);
  };
  const auto minus = [](const Vec3& a, const Vec3& b) { return Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]}; };
  const auto dot = [](const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  SidePlane out;
  out.middle = at(0.5, 0.5);
  double size = 1;
  if (dim == 1) {
    out.normal = {1, 0, 0};
  } else if (dim == 2) {
    const Vec3 t = minus(at(1, 0), at(0, 0));
    size = std::sqrt(dot(t, t));
    out.normal = {t[1] / size, -t[0] / size, 0};
  } else {
    const Vec3 a = minus(at(1, 1), at(0, 0)), b = minus(at(0, 1), at(1, 0));
    out.normal = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double length = std::sqrt(dot(out.normal, out.normal));
    size = std::sqrt(std::max(dot(a, a), dot(b, b)));
    for (double& c : out.normal) c /= length;
  }
  const Vec3 outward = minus(out.middle, mesh.position(face.zone, {0.5, 0.5, 0.5}));
  if (dot(outward, out.normal) < 0)
    for (double& c : out.normal) c = -c;
  const Vec3 origin = at(0, 0);
  for (const double s : {0.0, 0.5, 1.0})
    for (const double t : {0.0, 0.5, 1.0})
      out.off = std::max(out.off, std::abs(dot(minus(at(s, t), origin), out.normal)) / size);
  return out;
}

namespace {

/// The first node of each sub-cell, -1 until it has one: a vertex, an edge or side by its vertices, or the inside of a zone, which is its
/// own alone. What lies between zones that have all come is forgotten, so that edges and sides take memory only where zones are still
/// to come.
class FirstNodes {
 public:
  explicit FirstNodes(const ZoneMesh& mesh)
      : of_vertex_(mesh.vertices.size() / u(mesh.dim), -1), to_come_(of_vertex_.size(), 0),
        inside_size_(u(Index{1} << mesh.dim)) {
    for (const Index vertex : mesh.zones) ++to_come_[u(vertex)];
  }
  /// `key`: the vertices of a sub-cell of the zone that is next, ascending.
  [[nodiscard]] Index& of(std::span<const Index> key) {
    if (key.size() == 1) return of_vertex_[u(key[0])];
    if (key.size() == inside_size_) return inside_;
    Key full{-1, -1, -1, -1};
    std::copy(key.begin(), key.end(), full.begin());
    return of_side_.try_emplace(full, -1).first->second;
  }
  void end_of_zone(std::span<const Index> corners) {
    inside_ = -1;
    for (const Index vertex : corners) --to_come_[u(vertex)];
    if (of_side_.size() < sweep_at_) return;
    std::erase_if(of_side_, [&](const auto& side) {
      return std::any_of(side.first.begin(), side.first.end(),
                         [&](Index vertex) { return vertex >= 0 && to_come_[u(vertex)] == 0; });
    });
    sweep_at_ = std::max(least_sweep, 2 * of_side_.size());
  }

 private:
  using Key = std::array<Index, 4>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t sum = 0;
      for (const Index vertex : key)
        sum = (sum ^ static_cast<std::uint64_t>(vertex)) * 0x9e3779b97f4a7c15U + (sum >> 29);
      return sum;
    }
  };
  static constexpr std::size_t least_sweep = 1 << 12;
  std::vector<Index> of_vertex_;
  std::vector<int> to_come_;  // zones at a vertex
  std::size_t inside_size_, sweep_at_ = least_sweep;
  std::unordered_map<Key, Index, Hash> of_side_;
  Index inside_ = -1;
};

}  // namespace

Space::Space(const ZoneMesh& mesh, int order) : dim(mesh.dim), k(order), zones(mesh.zone_count()) {
  const int n = k + 1;
  const int corners = 1 << dim;
  zone_nodes = 1;
  for (int d = 0; d < dim; ++d) zone_nodes *= n;
  map.resize(u(zones * zone_nodes));

  // A node lies inside the sub-cell spanned by the axes where it is not at an end. Its key: the sorted vertices of that
  // sub-cell, and its position counted from the smallest vertex towards the next smallest neighbours.
  FirstNodes first_node(mesh);
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
      std::array<int, 3> free_axes{};
      std::size_t free = 0;
      for (int d = 0; d < dim; ++d) {
        if (at[u(d)] == k) fixed_bits |= 1 << d;
        if (at[u(d)] != 0 && at[u(d)] != k) free_axes[free++] = d;
      }
      std::array<Index, 8> vertices{};
      const std::span<Index> key(vertices.data(), std::size_t{1} << free);
      for (std::size_t s = 0; s < key.size(); ++s) {
        int c = fixed_bits;
        for (std::size_t f = 0; f < free; ++f)
          if (s >> f & 1) c |= 1 << free_axes[f];
        key[s] = corner[c];
      }
      // Orientation: start at the smallest vertex; order the free axes by the vertex reached along each.
      const int start = static_cast<int>(std::min_element(key.begin(), key.end()) - key.begin());
      std::array<std::pair<Index, std::size_t>, 3> axes{};
      for (std::size_t f = 0; f < free; ++f) axes[f] = {key[u(start ^ (1 << f))], f};
      std::sort(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(free));
      Index inside = 0;
      Index stride = 1;
      for (const auto& [towards, f] : std::span(axes).first(free)) {
        const int i = at[u(free_axes[f])];
        inside += stride * ((start >> f & 1) ? k - 1 - i : i - 1);
        stride *= k - 1;
      }
      std::sort(key.begin(), key.end());
      Index& first = first_node.of(key);
      if (first < 0) {
        first = nodes;
        nodes += stride;
      }
      map[u(z * zone_nodes + local)] = first + inside;
    }
    first_node.end_of_zone({corner, u(corners)});
  }
  place_nodes(mesh);

  // Counted up to the ends of the nodes' rows, which go down to their beginnings as they are filled.
  meet_begin.assign(u(nodes + 1), 0);
  for (const Index node : map) ++meet_begin[u(node)];
  std::partial_sum(meet_begin.begin(), meet_begin.end(), meet_begin.begin());
  meet.resize(map.size());
  for (Index i = static_cast<Index>(map.size()); i-- > 0;) meet[u(--meet_begin[u(map[u(i)])])] = i;
}

void Space::place_nodes(const ZoneMesh& mesh) {
  const std::vector<double> gll = gauss_lobatto(k + 1);
  x0.resize(u(nodes * dim));
  for (Index z = 0; z < zones; ++z)
    for (int local = 0; local < zone_nodes; ++local) {
      Vec3 xi{};
      for (int d = 0, rest = local; d < dim; ++d, rest /= k + 1) xi[u(d)] = gll[u(rest % (k + 1))];
      const Vec3 p = mesh.position(z, xi);
      // Written again by each zone that shares it, with the same value up to round-off.
      for (int d = 0; d < dim; ++d) x0[u(d * nodes + map[u(z * zone_nodes + local)])] = p[u(d)];
    }
}

}  // namespace conoid::hydro_fem
