// SPDX-License-Identifier: BSD-3-Clause
// Which cell of a mesh a point lies in or is nearest to, and where on the cell: for values at points, along lines and over groups.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid {

/// Cells as the arrays of a frame or a mesh hold them, in VTK's numbering of types and nodes. Borrowed: they must outlive whoever looks.
struct CellArrays {
  std::span<const double> points;       ///< x y z, metres
  std::span<const Index> connectivity;  ///< points of each cell
  std::span<const Index> offsets;       ///< cells + 1
  std::span<const std::uint8_t> types;

  [[nodiscard]] Index cells() const { return static_cast<Index>(types.size()); }
  [[nodiscard]] std::span<const Index> nodes(Index cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return connectivity.subspan(static_cast<std::size_t>(offsets[c]),
                                static_cast<std::size_t>(offsets[c + 1] - offsets[c]));
  }
  [[nodiscard]] CellShape shape(Index cell) const {
    return static_cast<CellShape>(types[static_cast<std::size_t>(cell)]);
  }
};

/// True for the types of cells that have shape functions here (orders 1 and 2).
[[nodiscard]] bool known_cell(std::uint8_t type);
/// Counts, offsets, types and numbers of points fit together: a damaged file gives an error, never a bad access. Cells of unknown types
/// pass; whoever looks leaves them out.
[[nodiscard]] Status check_cells(const CellArrays& cells);
/// The highest dimension of the known cells; −1 without any.
[[nodiscard]] int dimension_of(const CellArrays& cells);
/// The point of the cell at a reference place (engine/mesh/shape_functions.hpp), metres; with it, where wanted, the derivatives by the
/// reference coordinates.
[[nodiscard]] Vec3 place_in_cell(const CellArrays& cells, Index cell, const Vec3& reference,
                                 std::array<Vec3, 3>* columns = nullptr);
/// The middle of its reference cell.
[[nodiscard]] Vec3 middle_of(CellShape shape);

/// Faces (edges in two dimensions, ends in one) that belong to one cell of the highest dimension only, over the same points.
struct CellSkin {
  std::vector<Index> connectivity;
  std::vector<Index> offsets{0};
  std::vector<std::uint8_t> types;
  std::vector<Index> behind;  ///< the cell behind each
};
[[nodiscard]] CellSkin skin_of(const CellArrays& cells);

/// A place on a cell.
struct CellSpot {
  Index cell = -1;  ///< −1: none within reach
  Vec3 reference{};
  double distance = 0;  ///< metres from the point asked for; 0 inside
};

/// Finds cells of one dimension by a tree of boxes. The nearest place on a curved cell is found by Gauss and Newton's method on its own
/// map from the reference cell, on its sides where that leads out of the cell; the distance to a solid cell that does not hold the point
/// is one to its edges, so not less than the true one. Reading from several threads is safe.
class CellLocator {
 public:
  /// Of the cells with this dimension (−1: the highest there is). The arrays must have passed check_cells().
  explicit CellLocator(const CellArrays& cells, int dimension = -1);

  /// The cell nearest to the point, not farther than `within` metres; of several that hold it one with the lowest number.
  [[nodiscard]] CellSpot find(const Vec3& point, double within) const;

  [[nodiscard]] int dimension() const { return dimension_; }
  [[nodiscard]] Index count() const { return static_cast<Index>(order_.size()); }
  [[nodiscard]] const Vec3& low() const { return low_; }  ///< corners of the box around all points of these cells
  [[nodiscard]] const Vec3& high() const { return high_; }
  [[nodiscard]] double diagonal() const;

 private:
  struct Node {
    Vec3 low, high;
    Index begin = 0, end = 0;  ///< of order_, where it is a leaf
    Index second = 0;          ///< the other child; the first is the next node. 0: a leaf
  };
  Index build(Index begin, Index end);
  [[nodiscard]] CellSpot nearest_on(Index cell, const Vec3& point) const;

  CellArrays cells_;
  int dimension_ = -1;
  std::vector<Index> order_;                  ///< cells, box by box
  std::vector<std::pair<Vec3, Vec3>> boxes_;  ///< of order_ while the tree is built, then of its cells in that order
  std::vector<Node> nodes_;
  Vec3 low_{}, high_{};
};

}  // namespace conoid
