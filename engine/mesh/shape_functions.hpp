// SPDX-License-Identifier: BSD-3-Clause
// Shape functions of every cell shape and quadrature on its reference cell.
//
// Reference cells: line [0,1]; triangle r,s >= 0, r+s <= 1; quad [0,1]²; tet r,s,t >= 0, r+s+t <= 1; hex [0,1]³, nodes
// in VTK's order. Lagrange functions, serendipity on quad8 and hex20.
#pragma once

#include "engine/mesh/mesh.hpp"

#include <array>
#include <span>
#include <vector>

namespace conoid {

/// N_i and dN_i/d(r,s,t) at one reference point; entries beyond nodes_of(shape) are unused.
struct ShapeValues {
  std::array<double, 27> n{};
  std::array<Vec3, 27> dn{};
};
[[nodiscard]] ShapeValues shape_values(CellShape shape, const Vec3& reference);

/// Where node `i` of the shape lies on the reference cell.
[[nodiscard]] Vec3 reference_node(CellShape shape, int i);

struct QuadraturePoint {
  Vec3 at;
  double weight;
};
/// A rule with the given number of Gauss points a direction (1 to 16) on the reference cell; on simplices the collapsed
/// (Duffy) product rule. Exact for degree 2 n − 1 (less one a collapsed direction). The table lives as long as the program. Any thread.
[[nodiscard]] std::span<const QuadraturePoint> quadrature(CellShape shape, int points_a_direction);

}  // namespace conoid
