// SPDX-License-Identifier: BSD-3-Clause
// How far the nodes of cells lie from where the straight shape puts them: shows exchanged nodes in any format.
#pragma once

#include "engine/core/vec3.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/mesh/shape_tables.hpp"

#include <algorithm>
#include <functional>

namespace conoid {

/// Every node of a cell lies where the map of its corners puts it: true for cells with straight edges, false as soon as two
/// nodes of an order-2 cell are in the wrong places, because the geometry is skewed.
/// `unbend` is applied to all points first.
inline double worst_node_offset(const Mesh& m, const std::function<Vec3(Vec3)>& unbend = {}) {
  const auto at = [&](Index i) { return unbend ? unbend(m.point(i)) : m.point(i); };
  double worst = 0;
  for (Index c = 0; c < m.cell_count(); ++c) {
    const CellShape shape = m.shape(c);
    const auto n = m.nodes(c);
    for (int i = 0; i < nodes_of(shape); ++i) {
      const ShapeValues v = shape_values(straight(shape), reference_node(shape, i));
      Vec3 p{};
      for (int k = 0; k < corners_of(shape); ++k)
        p = vec::axpy(v.n[static_cast<std::size_t>(k)], at(n[static_cast<std::size_t>(k)]), p);
      worst = std::max(worst, vec::distance(p, at(n[static_cast<std::size_t>(i)])));
    }
  }
  return worst;
}

}  // namespace conoid
