// SPDX-License-Identifier: BSD-3-Clause
// Tetrahedra in layers: balls, shells, coats, and the vacuum around them up to S.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <string>
#include <vector>

namespace conoid::maxwell_fem {

/// Layers from the sphere before up to `radius`.
struct Shell {
  double radius = 1;
  int layers = 1;
  std::string group = "vacuum";
};

/// A core and shells around it. Groups: the volumes' own, "body" (the core's surface: of hollow cores, and where asked for), "outer" (the last
/// sphere), "currents" (the sphere of `currents_level`, counted in layers outside the core; −1: none).
struct ShellsOptions {
  double radius = 1;     ///< of the core
  bool hollow = true;    ///< nothing inside (a conductor) or tetrahedra
  bool surface = false;  ///< the group "body" on the core's surface with elements on both sides
  std::string core_group = "core";
  int divisions = 4;  ///< of each edge of an icosahedron (hollow) or of a cube (solid)
  std::vector<Shell> shells;
  int currents_level = -1;
  bool curved = true;  ///< 10-node tetrahedra on the true spheres, else flat ones of the true volume
};
[[nodiscard]] Result<Mesh> spherical_shells(const ShellsOptions& options);

/// The layers between copies of a closed triangulated surface: `levels[l]` has a place for each of its points. Groups as above;
/// layer l lies between levels l and l + 1 and belongs to the volume group `groups[l]`.
struct Stack {
  std::vector<std::array<Index, 3>> triangles;
  std::vector<std::vector<Vec3>> levels;
  std::vector<std::string> groups;
};
void add_stack(Mesh& mesh, const Stack& stack, std::vector<std::vector<Index>>& points);

}  // namespace conoid::maxwell_fem
