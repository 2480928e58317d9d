// SPDX-License-Identifier: BSD-3-Clause
// Bends at edges, gathered at corners.
#include "engine/mesh/curvature.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "engine/core/vec3.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/surface.hpp"

namespace conoid {
namespace {

/// A symmetric tensor of the bends around a corner, and the area that they are of.
struct Bends {
  double area = 0;
  std::array<double, 6> sum{};  // xx, xy, xz, yy, yz, zz

  void add(double weight, const Vec3& along) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) sum[k++] += weight * along[i] * along[j];
  }
  /// The largest eigenvalue by size, of the closed form for symmetric 3 × 3 (O. K. Smith, Comm. ACM 4 (1961) 168), over the area.
  [[nodiscard]] double largest() const {
    const auto& [xx, xy, xz, yy, yz, zz] = sum;
    const double mean = (xx + yy + zz) / 3;
    const double a = xx - mean, b = yy - mean, c = zz - mean;
    const double spread = std::sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6);
    if (!(area > 0)) return 0;
    if (!(spread > 0)) return std::abs(mean) / area;
    const double determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    const double angle = std::acos(std::clamp(determinant / (2 * spread * spread * spread), -1.0, 1.0)) / 3;
    const double high = mean + 2 * spread * std::cos(angle);
    const double low = mean + 2 * spread * std::cos(angle + 2 * std::numbers::pi / 3);
    return std::max(std::abs(high), std::abs(low)) / area;
  }
};

/// One side of a triangle; those of the same edge come beside each other.
struct FacetSide {
  std::array<Index, 2> edge;
  Index cell;
};

}  // namespace

std::vector<std::array<double, 3>> corner_curvatures(const Mesh& faces, double sharp) {
  const std::vector<Index> regions = smooth_regions(faces, sharp);
  std::map<std::pair<Index, Index>, Bends> corners;  // by region and point: at a sharp edge each side has its own
  std::vector<FacetSide> sides;
  std::vector<Vec3> normals(static_cast<std::size_t>(faces.cell_count()));
  const auto is_triangle = [&](Index c) { return faces.shape(c) == CellShape::triangle3; };
  for (Index c = 0; c < faces.cell_count(); ++c) {
    if (!is_triangle(c)) continue;
    const auto at = static_cast<std::size_t>(c);
    const Vec3 area = cell_surface(faces, c).area_vector;
    normals[at] = vec::unit(area);
    const auto n = faces.nodes(c);
    for (std::size_t i = 0; i < 3; ++i) {
      corners[{regions[at], n[i]}].area += vec::norm(area) / 3;
      sides.push_back({{std::min(n[i], n[(i + 1) % 3]), std::max(n[i], n[(i + 1) % 3])}, c});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const FacetSide& x, const FacetSide& y) {
    return std::pair(x.edge, x.cell) < std::pair(y.edge, y.cell);
  });
  const double least = std::cos(sharp * std::numbers::pi / 180);
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    for (end = i + 1; end < sides.size() && sides[end].edge == sides[i].edge;) ++end;
    if (end != i + 2) continue;
    const auto one = static_cast<std::size_t>(sides[i].cell), other = static_cast<std::size_t>(sides[i + 1].cell);
    if (regions[one] != regions[other]) continue;
    // Which way the facets are turned matters no more than which way they bend.
    const double turn = std::abs(vec::dot(normals[one], normals[other]));
    if (turn < least) continue;
    const Vec3 from = faces.point(sides[i].edge[0]), to = faces.point(sides[i].edge[1]);
    const Vec3 along = vec::sub(to, from);
    const double bend = std::atan2(vec::norm(vec::cross(normals[one], normals[other])), turn);
    // Half of the edge belongs to each of its ends. Its sign does not matter to sizes: folds do not cancel bumps.
    for (const Index point : sides[i].edge)
      corners[{regions[one], point}].add(bend * vec::norm(along) / 2, vec::unit(along));
  }
  std::vector<std::array<double, 3>> out(static_cast<std::size_t>(faces.cell_count()), std::array<double, 3>{});
  for (Index c = 0; c < faces.cell_count(); ++c)
    if (is_triangle(c))
      for (std::size_t i = 0; i < 3; ++i) {
        const auto at = static_cast<std::size_t>(c);
        out[at][i] = corners[{regions[at], faces.nodes(c)[i]}].largest();
      }
  return out;
}

}  // namespace conoid
