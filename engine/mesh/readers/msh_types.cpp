// SPDX-License-Identifier: BSD-3-Clause
// The table of Gmsh's element types.
#include "engine/mesh/readers/msh_types.hpp"

#include "engine/mesh/readers/mixed_cells.hpp"

namespace conoid::readers {
namespace {

constexpr std::array<std::uint8_t, 27> same{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                            14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26};
// Gmsh's tet has edge (2,3) before (1,3).
constexpr std::array<std::uint8_t, 27> tet10{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
// Gmsh's hex: edges (0,1) (0,3) (0,4) (1,2) (1,5) (2,3) (2,6) (3,7) (4,5) (4,7) (5,6) (6,7),
// faces z-min, y-min, x-min, x-max, y-max, z-max.
constexpr std::array<std::uint8_t, 27> hex27{0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                             19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};

constexpr std::array<GmshType, 19> types{{
    {1, "line with 2 nodes", CellShape::line2, true, same},
    {2, "triangle with 3 nodes", CellShape::triangle3, true, same},
    {3, "quad with 4 nodes", CellShape::quad4, true, same},
    {4, "tet with 4 nodes", CellShape::tet4, true, same},
    {5, "hex with 8 nodes", CellShape::hex8, true, same},
    {6, "prism with 6 nodes", prism6, true, same},
    {7, "pyramid with 5 nodes", pyramid5, true, same},
    {8, "line with 3 nodes", CellShape::line3, true, same},
    {9, "triangle with 6 nodes", CellShape::triangle6, true, same},
    {10, "quad with 9 nodes", CellShape::quad9, true, same},
    {11, "tet with 10 nodes", CellShape::tet10, true, tet10},
    {12, "hex with 27 nodes", CellShape::hex27, true, hex27},
    {13, "prism with 18 nodes", prism6, true, same, 18},
    {14, "pyramid with 14 nodes", pyramid5, true, same, 14},
    {15, "vertex", CellShape::vertex, true, same},
    {16, "quad with 8 nodes", CellShape::quad8, true, same},
    {17, "hex with 20 nodes", CellShape::hex20, true, hex27},
    {18, "prism with 15 nodes", prism6, true, same, 15},
    {19, "pyramid with 13 nodes", pyramid5, true, same, 13},
}};
constexpr GmshType high_order{0, "order 3 or above, or a kind that meshes rarely hold", CellShape::vertex, false, same};

}  // namespace

const GmshType* gmsh_type(int id) {
  if (id >= 1 && id <= static_cast<int>(types.size())) return &types[static_cast<std::size_t>(id - 1)];
  return id >= 20 && id <= 140 ? &high_order : nullptr;
}

const GmshType& gmsh_type(CellShape shape) {
  for (const auto& t : types)
    if (t.readable && t.shape == shape) return t;
  return high_order;
}

}  // namespace conoid::readers
