// SPDX-License-Identifier: BSD-3-Clause
// Jacobians, radius ratios, edges and coincident points.
#include "engine/mesh/quality.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/mesh/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace conoid {
namespace {

/// Shape values at the nodes of each shape: computed once, asked for every cell.
const std::vector<ShapeValues>& values_at_nodes(CellShape shape) {
  static const auto all = [] {
    std::array<std::vector<ShapeValues>, 30> out;
    for (std::size_t s = 0; s < out.size(); ++s)
      for (int i = 0; i < nodes_of(static_cast<CellShape>(s)); ++i)
        out[s].push_back(shape_values(static_cast<CellShape>(s), reference_node(static_cast<CellShape>(s), i)));
    return out;
  }();
  return all[static_cast<std::size_t>(shape)];
}

struct Columns {
  Vec3 r{}, s{}, t{};
};

Columns jacobian(const ShapeValues& v, std::span<const Vec3> p) {
  Columns j;
  for (std::size_t i = 0; i < p.size(); ++i) {
    j.r = vec::axpy(v.dn[i][0], p[i], j.r);
    j.s = vec::axpy(v.dn[i][1], p[i], j.s);
    j.t = vec::axpy(v.dn[i][2], p[i], j.t);
  }
  return j;
}

double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

double scaled_jacobian(CellShape shape, std::span<const Vec3> p) {
  const int dim = dimension_of(shape);
  if (dim < 2) return 1;
  const bool simplex = corners_of(shape) == dim + 1;
  // On surfaces the sign is against the mean normal: a quad whose corner turns back is negative there.
  Vec3 mean{};
  if (dim == 2)
    for (const ShapeValues& v : values_at_nodes(shape)) {
      const Columns j = jacobian(v, p);
      mean = vec::add(mean, vec::cross(j.r, j.s));
    }
  mean = vec::unit(mean);
  double worst = std::numeric_limits<double>::infinity();
  for (const ShapeValues& v : values_at_nodes(shape)) {
    const Columns j = jacobian(v, p);
    const double r = vec::norm(j.r);
    const double s = vec::norm(j.s);
    double value = 0;
    if (dim == 2 && !simplex) {
      value = ratio(vec::dot(mean, vec::cross(j.r, j.s)), r * s);
    } else if (dim == 2) {
      const double q = vec::norm(vec::sub(j.s, j.r));
      value = ratio(2 / std::sqrt(3.0) * vec::dot(mean, vec::cross(j.r, j.s)), std::max({r * s, r * q, s * q}));
    } else if (!simplex) {
      value = ratio(vec::triple(j.r, j.s, j.t), r * s * vec::norm(j.t));
    } else {
      const double t = vec::norm(j.t);
      const double rs = vec::norm(vec::sub(j.s, j.r));
      const double rt = vec::norm(vec::sub(j.t, j.r));
      const double st = vec::norm(vec::sub(j.t, j.s));
      // The three edges at each of the four corners.
      value = ratio(std::sqrt(2.0) * vec::triple(j.r, j.s, j.t),
                    std::max({r * s * t, r * rs * rt, s * rs * st, t * rt * st}));
    }
    worst = std::min(worst, value);
  }
  return worst;
}

double aspect(CellShape shape, std::span<const Vec3> p) {
  const int dim = dimension_of(shape);
  if (dim < 2) return 1;
  if (dim == 2 && corners_of(shape) == 3) {
    const double a = vec::distance(p[1], p[2]);
    const double b = vec::distance(p[2], p[0]);
    const double c = vec::distance(p[0], p[1]);
    // 2 r/R = 8 (s−a)(s−b)(s−c)/(abc)
    return ratio((b + c - a) * (c + a - b) * (a + b - c), a * b * c);
  }
  if (dim == 3 && corners_of(shape) == 4) {
    const Vec3 u = vec::sub(p[1], p[0]);
    const Vec3 v = vec::sub(p[2], p[0]);
    const Vec3 w = vec::sub(p[3], p[0]);
    const double six_volumes = std::abs(vec::triple(u, v, w));
    const double areas2 = vec::norm(vec::cross(u, v)) + vec::norm(vec::cross(v, w)) + vec::norm(vec::cross(w, u)) +
                          vec::norm(vec::cross(vec::sub(v, u), vec::sub(w, u)));
    // r = 6V / Σ 2A;  R = |u²(v×w) + v²(w×u) + w²(u×v)| / 12V
    Vec3 c = vec::scale(vec::dot(u, u), vec::cross(v, w));
    c = vec::axpy(vec::dot(v, v), vec::cross(w, u), c);
    c = vec::axpy(vec::dot(w, w), vec::cross(u, v), c);
    return ratio(3 * six_volumes * 2 * six_volumes, areas2 * vec::norm(c));
  }
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const EdgeNodes& e : edges_of(shape)) {
    const double l = vec::distance(p[static_cast<std::size_t>(e.a)], p[static_cast<std::size_t>(e.b)]);
    low = std::min(low, l);
    high = std::max(high, l);
  }
  return ratio(low, high);
}

