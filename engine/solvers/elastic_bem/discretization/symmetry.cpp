// SPDX-License-Identifier: BSD-3-Clause
// Mirror images of meshes and nodes; the systems of the parities.
#include "engine/solvers/elastic_bem/discretization/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "engine/core/vec3.hpp"
#include "engine/mesh/repair.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/team/phase.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr std::string_view axis_name = "xyz";

Error bad_plane(int axis, const std::string& what, std::string hint) {
  return make_error(ErrorCode::invalid_input,
                    fmt::format("plane of symmetry {} = 0: {}", axis_name[static_cast<std::size_t>(axis)], what),
                    std::move(hint));
}

std::string text_of(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]);
}

Vec3 mirrored(Vec3 x, unsigned planes) {
  for (std::size_t d = 0; d < 3; ++d)
    if ((planes >> d & 1U) != 0) x[d] = -x[d];
  return x;
}

/// What a half may not be: see completed_by_mirror().
Status check_half(const Mesh& half, int axis, double tolerance) {
  const auto d = static_cast<std::size_t>(axis);
  double shortest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < half.cell_count(); ++c) {
    const auto nodes = half.nodes(c);
    const auto in_plane = [&](Index k) { return std::abs(half.point(k)[d]) <= tolerance; };
    if (dimension_of(half.shape(c)) == 2 && std::all_of(nodes.begin(), nodes.end(), in_plane))
      return bad_plane(
          axis, fmt::format("a cell at {} lies in it, and would be inside of the whole", text_of(half.point(nodes[0]))),
          "Leave the cut out of the mesh: the half is open there.");
    for (std::size_t k = 0; k + 1 < nodes.size(); ++k)
      shortest = std::min(shortest, distance(half.point(nodes[k]), half.point(nodes[k + 1])));
  }
  for (Index k = 0; k < half.point_count(); ++k)
    if (const double off = std::abs(half.point(k)[d]); off > tolerance && off < 0.05 * shortest)
      return bad_plane(axis, fmt::format("the point {} lies {:.3g} m beside it", text_of(half.point(k)), off),
                       "Put the edges of the cut into the plane.");
  return {};
}

}  // namespace

Result<Mesh> completed_by_mirror(const Mesh& mesh, int axis) {
  const auto d = static_cast<std::size_t>(axis);
  const double tolerance = merge_tolerance(mesh);
  const auto [low, high] = mesh.bounds();
  if (low[d] < -tolerance && high[d] > tolerance) return mesh;
  if (auto status = check_half(mesh, axis, tolerance); !status) return status.error();
  Mesh whole = mesh;
  std::vector<Index> image(static_cast<std::size_t>(mesh.point_count()));
  for (Index k = 0; k < mesh.point_count(); ++k) {
    Vec3 x = mesh.point(k);
    if (std::abs(x[d]) <= tolerance) {
      whole.mutable_points()[static_cast<std::size_t>(3 * k) + d] = 0;
      image[static_cast<std::size_t>(k)] = k;
      continue;
    }
    x[d] = -x[d];
    image[static_cast<std::size_t>(k)] = whole.add_point(x);
  }
  std::vector<Index> cell_image(static_cast<std::size_t>(mesh.cell_count()), -1);
  std::vector<Index> nodes;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.shape(c)) != 2) continue;  // points and lines have nothing that is computed
    const auto order = turned_order(mesh.shape(c));
    const auto own = mesh.nodes(c);
    nodes.clear();
    for (std::size_t k = 0; k < own.size(); ++k)
      nodes.push_back(image[static_cast<std::size_t>(own[static_cast<std::size_t>(order[k])])]);
    cell_image[static_cast<std::size_t>(c)] = whole.add_cell(mesh.shape(c), nodes);
  }
  for (const MeshGroup& group : mesh.groups()) {
    std::vector<Index>& cells = whole.add_group(group.name, group.dimension, group.tag).cells;
    for (const Index c : group.cells)
      if (const Index other = cell_image[static_cast<std::size_t>(c)]; other >= 0) cells.push_back(other);
  }
  const Index before = check_surface(mesh, 1).open_edge_count;
  if (before > 0 && check_surface(whole, 1).open_edge_count >= 2 * before)
    return bad_plane(
        axis,
        fmt::format("no edge of the open mesh lies in it; the nearest point is {:.3g} m away",
                    std::min(std::abs(low[d]), std::abs(high[d]))),
        "Move the mesh, so that its cut lies in the plane, or leave out the plane in parameters.symmetry.");
  return whole;
}

