// SPDX-License-Identifier: BSD-3-Clause
// Gmsh's element types and their node orders (Gmsh reference manual, "Node ordering") against VTK's.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace conoid::readers {

struct GmshType {
  int id;
  std::string_view name;
  CellShape shape;
  bool readable;                           ///< Mesh has this shape, or it is cut into what Mesh has (mixed_cells.hpp)
  std::array<std::uint8_t, 27> from_gmsh;  ///< VTK node i is Gmsh node from_gmsh[i]
  int file_nodes = 0;                      ///< in the file, where they are more than are taken; else 0
};

/// nullptr for a number that Gmsh does not use (of those up to 140).
[[nodiscard]] const GmshType* gmsh_type(int id);
[[nodiscard]] const GmshType& gmsh_type(CellShape shape);

}  // namespace conoid::readers
