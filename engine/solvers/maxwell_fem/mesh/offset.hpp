// SPDX-License-Identifier: BSD-3-Clause
// The layer of vacuum around a closed surface: S at a distance from it, tetrahedra in between (and inside, when it is filled).
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <stop_token>
#include <vector>

namespace conoid::maxwell_fem {

struct SurroundOptions {
  double distance = 0.1;  ///< from the surface to S, m
  double edge = 0.2;      ///< longest edge wanted on S, m
  bool filled = false;    ///< tetrahedra inside of the surface as well
  double inside = 0;      ///< size of elements inside where the surface's own are longer, m; 0: as the surface
  int layers = 1;         ///< rows of elements between the body and S; from two on S' lies one row off the body
};

/// Of the grid on which S is found, m: quads of the net are about a step wide, their diagonals longer by √2. A grid wider than the distance loses
/// thin edges.
[[nodiscard]] double net_step(const SurroundOptions& options);

/// The surface of all points at `distance` from the body, outside of it: closed, triangles of about `edge`, normals outwards.
/// Found on a grid (surface nets: S. F. F. Gibson, MICCAI 1998), moved onto the exact distance.
[[nodiscard]] Result<Mesh> offset_surface(const Mesh& body, double distance, double edge, std::stop_token stop = {});

/// Points of the offset surface moved towards their nearest points on the body, to that share of their distance. Balls around
/// them that touch the body lie in one another, so that each stays at the same share of the distance from the whole body.
[[nodiscard]] std::vector<Vec3> drawn_in(const Mesh& body, const Mesh& offset, double share);

/// The body's triangles stay as they are; the row next to the body is filled by gmsh, further ones are prisms between copies of
/// S, each cut into three tetrahedra. Around a body of order 2 elements have curved faces on it. Groups: "body", "outer", "vacuum", "inside", "currents" (two rows or more). Errors: no
/// gmsh (resources), a body that gmsh cannot fill (invalid_input).
[[nodiscard]] Result<Mesh> surround(const Mesh& body, const SurroundOptions& options, std::stop_token stop = {});

}  // namespace conoid::maxwell_fem
