// SPDX-License-Identifier: BSD-3-Clause
// Cells by VTK's types (VTK File Formats; vtkCellType.h) as cells of Mesh: others are ordered otherwise, cut, or taken straight.
#pragma once

#include "engine/mesh/readers/read_mesh.hpp"

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace conoid::readers {

/// Arrays of cells that programs use for the number of a region or of a boundary, the likeliest first.
[[nodiscard]] std::span<const std::string_view> group_array_names();

/// VTK's name of a type of cell: "polyhedron", "Lagrange hexahedron"; "of VTK's type 99" for what has none.
[[nodiscard]] std::string vtk_type_name(int type);

/// Takes cells one by one. Errors are thrown as Failure (invalid_input), with the number of the cell and without a file.
class VtkCells {
 public:
  explicit VtkCells(std::vector<double> points) : points_(std::move(points)) {}

  /// `nodes` must be numbers of points.
  void add(int type, std::span<const Index> nodes);
  /// The cell just added belongs to the region of this number.
  void number_last(double region);
  /// A cell whose value of vtkGhostType says that it is a copy of another's, replaced by finer ones, or hidden.
  void leave_out() {
    ++cells_;
    ++ghosts_;
  }
  [[nodiscard]] static bool is_ghost(int ghost_type) {
    return (ghost_type & (1 | 8 | 32)) != 0;
  }  ///< vtkDataSetAttributes

  /// The mesh; what was done is said in `notes`.
  [[nodiscard]] Mesh finish(ReadNotes* notes, bool keep_unused_points = false);

 private:
  void take(CellShape shape, std::span<const Index> nodes);
  void take(CellShape shape, std::initializer_list<Index> nodes) {
    take(shape, std::span(nodes.begin(), nodes.size()));
  }
  void polygon(std::span<const Index> nodes);
  void chain(int type, std::span<const Index> nodes);
  void lagrange(int type, std::span<const Index> nodes);
  void expect(std::size_t wanted, std::size_t found, const std::string& name) const;
  [[noreturn]] void refuse(const std::string& text, std::string hint = {}) const;
  [[nodiscard]] Vec3 place(Index i) const {
    const auto k = static_cast<std::size_t>(3 * i);
    return {points_[k], points_[k + 1], points_[k + 2]};
  }

  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;
  std::map<std::pair<int, int>, std::vector<Index>> groups_;
  std::size_t last_ = 0;  ///< first of the shapes that the last cell became
  Index cells_ = 0, ghosts_ = 0, polygons_ = 0, straightened_ = 0;
};

}  // namespace conoid::readers
