// SPDX-License-Identifier: BSD-3-Clause
// VTK's cells.
#include "engine/mesh/readers/vtk_cells.hpp"

#include "engine/mesh/polygon.hpp"
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace conoid::readers {
namespace {

enum VtkType : int {
  poly_vertex = 2,
  poly_line = 4,
  strip = 6,
  polygon_cell = 7,
  pixel = 8,
  voxel = 11,
  wedge = 13,
  pyramid = 14,
  wedge15 = 26,
  pyramid13 = 27,
  wedge18 = 32,
  triangle7 = 34,
  lagrange_first = 68,
  lagrange_last = 74
};

struct TypeName {
  int type;
  std::string_view name;
};
constexpr std::array<TypeName, 38> type_names{{{1, "vertex"},
                                               {2, "poly-vertex"},
                                               {3, "line"},
                                               {4, "poly-line"},
                                               {5, "triangle"},
                                               {6, "triangle strip"},
                                               {7, "polygon"},
                                               {8, "pixel"},
                                               {9, "quad"},
                                               {10, "tetrahedron"},
                                               {11, "voxel"},
                                               {12, "hexahedron"},
                                               {13, "wedge"},
                                               {14, "pyramid"},
                                               {15, "pentagonal prism"},
                                               {16, "hexagonal prism"},
                                               {26, "quadratic wedge"},
                                               {27, "quadratic pyramid"},
                                               {30, "quadratic-linear quad"},
                                               {31, "quadratic-linear wedge"},
                                               {32, "biquadratic-quadratic wedge"},
                                               {33, "biquadratic-quadratic hexahedron"},
                                               {34, "biquadratic triangle"},
                                               {35, "cubic line"},
                                               {36, "quadratic polygon"},
                                               {37, "triquadratic pyramid"},
                                               {42, "polyhedron"},
                                               {68, "Lagrange curve"},
                                               {69, "Lagrange triangle"},
                                               {70, "Lagrange quadrilateral"},
                                               {71, "Lagrange tetrahedron"},
                                               {72, "Lagrange hexahedron"},
                                               {73, "Lagrange wedge"},
                                               {74, "Lagrange pyramid"},
                                               {75, "Bezier curve"},
                                               {77, "Bezier quadrilateral"},
                                               {78, "Bezier tetrahedron"},
                                               {79, "Bezier hexahedron"}}};

constexpr std::string_view resave =
    "Save the mesh with cells of order 1 or 2 (in ParaView: the filter Tessellate), or as .msh.";

}  // namespace

std::span<const std::string_view> group_array_names() {
  static constexpr std::array<std::string_view, 9> names{"attribute",   "material",      "gmsh:physical",
                                                         "MaterialIds", "CellEntityIds", "medit:ref",
                                                         "cell_tags",   "RegionId",      "group"};
  return names;
}

std::string vtk_type_name(int type) {
  for (const TypeName& t : type_names)
    if (t.type == type) return std::string(t.name);
  return fmt::format("of VTK's type {}", type);
}

void VtkCells::refuse(const std::string& text, std::string hint) const {
  throw Failure(
      make_error(ErrorCode::invalid_input, text,
                 hint.empty() ? "The file is damaged or was cut off; save or copy it again." : std::move(hint)));
}

void VtkCells::expect(std::size_t wanted, std::size_t found, const std::string& name) const {
  if (wanted != found)
    refuse(fmt::format("cell {}: expected {} nodes for a {}, found {}", cells_ - 1, wanted, name, found));
}

void VtkCells::take(CellShape shape, std::span<const Index> nodes) {
  shapes_.push_back(shape);
  connectivity_.insert(connectivity_.end(), nodes.begin(), nodes.begin() + cell_nodes(shape));
}

void VtkCells::add(int type, std::span<const Index> nodes) {
  ++cells_;
  last_ = shapes_.size();
  if (type == poly_vertex || type == poly_line || type == strip) return chain(type, nodes);
  if (type == polygon_cell) return polygon(nodes);
  if (type == pixel || type == voxel) {
    const CellShape shape = type == pixel ? CellShape::quad4 : CellShape::hex8;
    expect(static_cast<std::size_t>(nodes_of(shape)), nodes.size(), vtk_type_name(type));
    std::array<Index, 8> turned{};
    std::copy(nodes.begin(), nodes.end(), turned.begin());
    std::swap(turned[2], turned[3]);
    std::swap(turned[6], turned[7]);
    return take(shape, turned);
  }
  if (type == wedge || type == wedge15 || type == wedge18 || type == pyramid || type == pyramid13) {
    expect(type == wedge     ? 6
           : type == wedge15 ? 15
           : type == wedge18 ? 18
           : type == pyramid ? 5
                             : 13,
           nodes.size(), vtk_type_name(type));
    straightened_ += type == wedge || type == pyramid ? 0 : 1;
    return take(type == pyramid || type == pyramid13 ? pyramid5 : prism6, nodes);
  }
  if (type == triangle7) {
    expect(7, nodes.size(), vtk_type_name(type));
    return take(CellShape::triangle6, nodes);
  }
  if (type >= lagrange_first && type <= lagrange_last) return lagrange(type, nodes);
  const auto shape = static_cast<CellShape>(type);
  if (type <= 0 || type > 29 || nodes_of(shape) == 0)
    refuse(fmt::format("expected vertices, lines, triangles, quads, polygons, tets, hexes, prisms or pyramids of order "
                       "1 or 2, found cell {}, "
                       "a {}",
                       cells_ - 1, vtk_type_name(type)),
           std::string(resave));
  expect(static_cast<std::size_t>(nodes_of(shape)), nodes.size(), std::string(name_of(shape)));
  take(shape, nodes);
}

/// Cells of order 1 and 2 have the nodes of the cells that Mesh has.
void VtkCells::lagrange(int type, std::span<const Index> nodes) {
  struct Row {
    int type;
    std::size_t nodes;
    CellShape shape;
  };
  constexpr Row rows[] = {{68, 2, CellShape::line2},
                          {68, 3, CellShape::line3},
                          {69, 3, CellShape::triangle3},
                          {69, 6, CellShape::triangle6},
                          {70, 4, CellShape::quad4},
                          {70, 9, CellShape::quad9},
                          {71, 4, CellShape::tet4},
                          {71, 10, CellShape::tet10},
                          {72, 8, CellShape::hex8},
                          {72, 27, CellShape::hex27},
                          {73, 6, prism6},
                          {73, 18, prism6},
                          {74, 5, pyramid5},
                          {74, 14, pyramid5}};
  for (const Row& row : rows) {
    if (row.type != type || row.nodes != nodes.size()) continue;
    if (static_cast<int>(nodes.size()) > cell_nodes(row.shape)) ++straightened_;
    if (row.shape != CellShape::hex27) return take(row.shape, nodes);
    // Before version 2.2 of the format the last two upright edges were listed the other way round.
    std::array<Index, 27> hex{};
    std::copy(nodes.begin(), nodes.end(), hex.begin());
    const auto off = [&](std::size_t middle, std::size_t a, std::size_t b) {
      const Vec3 m = place(hex[middle]), p = place(hex[a]), q = place(hex[b]);
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += (2 * m[k] - p[k] - q[k]) * (2 * m[k] - p[k] - q[k]);
      return sum;
    };
    if (off(18, 3, 7) + off(19, 2, 6) < 0.25 * (off(18, 2, 6) + off(19, 3, 7))) std::swap(hex[18], hex[19]);
    return take(row.shape, hex);
  }
  refuse(fmt::format("expected cells of order 1 or 2, found cell {}, a {} with {} nodes", cells_ - 1,
                     vtk_type_name(type), nodes.size()),
         std::string(resave));
}

void VtkCells::chain(int type, std::span<const Index> nodes) {
  const std::size_t least = type == poly_vertex ? 1 : type == poly_line ? 2 : 3;
  if (nodes.size() < least)
    refuse(fmt::format("cell {}: expected at least {} nodes for a {}, found {}", cells_ - 1, least, vtk_type_name(type),
                       nodes.size()));
  for (std::size_t k = 0; k + least <= nodes.size(); ++k) {
    if (type == poly_vertex)
      take(CellShape::vertex, {nodes[k]});
    else if (type == poly_line)
      take(CellShape::line2, {nodes[k], nodes[k + 1]});
    else if (k % 2 == 0)
      take(CellShape::triangle3, {nodes[k], nodes[k + 1], nodes[k + 2]});
    else
      take(CellShape::triangle3, {nodes[k + 1], nodes[k], nodes[k + 2]});
  }
}

void VtkCells::polygon(std::span<const Index> nodes) {
  if (nodes.size() < 3)
    refuse(fmt::format("cell {}: expected at least 3 nodes for a polygon, found {}", cells_ - 1, nodes.size()));
  std::vector<Vec3> corners;
  for (const Index i : nodes) corners.push_back(place(i));
  if (nodes.size() == 3) return take(CellShape::triangle3, nodes);
  if (nodes.size() == 4 && is_convex(corners)) return take(CellShape::quad4, nodes);
  ++polygons_;
  for (const auto& t : triangulate(corners))
    take(CellShape::triangle3, {nodes[static_cast<std::size_t>(t[0])], nodes[static_cast<std::size_t>(t[1])],
                                nodes[static_cast<std::size_t>(t[2])]});
}

void VtkCells::number_last(double region) {
  if (!(region > -1e9 && region < 1e9)) return;
  for (std::size_t k = last_; k < shapes_.size(); ++k)
    groups_[{cell_dimension(shapes_[k]), static_cast<int>(region)}].push_back(static_cast<Index>(k));
}

Mesh VtkCells::finish(ReadNotes* notes, bool keep_unused_points) {
  if (shapes_.empty())
    refuse(ghosts_ > 0 ? "expected at least one cell, found none but ghosts"
                       : "expected at least one cell, found none");
  std::vector<MeshGroup> groups;
  for (auto& [key, cells] : groups_)
    groups.push_back({std::to_string(key.second), key.first, std::max(0, key.second), std::move(cells)});
  ReadNotes own;
  ReadNotes& said = notes != nullptr ? *notes : own;
  cut_mixed_cells(points_, shapes_, connectivity_, groups, &said);
  if (ghosts_ > 0)
    said.said.push_back(fmt::format("{} of {} cells are ghosts (vtkGhostType) and were left out", ghosts_, cells_));
  if (polygons_ > 0) said.said.push_back(fmt::format("{} polygons were cut into triangles", polygons_));
  if (straightened_ > 0)
    said.said.push_back(
        fmt::format("{} prisms and pyramids of order 2 were taken straight, by their corners", straightened_));
  if (!keep_unused_points) drop_unused_points(points_, connectivity_);
  auto mesh = Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups));
  if (!mesh) throw Failure(mesh.error());
  return std::move(*mesh);
}

}  // namespace conoid::readers
