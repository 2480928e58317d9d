// SPDX-License-Identifier: BSD-3-Clause
// A mesh as the geometry of a frame part.
#pragma once

#include "engine/io/frame.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid {

/// Copies the cells of the mesh's highest dimension (or of `dimension`) with all points; keep the result and share it
/// between frames, replacing only `points` on a moving mesh.
[[nodiscard]] MeshGeometry mesh_geometry(const Mesh& mesh, int dimension = -1);

}  // namespace conoid
