// SPDX-License-Identifier: BSD-3-Clause
// Zones from a mesh file: segments, quadrilaterals or hexahedra of order 1 or 2, regions and boundaries by groups.
#pragma once

#include "engine/mesh/mesh.hpp"
#include "engine/solvers/hydro_fem/discretization/space.hpp"

#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// The cells of the mesh's highest dimension as zones, in their order; clockwise and mirrored cells are turned round.
/// Plane meshes lie in a plane z = constant, meshes of one dimension along x. Boundaries: the groups of one dimension
/// less that cover sides with a zone on one side only, then `rest` for the sides in no group. `cells[i]` is the mesh
/// cell of zone i. Errors name the cell or point: triangles and tetrahedra, mixed shapes, points off the plane, sides of
/// three zones, zones that touch without sharing their points.
struct MeshZones {
  ZoneMesh zones;
  std::vector<Index> cells;
  static constexpr const char* rest = "(sides in no group)";
};
[[nodiscard]] Result<MeshZones> zones_of_mesh(const Mesh& mesh);

}  // namespace conoid::hydro_fem
