// SPDX-License-Identifier: BSD-3-Clause
// Cutting a mesh into compact parts of equal work: contiguous stretches of a space-filling curve.
#pragma once

#include "engine/mesh/mesh.hpp"
#include "engine/mesh/ordering.hpp"

#include <span>
#include <vector>

namespace conoid {

struct PartitionOptions {
  int parts = 2;
  Curve curve = Curve::hilbert;
  int dimension = -1;            ///< which cells; -1: the mesh's highest dimension
  std::span<const double> work;  ///< work of each cell of the mesh (all cells), >= 0; empty: equal
};

struct Partition {
  std::vector<Index> order;         ///< the cells along the curve
  std::vector<Interval> intervals;  ///< each part's stretch of `order`; empty when there are fewer cells than parts
  std::vector<int> part;            ///< of each cell of the mesh, -1 for cells of other dimensions
  std::vector<double> work;         ///< of each part
  Index shared_points = 0;          ///< points whose cells are in more than one part: what ranks would exchange

  /// Largest part over the mean: 1 is perfect.
  [[nodiscard]] double imbalance() const;
};
/// parts < 1 counts as 1. Every part's work differs from the mean by at most one cell's.
[[nodiscard]] Partition partition_cells(const Mesh& mesh, const PartitionOptions& options);

}  // namespace conoid
