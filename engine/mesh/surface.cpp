// SPDX-License-Identifier: BSD-3-Clause
// Integrals over surface cells.
#include "engine/mesh/surface.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"

#include <algorithm>
#include <numeric>

namespace conoid {
namespace {

/// f(point, normal times dS) over the cell; points are relative to the cell's first node, which keeps the digits of small
/// cells far from the origin.
void integrate(const Mesh& mesh, Index cell, int rule, const auto& f) {
  const CellShape shape = mesh.shape(cell);
  const auto nodes = mesh.nodes(cell);
  const Vec3 origin = mesh.point(nodes[0]);
  std::array<Vec3, 9> p;
  for (std::size_t i = 0; i < nodes.size(); ++i) p[i] = vec::sub(mesh.point(nodes[i]), origin);
  for (const QuadraturePoint& q : quadrature(shape, rule)) {
    const ShapeValues v = shape_values(shape, q.at);
    Vec3 x{};
    Vec3 xr{};
    Vec3 xs{};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      x = vec::axpy(v.n[i], p[i], x);
      xr = vec::axpy(v.dn[i][0], p[i], xr);
      xs = vec::axpy(v.dn[i][1], p[i], xs);
    }
    f(x, vec::scale(q.weight, vec::cross(xr, xs)));
  }
}

}  // namespace

CellSurface cell_surface(const Mesh& mesh, Index cell) {
  CellSurface out;
  const CellShape shape = mesh.shape(cell);
  if (dimension_of(shape) != 2) return out;
  const auto nodes = mesh.nodes(cell);
  const Vec3 a = mesh.point(nodes[0]);
  if (shape == CellShape::triangle3) {
    const Vec3 u = vec::sub(mesh.point(nodes[1]), a);
    const Vec3 v = vec::sub(mesh.point(nodes[2]), a);
    out.area_vector = vec::scale(0.5, vec::cross(u, v));
    out.area = vec::norm(out.area_vector);
    out.centroid = vec::axpy(1.0 / 3.0, vec::add(u, v), a);
    return out;
  }
  Vec3 moment{};
  integrate(mesh, cell, 4, [&](const Vec3& x, const Vec3& ds) {
    const double s = vec::norm(ds);
    out.area += s;
    out.area_vector = vec::add(out.area_vector, ds);
    moment = vec::axpy(s, x, moment);
  });
  if (out.area > 0) {
    out.centroid = vec::axpy(1 / out.area, moment, a);
  } else {
    for (const Index n : nodes)
      out.centroid = vec::axpy(1.0 / static_cast<double>(nodes.size()), mesh.point(n), out.centroid);
  }
  return out;
}

SurfaceGeometry surface_geometry(const Mesh& mesh) {
  std::vector<Index> cells;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 2) cells.push_back(c);
  return surface_geometry(mesh, cells);
}

SurfaceGeometry surface_geometry(const Mesh& mesh, std::span<const Index> cells) {
  SurfaceGeometry out;
  out.cells.assign(cells.begin(), cells.end());
  out.areas.reserve(cells.size());
  out.centroids.reserve(cells.size());
  out.normals.reserve(cells.size());
  out.diameters.reserve(cells.size());
  for (const Index c : cells) {
    const CellSurface s = cell_surface(mesh, c);
    out.areas.push_back(s.area);
    out.centroids.push_back(s.centroid);
    out.normals.push_back(vec::unit(s.area_vector));
    const auto corners = mesh.nodes(c).first(static_cast<std::size_t>(corners_of(mesh.shape(c))));
    double longest = 0;
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        longest = std::max(longest, vec::distance(mesh.point(corners[i]), mesh.point(corners[j])));
    out.diameters.push_back(longest);
  }
  return out;
}

double enclosed_volume(const Mesh& mesh) {
  std::vector<Index> cells(static_cast<std::size_t>(mesh.cell_count()));
  std::iota(cells.begin(), cells.end(), Index{0});
  return enclosed_volume(mesh, cells);
}

double enclosed_volume(const Mesh& mesh, std::span<const Index> cells) {
  const auto [low, high] = mesh.bounds();
  const Vec3 middle = vec::scale(0.5, vec::add(low, high));
  vec::Sum volume;
  for (const Index c : cells) {
    const CellShape shape = mesh.shape(c);
    if (dimension_of(shape) != 2) continue;
    if (shape == CellShape::triangle3) {
      const auto n = mesh.nodes(c);
      volume += vec::triple(vec::sub(mesh.point(n[0]), middle), vec::sub(mesh.point(n[1]), middle),
                            vec::sub(mesh.point(n[2]), middle)) /
                6;
    } else {
      // x·(x_r × x_s) is a polynomial of degree 6 at most a direction: 4 points are exact.
      const Vec3 first = vec::sub(mesh.point(mesh.nodes(c)[0]), middle);
      integrate(mesh, c, 4, [&](const Vec3& x, const Vec3& ds) { volume += vec::dot(vec::add(first, x), ds) / 3; });
    }
  }
  return volume.value();
}

double total_area(const Mesh& mesh) {
  vec::Sum area;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 2) area += cell_surface(mesh, c).area;
  return area.value();
}

}  // namespace conoid
