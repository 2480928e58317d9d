// SPDX-License-Identifier: BSD-3-Clause
// Edges and faces of each cell shape in VTK's node numbers (VTK File Formats, "cell types"; vtkQuadraticTetra,
// vtkQuadraticHexahedron and vtkTriQuadraticHexahedron for order 2).
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace conoid {

/// Local nodes of one edge: its two corners and, on order 2, the node between them (-1 on order 1).
struct EdgeNodes {
  std::int8_t a, b, middle;
};

/// Local nodes of one face, ordered so that the face's normal points out of the cell.
struct FaceNodes {
  CellShape shape;
  std::array<std::int8_t, 9> nodes;
  [[nodiscard]] std::span<const std::int8_t> list() const {
    return {nodes.data(), static_cast<std::size_t>(nodes_of(shape))};
  }
};

/// The edges of a shape in VTK's order; for a line the line itself, empty for a vertex.
[[nodiscard]] std::span<const EdgeNodes> edges_of(CellShape shape);
/// The faces of a volume shape; empty for others.
[[nodiscard]] std::span<const FaceNodes> faces_of(CellShape shape);
/// Node order of the same cell turned round (mirrored, so that normal or volume change sign): node i of the turned cell is
/// node turned_order(shape)[i]; entries beyond nodes_of(shape) are to be ignored.
[[nodiscard]] std::span<const std::int8_t> turned_order(CellShape shape);
/// The shape with the same corners and order 1.
[[nodiscard]] CellShape straight(CellShape shape);

}  // namespace conoid
