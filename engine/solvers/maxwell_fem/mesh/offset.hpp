// SPDX-License-Identifier: BSD-3-Clause
// The layer of vacuum around a closed surface: S at a distance from it, tetrahedra in between (and inside, when it is filled).
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <stop_token>

namespace conoid::maxwell_fem {

struct SurroundOptions {
  double distance = 0.1;  ///< from the surface to S, m
  double edge = 0.2;      ///< longest edge wanted on S, m
  bool filled = false;    ///< tetrahedra inside of the surface as well
};

/// The surface of all points at `distance` from the body, outside of it: closed, triangles of about `edge`, normals outwards.
/// Found on a grid (surface nets: S. F. F. Gibson, MICCAI 1998), moved onto the exact distance.
[[nodiscard]] Result<Mesh> offset_surface(const Mesh& body, double distance, double edge);

/// The body's triangles stay as they are; the volume is filled by gmsh. Groups: "body", "outer", "vacuum", "inside". Errors: no
/// gmsh (resources), a body that gmsh cannot fill (invalid_input).
[[nodiscard]] Result<Mesh> surround(const Mesh& body, const SurroundOptions& options, std::stop_token stop = {});

}  // namespace conoid::maxwell_fem
