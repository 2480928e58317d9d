// SPDX-License-Identifier: BSD-3-Clause
// Prisms and pyramids, which files hold and Mesh does not: they are cut into tetrahedra, and hexahedra beside them as well, so that
// the pieces meet face to face.
//
// Each cell is cut from its corner of the lowest number: that corner over every face that does not hold it; quadrilaterals of
// those are cut from their own lowest corner (J. Dompierre, P. Labbé, M.-G. Vallet, R. Camarero, How to subdivide pyramids, prisms and
// hexahedra into tetrahedra, 8th Int. Meshing Roundtable, 1999, 195). Two cells with a common face cut it alike.
#pragma once

#include "engine/mesh/readers/read_mesh.hpp"

#include <vector>

namespace conoid::readers {

/// VTK's numbers; values of CellShape that only this folder uses. Nodes: a triangle and the one over it; a square and the apex.
inline constexpr CellShape prism6{13};
inline constexpr CellShape pyramid5{14};

/// As conoid::nodes_of() and dimension_of(), of these two as well.
[[nodiscard]] inline int cell_nodes(CellShape shape) {
  return shape == prism6 ? 6 : shape == pyramid5 ? 5 : nodes_of(shape);
}
[[nodiscard]] inline int cell_dimension(CellShape shape) {
  return shape == prism6 || shape == pyramid5 ? 3 : dimension_of(shape);
}

/// Where there are prisms or pyramids: order 1 everywhere, every volume cell cut into tetrahedra of positive volume, quadrilaterals
/// into triangles, groups carried over; said in `notes`. Else nothing. `connectivity` holds point numbers that exist.
void cut_mixed_cells(const std::vector<double>& points, std::vector<CellShape>& shapes,
                     std::vector<Index>& connectivity, std::vector<MeshGroup>& groups, ReadNotes* notes);

/// The same whether there are prisms or not.
void cut_all_cells(const std::vector<double>& points, std::vector<CellShape>& shapes, std::vector<Index>& connectivity,
                   std::vector<MeshGroup>& groups);

}  // namespace conoid::readers
