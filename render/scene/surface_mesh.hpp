// SPDX-License-Identifier: BSD-3-Clause
// The visible skin of a mesh as triangles over the mesh's own nodes, so that new values and moved points are a gather.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/run/run_reader.hpp"

namespace conoid {

/// A place between the points of an order-2 face: Σ weight · point, the face's own shape functions there.
struct SurfaceBlend {
  int count = 0;
  std::array<Index, 9> points{};
  std::array<double, 9> weights{};
};

/// Faces that belong to one volume cell only, and all surface cells; order-2 faces are split at their mid nodes, or finer.
struct SurfaceMesh {
  std::vector<Index> nodes;  ///< the frame's point behind each node of the skin; −1 − b for blend b
  std::vector<SurfaceBlend> blends;
  std::vector<std::int32_t> triangles;  ///< 3 nodes of the skin each, outward as the cell says
  std::vector<Index> triangle_cell;     ///< the frame's cell behind each triangle
  std::vector<std::int32_t> edges;      ///< 2 nodes each: sides of cells, never the diagonals of the splitting
  /// Of a mesh of lines alone, which would be too thin for colours: they are drawn as a band, with nodes on both sides of each line,
  /// and this says which, 1 or −1. Empty: a surface.
  std::vector<std::int8_t> across;
  bool has_volume_cells = false;
  Index skipped_cells = 0;  ///< of a type that is not drawn

  /// Number k of a node, from an array with `stride` numbers a point of the frame.
  template <class T>
  [[nodiscard]] T value(std::size_t node, const T* array, std::size_t stride, std::size_t k) const {
    const Index point = nodes[node];
    if (point >= 0) return array[stride * static_cast<std::size_t>(point) + k];
    const SurfaceBlend& blend = blends[static_cast<std::size_t>(-1 - point)];
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(blend.count); ++i)
      sum += blend.weights[i] * static_cast<double>(array[stride * static_cast<std::size_t>(blend.points[i]) + k]);
    return static_cast<T>(sum);
  }
};

/// Checks every number before use: a damaged file gives an error, never a bad access. At most 2³¹−1 skin nodes.
/// `pieces` parts every half of an order-2 edge: 1 takes the points of the face alone, 2 draws four flat pieces an edge.
[[nodiscard]] Result<SurfaceMesh> make_surface(const MeshGeometry& mesh, int pieces = 1);
/// Whether all triangles of a skin belong to volume cells and turn their outside away from the middle of their cell: those that look away
/// from an eye outside the mesh are then behind others. `xyz`: three coordinates of every node of the skin. A cell that is turned inside
/// out, or bent so far that its middle lies outside, says no.
[[nodiscard]] bool is_outward(const SurfaceMesh& skin, const MeshGeometry& mesh, const float* xyz);
/// Counts, offsets and indices fit together.
[[nodiscard]] Status check_geometry(const MeshGeometry& mesh);

}  // namespace conoid
