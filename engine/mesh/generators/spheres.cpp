// SPDX-License-Identifier: BSD-3-Clause
// Geodesic and cube spheres, ellipsoids.
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/generators/options_check.hpp"
#include "engine/mesh/order.hpp"
#include "engine/mesh/surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace conoid {
namespace {

using generators::OptionsCheck;

void group_all(Mesh& mesh, const std::string& name) {
  if (name.empty()) return;
  auto& cells = mesh.add_group(name, 2).cells;
  cells.resize(static_cast<std::size_t>(mesh.cell_count()));
  std::iota(cells.begin(), cells.end(), Index{0});
}

void map_points(Mesh& mesh, const auto& f) {
  auto& p = mesh.mutable_points();
  for (std::size_t i = 0; i < p.size(); i += 3) {
    const Vec3 q = f(Vec3{p[i], p[i + 1], p[i + 2]});
    std::copy(q.begin(), q.end(), p.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// The unit geodesic sphere. Points on the icosahedron's corners and edges are shared by its 20 faces.
Mesh unit_icosphere(int d) {
  const double g = std::numbers::phi;
  // Corners (0, ±1, ±φ) and cyclic; faces counter-clockwise from outside.
  const std::array<Vec3, 12> corners{{{-1, g, 0},
                                      {1, g, 0},
                                      {-1, -g, 0},
                                      {1, -g, 0},
                                      {0, -1, g},
                                      {0, 1, g},
                                      {0, -1, -g},
                                      {0, 1, -g},
                                      {g, 0, -1},
                                      {g, 0, 1},
                                      {-g, 0, -1},
                                      {-g, 0, 1}}};
  constexpr std::array<std::array<int, 3>, 20> faces{{{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                                      {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                                      {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                                      {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}}};
  Mesh mesh;
  const Index n = d;
  mesh.reserve(10 * n * n + 2, 20 * n * n, 60 * n * n);
  for (const Vec3& c : corners) mesh.add_point(vec::unit(c));
  std::map<std::pair<int, int>, Index> first_on_edge;
  // Node k of the edge a→b, k = 0…d; the d-1 inner ones are made once and are numbered from the smaller corner on.
  const auto on_edge = [&](int a, int b, Index k) -> Index {
    if (k == 0) return a;
    if (k == n) return b;
    const int low = std::min(a, b);
    const int high = std::max(a, b);
    const auto [it, fresh] = first_on_edge.try_emplace({low, high}, mesh.point_count());
    if (fresh)
      for (Index i = 1; i < n; ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(n);
        mesh.add_point(vec::unit(vec::axpy(1 - t, corners[static_cast<std::size_t>(low)],
                                           vec::scale(t, corners[static_cast<std::size_t>(high)]))));
      }
    return it->second + (a == low ? k : n - k) - 1;
  };
  std::vector<Index> row;
  std::vector<Index> above;
  for (const auto& f : faces) {
    const Vec3& a = corners[static_cast<std::size_t>(f[0])];
    const Vec3& b = corners[static_cast<std::size_t>(f[1])];
    const Vec3& c = corners[static_cast<std::size_t>(f[2])];
    above = {f[0]};
    for (Index r = 1; r <= n; ++r) {  // row r runs from the edge a→b to the edge a→c
      row.clear();
      for (Index s = 0; s <= r; ++s) {
        if (r == n)
          row.push_back(on_edge(f[1], f[2], s));
        else if (s == 0)
          row.push_back(on_edge(f[0], f[1], r));
        else if (s == r)
          row.push_back(on_edge(f[0], f[2], r));
        else {
          Vec3 p{};
          for (std::size_t i = 0; i < 3; ++i)
            p[i] =
                static_cast<double>(n - r) * a[i] + static_cast<double>(r - s) * b[i] + static_cast<double>(s) * c[i];
          row.push_back(mesh.add_point(vec::unit(p)));
        }
      }
      for (std::size_t s = 0; s < static_cast<std::size_t>(r); ++s) {
        mesh.add_cell(CellShape::triangle3, {above[s], row[s], row[s + 1]});
        if (s + 1 < static_cast<std::size_t>(r))
          mesh.add_cell(CellShape::triangle3, {above[s], row[s + 1], above[s + 1]});
      }
      above.swap(row);
    }
  }
  return mesh;
}

/// Raises the order on the unit sphere, then stretches, then shifts.
Mesh finish_sphere(Mesh unit, const Vec3& axes, const Vec3& centre, bool equal_volume, int order,
                   const std::string& group) {
  if (order == 2) unit = to_order2(unit, false, [](const Vec3& p) { return vec::unit(p); });
  double s = 1;
  if (equal_volume) s = std::cbrt(4.0 / 3.0 * std::numbers::pi / enclosed_volume(unit));
  map_points(unit, [&](const Vec3& p) {
    return Vec3{centre[0] + s * axes[0] * p[0], centre[1] + s * axes[1] * p[1], centre[2] + s * axes[2] * p[2]};
  });
  group_all(unit, group);
  return unit;
}

}  // namespace

Result<Mesh> icosphere(const IcosphereOptions& o) {
  OptionsCheck check("icosphere");
  check.positive("radius", o.radius).finite("centre", o.centre).count("divisions", o.divisions).order(o.order);
  check.cells(20.0 * o.divisions * o.divisions);
  if (check.error()) return *check.error();
  return finish_sphere(unit_icosphere(o.divisions), {o.radius, o.radius, o.radius}, o.centre, o.equal_volume, o.order,
                       o.group);
}

Result<Mesh> ellipsoid(const EllipsoidOptions& o) {
  OptionsCheck check("ellipsoid");
  check.positive("semi_axes", o.semi_axes[0])
      .positive("semi_axes", o.semi_axes[1])
      .positive("semi_axes", o.semi_axes[2]);
  check.finite("centre", o.centre).count("divisions", o.divisions).order(o.order);
  check.cells(20.0 * o.divisions * o.divisions);
  if (check.error()) return *check.error();
  return finish_sphere(unit_icosphere(o.divisions), o.semi_axes, o.centre, o.equal_volume, o.order, o.group);
}

Result<Mesh> cube_sphere(const CubeSphereOptions& o) {
  OptionsCheck check("cube_sphere");
  check.positive("radius", o.radius).finite("centre", o.centre).count("divisions", o.divisions).order(o.order);
  check.cells(6.0 * o.divisions * o.divisions);
  if (check.error()) return *check.error();
  auto cube = box_surface(
      {.low = {-1, -1, -1}, .high = {1, 1, 1}, .divisions = {o.divisions, o.divisions, o.divisions}, .quads = true});
  if (!cube) return cube.error();
  Mesh unit = Mesh::from_arrays(cube->points(), cube->shapes(), cube->connectivity()).value();
  map_points(unit, [&](Vec3 p) {
    if (o.equal_angles)
      for (double& x : p) x = std::tan(x * std::numbers::pi / 4);
    return vec::unit(p);
  });
  return finish_sphere(std::move(unit), {o.radius, o.radius, o.radius}, o.centre, o.equal_volume, o.order, o.group);
}

}  // namespace conoid
