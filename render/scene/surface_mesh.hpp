// SPDX-License-Identifier: BSD-3-Clause
// The visible skin of a mesh as triangles over the mesh's own nodes, so that new values and moved points are a gather.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/session/run_reader.hpp"

namespace conoid {

/// Faces that belong to one volume cell only, and all surface cells; order-2 faces are split at their mid nodes.
struct SurfaceMesh {
  std::vector<Index> nodes;                 ///< the frame's point behind each node of the skin
  std::vector<std::int32_t> triangles;      ///< 3 nodes of the skin each, outward as the cell says
  std::vector<Index> triangle_cell;         ///< the frame's cell behind each triangle
  std::vector<std::int32_t> edges;          ///< 2 nodes each: sides of cells, never the diagonals of the splitting
  bool has_volume_cells = false;
  Index skipped_cells = 0;                  ///< of a type that is not drawn
};

/// Checks every number before use: a damaged file gives an error, never a bad access. At most 2³¹−1 skin nodes.
[[nodiscard]] Result<SurfaceMesh> make_surface(const MeshGeometry& mesh);
/// Counts, offsets and indices fit together.
[[nodiscard]] Status check_geometry(const MeshGeometry& mesh);

}  // namespace conoid
