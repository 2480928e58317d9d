// SPDX-License-Identifier: BSD-3-Clause
// Crossings of vertical lines with a closed surface.
#include "engine/solvers/acoustic_fd/discretization/mesh_solid.hpp"

#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Twice the area of (a, b, p) in the plane of x and y; positive: p lies to the left of a → b.
double area(const Vec3& a, const Vec3& b, double x, double y) {
  return (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
}

/// +1 where the edge passes the point upwards on its right, −1 downwards. From the lower end on for both triangles of an edge.
int crossing(const Vec3& a, const Vec3& b, double x, double y) {
  if (a[1] <= y && y < b[1]) return area(a, b, x, y) > 0 ? 1 : 0;
  if (b[1] <= y && y < a[1]) return area(b, a, x, y) > 0 ? -1 : 0;
  return 0;
}

}  // namespace

void MeshSolid::add(const Mesh& mesh, Index a, Index b, Index c) {
  triangles_.push_back({{mesh.point(a), mesh.point(b), mesh.point(c)}});
}

Result<std::shared_ptr<const MeshSolid>> MeshSolid::of(const Mesh& mesh) {
  const Mesh surface = mesh.dimension() == 3 ? boundary_surface(mesh) : mesh.extract(2);
  const SurfaceReport report = check_surface(surface);
  if (report.cells == 0)
    return make_error(ErrorCode::invalid_input, "the mesh has no surface: a closed one was expected",
                      "Export the body's surface, or a mesh of its volume.");
  if (!report.closed())
    return make_error(ErrorCode::invalid_input,
                      fmt::format("the surface is not closed, so that it has no inside: {}", explain(report, surface)),
                      "Close it where it was made, or: conoid mesh FILE --fill-holes --convert closed.msh");
  if (!report.consistent())
    return make_error(
        ErrorCode::invalid_input,
        fmt::format("the cells of the surface disagree about where its inside is: {}", explain(report, surface)),
        "Turn them where it was made; edges of three and more cells have to go first.");
  auto out = std::make_shared<MeshSolid>();
  for (Index cell = 0; cell < surface.cell_count(); ++cell) {
    const auto nodes = surface.nodes(cell);
    out->add(surface, nodes[0], nodes[1], nodes[2]);
    if (corners_of(surface.shape(cell)) == 4) out->add(surface, nodes[0], nodes[2], nodes[3]);
  }
  out->sort_into_bins();
  return std::shared_ptr<const MeshSolid>(std::move(out));
}

std::size_t MeshSolid::bin(std::size_t axis, double at) const {
  const double place = std::floor((at - low_[axis]) / width_[axis]);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins_[axis] - 1)));
}

void MeshSolid::sort_into_bins() {
  for (std::size_t a = 0; a < 2; ++a) {
    low_[a] = high_[a] = triangles_.front().corner[0][a];
    for (const Triangle& t : triangles_)
      for (const Vec3& corner : t.corner) {
        low_[a] = std::min(low_[a], corner[a]);
        high_[a] = std::max(high_[a], corner[a]);
      }
    // About as many bins as triangles, half of which lie below others.
    bins_[a] =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(triangles_.size()))), 1, 4096);
    width_[a] = high_[a] > low_[a] ? (high_[a] - low_[a]) / static_cast<double>(bins_[a]) : 1;
  }
  const auto for_bins = [&](const Triangle& t, auto&& call) {
    std::array<std::size_t, 2> from{}, to{};
    for (std::size_t a = 0; a < 2; ++a) {
      const auto [least, most] = std::minmax({t.corner[0][a], t.corner[1][a], t.corner[2][a]});
      from[a] = bin(a, least);
      to[a] = bin(a, most);
    }
    for (std::size_t i = from[0]; i <= to[0]; ++i)
      for (std::size_t j = from[1]; j <= to[1]; ++j) call(i * bins_[1] + j);
  };
  first_.assign(bins_[0] * bins_[1] + 1, 0);
  for (const Triangle& t : triangles_) for_bins(t, [&](std::size_t n) { ++first_[n + 1]; });
  for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
  list_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for_bins(triangles_[t], [&](std::size_t n) { list_[next[n]++] = static_cast<std::uint32_t>(t); });
}

void MeshSolid::row(double x, double y, double z0, double dz, std::span<unsigned char> out) const {
  std::fill(out.begin(), out.end(), static_cast<unsigned char>(0));
  if (x < low_[0] || x > high_[0] || y < low_[1] || y > high_[1]) return;
  const std::size_t n = bin(0, x) * bins_[1] + bin(1, y);
  std::vector<std::pair<double, int>> crossings;  // height, and the turns of the surface around what lies below it
  for (std::size_t i = first_[n]; i < first_[n + 1]; ++i) {
    const auto& [a, b, c] = triangles_[list_[i]].corner;
    const int turns = crossing(a, b, x, y) + crossing(b, c, x, y) + crossing(c, a, x, y);
    if (turns == 0) continue;
    const double of_a = area(b, c, x, y), of_b = area(c, a, x, y), of_c = area(a, b, x, y), all = of_a + of_b + of_c;
    const auto [least, most] = std::minmax({a[2], b[2], c[2]});
    // A triangle that stands upright has no area here.
    const double height = all != 0 ? (of_a * a[2] + of_b * b[2] + of_c * c[2]) / all : 0.5 * (least + most);
    crossings.emplace_back(std::clamp(height, least, most), turns);
  }
  std::sort(crossings.begin(), crossings.end());
  int winding = 0;
  for (const auto& [height, turns] : crossings) winding += turns;  // zero for a closed surface
  std::size_t next = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double z = z0 + static_cast<double>(k) * dz;
    for (; next < crossings.size() && crossings[next].first < z; ++next) winding -= crossings[next].second;
    out[k] = winding != 0 ? 1 : 0;
  }
}

}  // namespace conoid::acoustic_fd
