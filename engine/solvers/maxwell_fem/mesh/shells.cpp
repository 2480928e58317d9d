// SPDX-License-Identifier: BSD-3-Clause
// Prisms between copies of a surface, each cut into three tetrahedra along diagonals that rise from the lower to the higher
// number, so that neighbours agree.
#include "engine/solvers/maxwell_fem/mesh/shells.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

void add_stack(Mesh& mesh, const Stack& stack, std::vector<std::vector<Index>>& points) {
  for (std::size_t l = points.size(); l < stack.levels.size(); ++l) {
    points.emplace_back();
    for (const Vec3& p : stack.levels[l]) points.back().push_back(mesh.add_point(p));
  }
  for (std::size_t l = 0; l + 1 < stack.levels.size(); ++l) {
    const auto &low = points[l], &high = points[l + 1];
    for (auto t : stack.triangles) {
      // Counter-clockwise seen from the higher level; cut by sorted corners, then each cell turned to positive volume.
      std::sort(t.begin(), t.end());
      const auto [a, b, c] = t;
      const Index cells[3][4] = {
          {low[a], low[b], low[c], high[c]}, {low[a], low[b], high[b], high[c]}, {low[a], high[a], high[b], high[c]}};
      for (const auto& cell : cells) {
        std::array<Index, 4> n{cell[0], cell[1], cell[2], cell[3]};
        const Vec3 origin = mesh.point(n[0]);
        if (triple(sub(mesh.point(n[1]), origin), sub(mesh.point(n[2]), origin), sub(mesh.point(n[3]), origin)) < 0)
          std::swap(n[2], n[3]);
        const Index number = mesh.add_cell(CellShape::tet4, n);
        mesh.add_group(stack.groups[l], 3).cells.push_back(number);
      }
    }
  }
}

namespace {

void add_faces(Mesh& mesh, const std::vector<std::array<Index, 3>>& triangles, const std::vector<Index>& points,
               const std::string& group) {
  for (const auto& t : triangles) {
    const Index number = mesh.add_cell(CellShape::triangle3, {points[t[0]], points[t[1]], points[t[2]]});
    mesh.add_group(group, 2).cells.push_back(number);
  }
}

/// Middles of edges on (or between) spheres about the origin beyond `from`; other edges stay straight.
Mesh curved_copy(const Mesh& mesh, double from) {
  Mesh out;
  for (Index p = 0; p < mesh.point_count(); ++p) out.add_point(mesh.point(p));
  std::map<std::array<Index, 2>, Index> middles;
  const auto middle = [&](Index a, Index b) {
    const auto [at, fresh] = middles.try_emplace({std::min(a, b), std::max(a, b)}, 0);
    if (fresh) {
      const Vec3 p = mesh.point(a), q = mesh.point(b);
      const double r = norm(p), s = norm(q);
      Vec3 m = scale(0.5, add(p, q));
      if (r >= from && s >= from) m = scale((r + s) / 2, unit(m));
      at->second = out.add_point(m);
    }
    return at->second;
  };
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const auto n = mesh.nodes(c);
    if (mesh.shape(c) == CellShape::tet4)
      out.add_cell(CellShape::tet10, {n[0], n[1], n[2], n[3], middle(n[0], n[1]), middle(n[1], n[2]),
                                      middle(n[0], n[2]), middle(n[0], n[3]), middle(n[1], n[3]), middle(n[2], n[3])});
    else
      out.add_cell(CellShape::triangle6,
                   {n[0], n[1], n[2], middle(n[0], n[1]), middle(n[1], n[2]), middle(n[2], n[0])});
  }
  for (const MeshGroup& g : mesh.groups()) out.add_group(g.name, g.dimension).cells = g.cells;
  return out;
}

}  // namespace