std::span<const Vec3> gather(const Mesh& mesh, Index cell, std::array<Vec3, 27>& p) {
  const auto n = mesh.nodes(cell);
  for (std::size_t i = 0; i < n.size(); ++i) p[i] = mesh.point(n[i]);
  return {p.data(), n.size()};
}

CellQuality quality_of(const Mesh& mesh, Index cell) {
  std::array<Vec3, 27> storage;
  const auto p = gather(mesh, cell, storage);
  const CellShape shape = mesh.shape(cell);
  return {cell, scaled_jacobian(shape, p), aspect(shape, p)};
}

bool has_repeated_corner(const Mesh& mesh, Index cell) {
  const auto n = mesh.nodes(cell).first(static_cast<std::size_t>(corners_of(mesh.shape(cell))));
  for (std::size_t i = 0; i < n.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (n[i] == n[j]) return true;
  return false;
}

}  // namespace

double cell_measure(const Mesh& mesh, Index cell) {
  std::array<Vec3, 27> storage;
  const auto p = gather(mesh, cell, storage);
  const CellShape shape = mesh.shape(cell);
  switch (dimension_of(shape)) {
    case 1: {
      if (shape == CellShape::line2) return vec::distance(p[0], p[1]);
      double length = 0;
      for (const auto& q : quadrature(shape, 4))
        length += q.weight * vec::norm(jacobian(shape_values(shape, q.at), p).r);
      return length;
    }
    case 2: return cell_surface(mesh, cell).area;
    case 3: {
      if (shape == CellShape::tet4)
        return vec::triple(vec::sub(p[1], p[0]), vec::sub(p[2], p[0]), vec::sub(p[3], p[0])) / 6;
      // The determinant is of degree 5 at most in each direction (hex27), 3 in all on tet10: 3 points are exact.
      double volume = 0;
      for (const auto& q : quadrature(shape, 3)) {
        const Columns j = jacobian(shape_values(shape, q.at), p);
        volume += q.weight * vec::triple(j.r, j.s, j.t);
      }
      return volume;
    }
    default: return 0;
  }
}

double total_volume(const Mesh& mesh) {
  vec::Sum volume;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 3) volume += cell_measure(mesh, c);
  return volume.value();
}

std::vector<CellQuality> cell_quality(const Mesh& mesh, int dimension) {
  if (dimension < 0) dimension = mesh.dimension();
  std::vector<CellQuality> out;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == dimension) out.push_back(quality_of(mesh, c));
  return out;
}