std::vector<Index> mirror_images(std::span<const Vec3> places, unsigned planes, double tolerance) {
  std::vector<Index> by_x(places.size());
  std::iota(by_x.begin(), by_x.end(), Index{0});
  const auto x_of = [&](Index k) { return places[static_cast<std::size_t>(k)][0]; };
  std::sort(by_x.begin(), by_x.end(), [&](Index a, Index b) { return x_of(a) < x_of(b); });
  std::vector<Index> out;
  for (const Vec3& place : places) {
    const Vec3 x = mirrored(place, planes);
    auto at = std::lower_bound(by_x.begin(), by_x.end(), x[0] - tolerance,
                               [&](Index k, double value) { return x_of(k) < value; });
    Index found = -1;
    double nearest = tolerance;
    for (; at != by_x.end() && x_of(*at) <= x[0] + tolerance; ++at)
      if (const double apart = distance(places[static_cast<std::size_t>(*at)], x); apart <= nearest) {
        nearest = apart;
        found = *at;
      }
    out.push_back(found);
  }
  return out;
}

namespace {

/// The node at a mirror image of each node; an error where there is none.
Result<std::vector<Index>> images_of(const Surface& s, unsigned planes, double tolerance) {
  std::vector<Index> out = mirror_images(s.nodes, planes, tolerance);
  const auto alone = std::find(out.begin(), out.end(), -1);
  if (alone == out.end()) return out;
  const Vec3& node = s.nodes[static_cast<std::size_t>(alone - out.begin())];
  return bad_plane(std::countr_zero(planes),
                   fmt::format("the surface has a node at {}, and none at its mirror image {}", text_of(node),
                               text_of(mirrored(node, planes))),
                   "Give the mesh of one side only, or one that is its own mirror image; or leave out the plane in "
                   "parameters.symmetry.");
}

/// Part `p` of the group whose elements have these images.
Parity parity_of(unsigned p, std::span<const unsigned> group, const std::vector<std::vector<Index>>& image, Index m) {
  Parity out;
  for (int d = 0; d < 3; ++d)
    for (Index k = 0; k < m; ++k) {
      std::vector<Parity::Term> orbit;
      bool first = true, vanishes = false;
      for (std::size_t g = 0; g < group.size() && first && !vanishes; ++g) {
        const Index other = image[g][static_cast<std::size_t>(k)];
        const bool across = (group[g] >> d & 1U) != 0;
        const double sign = (std::popcount(p & group[g]) % 2 == 1) != across ? -1 : 1;
        first = other >= k;
        vanishes = other == k && sign < 0;
        const auto there =
            std::find_if(orbit.begin(), orbit.end(), [&](const auto& t) { return t.row == d * m + other; });
        if (there == orbit.end()) orbit.push_back({d * m + other, sign});
      }
      if (!first || vanishes) continue;
      out.rows.push_back(d * m + k);
      out.terms.insert(out.terms.end(), orbit.begin(), orbit.end());
      out.first.push_back(static_cast<Index>(out.terms.size()));
    }
  return out;
}

}  // namespace

Result<std::vector<Mirror>> mirrors_of(const Surface& s, std::span<const int> axes) {
  unsigned planes = 0;
  for (const int axis : axes) planes |= 1U << static_cast<unsigned>(axis);
  double smallest = s.diameter;
  for (const Element& e : s.elements) smallest = std::min(smallest, std::min(e.length[0], e.length[1]));
  std::vector<Mirror> out;
  for (unsigned g = 0; g < 8; ++g) {  // subsets of the planes
    if ((g & ~planes) != 0) continue;
    auto found = images_of(s, g, std::min(1e-6 * s.diameter, 0.01 * smallest));
    if (!found) return found.error();
    out.push_back({g, std::move(*found)});
  }
  return out;
}

void append(std::vector<Mirror>& mirrors, const std::vector<Mirror>& others) {
  if (mirrors.empty()) {
    mirrors = others;
    return;
  }
  const auto first = static_cast<Index>(mirrors.front().node.size());
  for (std::size_t g = 0; g < mirrors.size(); ++g)
    for (const Index k : others[g].node) mirrors[g].node.push_back(first + k);
}

Result<std::vector<Parity>> parities_of(const Surface& s, std::span<const Mirror> mirrors, std::span<const char> kind) {
  const Index m = s.node_count();
  std::vector<unsigned> group;
  std::vector<std::vector<Index>> image;
  for (const auto& [g, found] : mirrors) {
    for (Index k = 0; k < m; ++k)
      for (Index d = 0; d < 3; ++d)
        if (kind[static_cast<std::size_t>(d * m + k)] !=
            kind[static_cast<std::size_t>(d * m + found[static_cast<std::size_t>(k)])])
          return bad_plane(
              std::countr_zero(g),
              fmt::format("the displacement {} is given at only one of {} and its mirror image",
                          axis_name[static_cast<std::size_t>(d)], text_of(s.nodes[static_cast<std::size_t>(k)])),
              "Boundaries and foundations have to be their own mirror images, loads need not.");
    group.push_back(g);
    image.push_back(found);
  }
  std::vector<Parity> out;
  out.reserve(group.size());
  for (const unsigned p : group) out.push_back(parity_of(p, group, image, m));
  return out;
}

Index largest_parity(const std::vector<Parity>& parities) {
  Index out = 0;
  for (const Parity& p : parities) out = std::max(out, p.size());
  return out;
}

