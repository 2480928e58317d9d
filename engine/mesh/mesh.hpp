// SPDX-License-Identifier: BSD-3-Clause
// A mesh: points, cells of one or several shapes of order 1 or 2, and named groups.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conoid {

/// Cell shapes. The numbers are VTK's cell types, the node order is VTK's as well (so that results need no table);
/// readers permute from their format's order.
enum class CellShape : std::uint8_t {
  vertex = 1,
  line2 = 3,
  triangle3 = 5,
  quad4 = 9,
  tet4 = 10,
  hex8 = 12,
  line3 = 21,
  triangle6 = 22,
  quad8 = 23,
  tet10 = 24,
  hex20 = 25,
  quad9 = 28,
  hex27 = 29
};

[[nodiscard]] int nodes_of(CellShape shape);
[[nodiscard]] int dimension_of(CellShape shape);  ///< 0, 1, 2, 3
[[nodiscard]] int order_of(CellShape shape);      ///< 1 or 2
[[nodiscard]] int corners_of(CellShape shape);    ///< nodes of the straight shape
[[nodiscard]] std::string_view name_of(CellShape shape);

/// A named set of cells of one dimension (Gmsh: physical group; OBJ: g; STL: solid).
struct MeshGroup {
  std::string name;
  int dimension = 2;
  int tag = 0;               ///< the format's number, 0 if it has none
  std::vector<Index> cells;  ///< ascending
};

/// Points in metres (readers multiply by the unit that the case names), cells in VTK node order. A value type: copies are
/// deep, reading from several threads is safe. Triangles and quads that bound a body are counter-clockwise seen from
/// outside. Cells of all dimensions share one numbering.
class Mesh {
 public:
  [[nodiscard]] Index point_count() const { return static_cast<Index>(points_.size() / 3); }
  [[nodiscard]] Index cell_count() const { return static_cast<Index>(shapes_.size()); }
  [[nodiscard]] Vec3 point(Index i) const {
    const auto k = static_cast<std::size_t>(3 * i);
    return {points_[k], points_[k + 1], points_[k + 2]};
  }
  [[nodiscard]] CellShape shape(Index cell) const { return shapes_[static_cast<std::size_t>(cell)]; }
  [[nodiscard]] std::span<const Index> nodes(Index cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return {nodes_.data() + offsets_[c], static_cast<std::size_t>(offsets_[c + 1] - offsets_[c])};
  }
  [[nodiscard]] const std::vector<double>& points() const { return points_; }  ///< x y z of each point
  [[nodiscard]] const std::vector<CellShape>& shapes() const { return shapes_; }
  [[nodiscard]] const std::vector<Index>& connectivity() const { return nodes_; }
  [[nodiscard]] const std::vector<Index>& offsets() const { return offsets_; }  ///< cell_count()+1 entries
  [[nodiscard]] const std::vector<MeshGroup>& groups() const { return groups_; }
  [[nodiscard]] const MeshGroup* group(std::string_view name) const;  ///< nullptr if there is none
  [[nodiscard]] int dimension() const;                                ///< highest dimension of any cell

  Index add_point(const Vec3& p);
  /// `nodes.size()` must be nodes_of(shape), each node a point that exists.
  Index add_cell(CellShape shape, std::span<const Index> nodes);
  Index add_cell(CellShape shape, std::initializer_list<Index> nodes) {
    return add_cell(shape, std::span<const Index>(nodes.begin(), nodes.size()));
  }
  /// The group of this name and dimension, made when there is none. The reference holds until the next call.
  MeshGroup& add_group(std::string name, int dimension, int tag = 0);
  void reserve(Index points, Index cells, Index nodes);
  std::vector<double>& mutable_points() { return points_; }
  std::vector<Index>& mutable_connectivity() { return nodes_; }

  /// A mesh from whole arrays, checked: sizes fit, every node is a point, every group's cells exist and have its dimension.
  [[nodiscard]] static Result<Mesh> from_arrays(std::vector<double> points, std::vector<CellShape> shapes,
                                                std::vector<Index> connectivity, std::vector<MeshGroup> groups = {});

  /// Lower and upper corner over all points; zeros for an empty mesh.
  [[nodiscard]] std::pair<Vec3, Vec3> bounds() const;
  /// The cells of one dimension only, unused points dropped, groups carried over.
  [[nodiscard]] Mesh extract(int dimension) const;
  /// The given cells only, in that order, unused points dropped, groups carried over (empty ones too).
  [[nodiscard]] Mesh extract(std::span<const Index> cells) const;

 private:
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> nodes_;
  std::vector<Index> offsets_{0};
  std::vector<MeshGroup> groups_;
};

/// The group of this name; the error lists the groups that the mesh has. `dimension` -1: any; `file` is for the message.
[[nodiscard]] Result<const MeshGroup*> require_group(const Mesh& mesh, std::string_view name, int dimension = -1,
                                                     const std::string& file = {});

/// "2 groups: 'inlet' (surface, 12 cells), 'body' (volume, 340 cells)", for messages.
[[nodiscard]] std::string list_groups(const Mesh& mesh);

/// The cells of the highest dimension in no group of that dimension, ascending.
[[nodiscard]] std::vector<Index> ungrouped_cells(const Mesh& mesh);

}  // namespace conoid