std::vector<std::array<Index, 2>> distinct_edges(const Mesh& mesh, int dimension) {
  if (dimension < 0) dimension = mesh.dimension();
  std::vector<std::array<Index, 2>> edges;
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const CellShape shape = mesh.shape(c);
    if (dimension_of(shape) != dimension) continue;
    const auto n = mesh.nodes(c);
    for (const EdgeNodes& e : edges_of(shape)) {
      const Index a = n[static_cast<std::size_t>(e.a)];
      const Index b = n[static_cast<std::size_t>(e.b)];
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

QualityReport mesh_quality(const Mesh& mesh, const QualityOptions& options) {
  QualityReport report;
  report.dimension = options.dimension < 0 ? mesh.dimension() : options.dimension;
  const auto qualities = cell_quality(mesh, report.dimension);
  report.cells = static_cast<Index>(qualities.size());
  const auto bins = static_cast<std::size_t>(std::max(1, options.bins));
  report.scaled_jacobian.counts.assign(bins, 0);
  vec::Sum measure;
  double sum_jacobian = 0;
  double sum_aspect = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double lowest_aspect = std::numeric_limits<double>::infinity();
  for (const CellQuality& q : qualities) {
    const double m = cell_measure(mesh, q.cell);
    measure += m;
    sum_jacobian += q.scaled_jacobian;
    sum_aspect += q.aspect;
    lowest = std::min(lowest, q.scaled_jacobian);
    lowest_aspect = std::min(lowest_aspect, q.aspect);
    const double place = std::clamp(q.scaled_jacobian * static_cast<double>(bins), 0.0, static_cast<double>(bins) - 1);
    ++report.scaled_jacobian.counts[static_cast<std::size_t>(place)];
    if (q.scaled_jacobian < 0) ++report.inverted_cells;
    if (report.dimension > 0 && (m == 0 || has_repeated_corner(mesh, q.cell))) ++report.degenerate_cells;
  }
  report.measure = measure.value();
  if (!qualities.empty()) {
    report.scaled_jacobian_min = lowest;
    report.scaled_jacobian_mean = sum_jacobian / static_cast<double>(qualities.size());
    report.aspect_min = lowest_aspect;
    report.aspect_mean = sum_aspect / static_cast<double>(qualities.size());
  }
  report.worst = qualities;
  const auto keep = std::min(report.worst.size(), static_cast<std::size_t>(std::max(0, options.worst)));
  std::partial_sort(report.worst.begin(), report.worst.begin() + static_cast<std::ptrdiff_t>(keep), report.worst.end(),
                    [](const CellQuality& a, const CellQuality& b) {
                      return std::pair(a.scaled_jacobian, a.cell) < std::pair(b.scaled_jacobian, b.cell);
                    });
  report.worst.resize(keep);
  report.worst.shrink_to_fit();

  const auto edges = distinct_edges(mesh, report.dimension);
  report.edge_min = edges.empty() ? 0 : std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const auto& [a, b] : edges) {
    const double l = vec::distance(mesh.point(a), mesh.point(b));
    report.edge_min = std::min(report.edge_min, l);
    report.edge_max = std::max(report.edge_max, l);
    sum += l;
  }
  if (!edges.empty()) report.edge_mean = sum / static_cast<double>(edges.size());

  report.duplicate_points = static_cast<Index>(duplicate_points(mesh).size());
  std::vector<char> used(static_cast<std::size_t>(mesh.point_count()), 0);
  for (const Index n : mesh.connectivity()) used[static_cast<std::size_t>(n)] = 1;
  report.unused_points = static_cast<Index>(std::count(used.begin(), used.end(), 0));
  return report;
}

std::vector<std::array<Index, 2>> duplicate_points(const Mesh& mesh, double tolerance) {
  std::vector<std::array<Index, 2>> out;
  if (!(tolerance > 0)) {
    std::vector<Index> order(static_cast<std::size_t>(mesh.point_count()));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      const Vec3 p = mesh.point(a);
      const Vec3 q = mesh.point(b);
      return p != q ? p < q : a < b;
    });
    for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
      if (mesh.point(order[i]) == mesh.point(order[first]))
        out.push_back({order[first], order[i]});
      else
        first = i;
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a[1] < b[1]; });
    return out;
  }
  // Boxes as wide as the tolerance: what is near lies in the same box or a neighbour.
  struct Hash {
    std::size_t operator()(const std::array<std::int64_t, 3>& k) const {
      std::uint64_t h = 0;
      for (const auto v : k) h = (h ^ static_cast<std::uint64_t>(v)) * 0x9fb21c651e98df25ull, h ^= h >> 31;
      return static_cast<std::size_t>(h);
    }
  };
  std::unordered_map<std::array<std::int64_t, 3>, std::vector<Index>, Hash> kept;
  const Vec3 low = mesh.bounds().first;
  for (Index i = 0; i < mesh.point_count(); ++i) {
    const Vec3 p = mesh.point(i);
    std::array<std::int64_t, 3> key{};
    for (std::size_t a = 0; a < 3; ++a)
      key[a] = static_cast<std::int64_t>(std::clamp(std::floor((p[a] - low[a]) / tolerance), 0.0, 9e18));
    Index found = -1;
    for (int n = 0; n < 27 && found < 0; ++n) {
      const auto near = kept.find({key[0] + n % 3 - 1, key[1] + n / 3 % 3 - 1, key[2] + n / 9 - 1});
      if (near == kept.end()) continue;
      for (const Index k : near->second)
        if (vec::distance(mesh.point(k), p) <= tolerance) {
          found = k;
          break;
        }
    }
    if (found >= 0)
      out.push_back({found, i});
    else
      kept[key].push_back(i);
  }
  return out;
}

}  // namespace conoid