template <class F>
Index ParityFactors<F>::entries(const std::vector<Parity>& parities) {
  Index sum = 0;
  for (const Parity& p : parities) sum += p.size() * p.size();
  return sum;
}

template <class F>
template <class C>
Result<ParityFactors<F>> ParityFactors<F>::factorise(const std::vector<Parity>& parities, std::span<const Index> row_of,
                                                     std::span<const C> a, Index n,
                                                     std::span<const std::complex<double>> f, Index columns,
                                                     std::span<F> room, const CpuWorker& threads, const Factorise& by) {
  // Sums of products that cancel leave this of a right-hand side's other parts.
  const double round_off = 1e3 * std::numeric_limits<typename C::value_type>::epsilon();
  double whole = 0;
  for (const std::complex<double>& v : f) whole += std::norm(v);
  ParityFactors out;
  out.n_ = n;
  out.row_of_ = row_of;
  const auto at_row = [n](Index column, std::size_t row) { return static_cast<std::size_t>(column * n) + row; };
  F* at = room.data();
  for (const Parity& p : parities) {
    double part = 0;
    for (Index c = 0; c < columns; ++c)
      for (Index q = 0; q < p.size(); ++q) {
        std::complex<double> sum = 0;
        for (const Parity::Term& t : p.orbit(q)) sum += t.sign * f[at_row(c, out.row(t.row))];
        part += std::norm(sum) / static_cast<double>(p.orbit(q).size());
      }
    if (!(part > round_off * round_off * whole)) continue;
    const Index size = p.size();
    threads.for_each({0, size}, 8, [&](Interval some, int) {
      for (Index q = some.begin; q < some.end; ++q)
        for (Index r = 0; r < size; ++r) {
          C sum = 0;
          for (const Parity::Term& t : p.orbit(q))
            sum += static_cast<typename C::value_type>(t.sign) *
                   a[at_row(t.row, out.row(p.rows[static_cast<std::size_t>(r)]))];
          at[q * size + r] = F(sum);
        }
    });
    auto lu = by(at, size);
    if (!lu) return lu.error();
    out.parts_.push_back({&p, std::move(*lu)});
    at += size * size;
  }
  return out;
}

template <class F>
void ParityFactors<F>::solve(std::vector<F>& right, Index columns) const {
  std::vector<F> out(right.size()), some;
  for (const Part& part : parts_) {
    const Parity& p = *part.parity;
    some.assign(static_cast<std::size_t>(p.size() * columns), F(0));
    for (Index c = 0; c < columns; ++c)
      for (Index q = 0; q < p.size(); ++q) {
        F sum = 0;
        for (const Parity::Term& t : p.orbit(q))
          sum += static_cast<typename F::value_type>(t.sign) * right[static_cast<std::size_t>(c * n_) + row(t.row)];
        some[static_cast<std::size_t>(c * p.size() + q)] = sum / static_cast<typename F::value_type>(p.orbit(q).size());
      }
    part.lu.solve(some.data(), columns);
    for (Index c = 0; c < columns; ++c)
      for (Index q = 0; q < p.size(); ++q)
        for (const Parity::Term& t : p.orbit(q))
          out[static_cast<std::size_t>(c * n_ + t.row)] +=
              static_cast<typename F::value_type>(t.sign) * some[static_cast<std::size_t>(c * p.size() + q)];
  }
  right = std::move(out);
}

template <class F>
double ParityFactors<F>::reciprocal_condition() const {
  double least = 1;
  for (const Part& part : parts_) least = std::min(least, part.lu.reciprocal_condition());
  return least;
}

template <class F>
double ParityFactors<F>::operations() const {
  double sum = 0;
  for (const Part& part : parts_) sum += 8.0 / 3 * std::pow(static_cast<double>(part.parity->size()), 3);
  return sum;
}

using Single = std::complex<float>;
using Double = std::complex<double>;
template class ParityFactors<Single>;
template class ParityFactors<Double>;
template Result<ParityFactors<Single>> ParityFactors<Single>::factorise<Single>(
    const std::vector<Parity>&, std::span<const Index>, std::span<const Single>, Index, std::span<const Double>, Index,
    std::span<Single>, const CpuWorker&, const Factorise&);
template Result<ParityFactors<Single>> ParityFactors<Single>::factorise<Double>(
    const std::vector<Parity>&, std::span<const Index>, std::span<const Double>, Index, std::span<const Double>, Index,
    std::span<Single>, const CpuWorker&, const Factorise&);
template Result<ParityFactors<Double>> ParityFactors<Double>::factorise<Single>(
    const std::vector<Parity>&, std::span<const Index>, std::span<const Single>, Index, std::span<const Double>, Index,
    std::span<Double>, const CpuWorker&, const Factorise&);
template Result<ParityFactors<Double>> ParityFactors<Double>::factorise<Double>(
    const std::vector<Parity>&, std::span<const Index>, std::span<const Double>, Index, std::span<const Double>, Index,
    std::span<Double>, const CpuWorker&, const Factorise&);

}  // namespace conoid::elastic_bem