Result<Mesh> spherical_shells(const ShellsOptions& o) {
  if (o.divisions < 1 || o.shells.empty() || !(o.radius > 0))
    return make_error(ErrorCode::invalid_input, "a sphere needs a radius, divisions and a shell around it");
  double before = o.radius;
  for (const Shell& s : o.shells) {
    if (!(s.radius > before) || s.layers < 1)
      return make_error(ErrorCode::invalid_input, "shells need growing radii and at least one layer each");
    before = s.radius;
  }
  Mesh mesh;
  Stack stack;
  std::vector<std::vector<Index>> points;
  std::vector<Vec3> directions;
  double grow = 1;  // flat faces: radii that keep the volumes
  if (o.hollow) {
    auto base = icosphere({.radius = 1, .divisions = o.divisions});
    if (!base) return base.error();
    if (!o.curved) grow = std::cbrt(4 * std::numbers::pi / 3 / enclosed_volume(*base));
    for (Index p = 0; p < base->point_count(); ++p) directions.push_back(base->point(p));
    for (Index c = 0; c < base->cell_count(); ++c)
      stack.triangles.push_back({base->nodes(c)[0], base->nodes(c)[1], base->nodes(c)[2]});
    stack.levels.emplace_back();
    for (const Vec3& d : directions) stack.levels.back().push_back(scale(o.radius * grow, d));
  } else {
    // A cube in the middle, then layers that turn from the cube to the sphere.
    const double half = 0.4 * o.radius;
    auto cube = box({.low = {-half, -half, -half},
                     .high = {half, half, half},
                     .divisions = {o.divisions, o.divisions, o.divisions},
                     .simplices = true,
                     .boundary = false});
    if (!cube) return cube.error();
    BoundaryLinks links;
    const Mesh skin = boundary_surface(*cube, &links);
    for (Index p = 0; p < cube->point_count(); ++p) mesh.add_point(cube->point(p));
    for (Index c = 0; c < cube->cell_count(); ++c)
      mesh.add_group(o.core_group, 3).cells.push_back(mesh.add_cell(CellShape::tet4, cube->nodes(c)));
    for (Index c = 0; c < skin.cell_count(); ++c)
      stack.triangles.push_back({skin.nodes(c)[0], skin.nodes(c)[1], skin.nodes(c)[2]});
    stack.levels.emplace_back();
    Mesh unit_skin = skin;
    for (Index p = 0; p < skin.point_count(); ++p) {
      // Equal angles on the sphere for equal steps on the cube.
      const Vec3 x = scale(1 / half, skin.point(p));
      Vec3 d{};
      for (int c = 0; c < 3; ++c) d[c] = std::tan(std::numbers::pi / 4 * std::clamp(x[c], -1.0, 1.0));
      directions.push_back(unit(d));
      stack.levels.back().push_back(skin.point(p));
      for (int c = 0; c < 3; ++c) unit_skin.mutable_points()[3 * p + c] = directions.back()[c];
    }
    if (!o.curved) grow = std::cbrt(4 * std::numbers::pi / 3 / enclosed_volume(unit_skin));
    points.push_back(links.points);
    const int layers = std::max(1, static_cast<int>(std::lround(o.divisions * 0.65)));
    for (int l = 1; l <= layers; ++l) {
      const double s = static_cast<double>(l) / layers;
      stack.levels.emplace_back();
      for (std::size_t p = 0; p < directions.size(); ++p)
        stack.levels.back().push_back(
            add(scale(1 - s, stack.levels.front()[p]), scale(s * o.radius * grow, directions[p])));
      stack.groups.push_back(o.core_group);
    }
  }
  const std::size_t core_level = stack.levels.size() - 1;
  before = o.radius;
  for (const Shell& s : o.shells) {
    for (int l = 1; l <= s.layers; ++l) {
      const double r = grow * (before + (s.radius - before) * l / s.layers);
      stack.levels.emplace_back();
      for (const Vec3& d : directions) stack.levels.back().push_back(scale(r, d));
      stack.groups.push_back(s.group);
    }
    before = s.radius;
  }
  add_stack(mesh, stack, points);
  if (o.hollow || o.surface) add_faces(mesh, stack.triangles, points[core_level], "body");
  if (o.currents_level >= 0) {
    const std::size_t level = core_level + static_cast<std::size_t>(o.currents_level);
    if (level + 1 >= points.size()) return make_error(ErrorCode::invalid_input, "S' would lie on S or outside of it");
    if (!(o.hollow && level == 0)) add_faces(mesh, stack.triangles, points[level], "currents");
  }
  add_faces(mesh, stack.triangles, points.back(), "outer");
  return o.curved ? curved_copy(mesh, 0.999999 * o.radius) : mesh;
}

}  // namespace conoid::maxwell_fem
