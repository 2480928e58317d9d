// SPDX-License-Identifier: BSD-3-Clause
// Places of a field.
#include "engine/run/frame_places.hpp"

#include <algorithm>
#include <cmath>

namespace conoid {

namespace {
constexpr double same_within = 0.02;  // of the extent: nodes that have moved by less belong to one another
}  // namespace

bool same_geometry(const Geometry& a, const Geometry& b) {
  if (a.index() != b.index()) return false;
  if (const auto* grid = std::get_if<ImageGeometry>(&a)) {
    const auto& other = std::get<ImageGeometry>(b);
    return grid->points == other.points && grid->origin == other.origin && grid->spacing == other.spacing;
  }
  const auto equal = [](const auto& p, const auto& q) { return p == q || (p && q && *p == *q); };
  const auto &m = std::get<MeshGeometry>(a), &n = std::get<MeshGeometry>(b);
  if (!equal(m.connectivity, n.connectivity) || !equal(m.offsets, n.offsets) || !equal(m.types, n.types)) return false;
  if (equal(m.points, n.points)) return true;
  // The same cells with nodes that have moved a little: entries stand for the same material. (Probing would take the neighbour's value
  // wherever a field jumps between cells.)
  if (!m.points || !n.points || m.points->size() != n.points->size() || m.points->empty()) return false;
  double moved = 0;
  Vec3 low{}, high{};
  for (std::size_t i = 0; i < m.points->size(); ++i) {
    const double x = (*m.points)[i];
    const std::size_t d = i % 3;
    low[d] = i < 3 ? x : std::min(low[d], x);
    high[d] = i < 3 ? x : std::max(high[d], x);
    moved = std::max(moved, std::abs(x - (*n.points)[i]));
  }
  return moved <= same_within * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

/// Places of the entries of a field: points, or the middles of cells (mean of their points).
std::vector<Vec3> places_of(const FramePart& part, Association association) {
  std::vector<Vec3> out;
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    const Index shift = association == Association::cell ? 1 : 0;
    const auto count = [&](std::size_t d) { return std::max<Index>(1, grid->points[d] - shift); };
    for (Index k = 0; k < count(2); ++k)
      for (Index j = 0; j < count(1); ++j)
        for (Index i = 0; i < count(0); ++i) {
          const double half = shift != 0 ? 0.5 : 0;
          const std::array<Index, 3> at{i, j, k};
          Vec3 p{};
          for (std::size_t d = 0; d < 3; ++d)
            p[d] = grid->origin[d] + grid->spacing[d] * (static_cast<double>(at[d]) + (grid->points[d] > 1 ? half : 0));
          out.push_back(p);
        }
    return out;
  }
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  const auto point = [&](Index i) {
    const std::size_t at = 3 * static_cast<std::size_t>(i);
    return Vec3{(*mesh.points)[at], (*mesh.points)[at + 1], (*mesh.points)[at + 2]};
  };
  if (association == Association::point) {
    for (std::size_t i = 0; i < mesh.points->size() / 3; ++i) out.push_back(point(static_cast<Index>(i)));
    return out;
  }
  for (std::size_t c = 0; c + 1 < mesh.offsets->size(); ++c) {
    Vec3 sum{};
    const Index begin = (*mesh.offsets)[c], end = (*mesh.offsets)[c + 1];
    for (Index k = begin; k < end; ++k) {
      const Vec3 p = point((*mesh.connectivity)[static_cast<std::size_t>(k)]);
      for (std::size_t d = 0; d < 3; ++d) sum[d] += p[d] / static_cast<double>(end - begin);
    }
    out.push_back(sum);
  }
  return out;
}

}  // namespace conoid
