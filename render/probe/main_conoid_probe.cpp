// SPDX-License-Identifier: BSD-3-Clause
// conoid-probe FILE.vtu BYTES: reads a VTU file with VTK and writes the mesh as binary MSH 4.1 to stdout.
//
// VTK's readers trust their files; so this small program takes the risk alone: BYTES limits its memory, its processor time
// is limited, and whoever started it looks at what comes out as at any other file. Messages go to stderr: lines "note: …" say what
// was left out or cut, a line "hint: …" what to do, the last line what was wrong.
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <new>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/core.h>

#include <vtkCellData.h>
#include <vtkCellTypes.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "engine/mesh/mesh.hpp"
#include "engine/mesh/polygon.hpp"
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace {

using namespace conoid;

constexpr rlim_t processor_seconds = 120;

[[noreturn]] void refuse(ErrorCode code, const std::string& text, const std::string& hint = {}) {
  std::cout.flush();
  if (!hint.empty()) std::cerr << "hint: " << hint << std::endl;
  std::cerr << text << std::endl;
  // VTK's destructors may stumble over what a damaged file left behind.
  std::_Exit(static_cast<int>(code));
}

/// `memory` more bytes than the program holds already by its libraries.
void set_limits(rlim_t memory) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t total = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + memory;
  const std::array<std::pair<decltype(RLIMIT_AS), rlim_t>, 3> limits{
      {{RLIMIT_AS, total}, {RLIMIT_CPU, processor_seconds}, {RLIMIT_CORE, 0}}};
  for (const auto& [what, value] : limits) {
    const rlimit limit{value, value};
    ::setrlimit(what, &limit);
  }
}

/// Cell arrays that meshing programs use for the number of a region or of a boundary.
vtkDataArray* group_numbers(vtkUnstructuredGrid& grid) {
  for (const char* name : {"attribute", "material", "gmsh:physical", "MaterialIds", "CellEntityIds", "medit:ref",
                           "cell_tags", "RegionId", "group"}) {
    vtkDataArray* array = grid.GetCellData()->GetArray(name);
    if (array && array->GetNumberOfComponents() == 1 && array->GetNumberOfTuples() == grid.GetNumberOfCells())
      return array;
  }
  return nullptr;
}

constexpr std::string_view resave =
    "Save the mesh with cells of order 1 or 2, for example by the filter Tessellate of ParaView, or as .msh.";

/// VTK's name of a type of cell, for messages.
std::string type_name(int type) {
  const char* name = vtkCellTypes::GetClassNameFromTypeId(type);
  return name != nullptr && std::string_view(name) != "UnknownClass" ? std::string(name).substr(3)
                                                                     : fmt::format("of VTK's type {}", type);
}

/// The shape of a Lagrange cell by its number of nodes; cells of order 1 and 2 have the nodes of the cells that Mesh has.
CellShape lagrange_shape(int type, vtkIdType nodes, vtkIdType cell) {
  struct Row {
    int type;
    vtkIdType nodes;
    CellShape shape;
  };
  constexpr Row rows[] = {{68, 2, CellShape::line2},     {68, 3, CellShape::line3},  {69, 3, CellShape::triangle3},
                          {69, 6, CellShape::triangle6}, {70, 4, CellShape::quad4},  {70, 9, CellShape::quad9},
                          {71, 4, CellShape::tet4},      {71, 10, CellShape::tet10}, {72, 8, CellShape::hex8},
                          {72, 27, CellShape::hex27},    {73, 6, readers::prism6},   {73, 18, readers::prism6},
                          {74, 5, readers::pyramid5},    {74, 14, readers::pyramid5}};
  for (const Row& row : rows)
    if (row.type == type && row.nodes == nodes) return row.shape;
  refuse(ErrorCode::invalid_input,
         fmt::format("expected cells of order 1 or 2, found cell {}, a {} with {} nodes", cell, type_name(type), nodes),
         std::string(resave));
}

/// What is read of the grid, cell by cell, before it becomes a Mesh.
class Taker {
 public:
  explicit Taker(vtkUnstructuredGrid& grid) : grid_(grid) {}

  Mesh take() {
    points();
    vtkDataArray* numbers = group_numbers(grid_);
    vtkDataArray* ghosts = grid_.GetCellData()->GetArray("vtkGhostType");
    if (ghosts && (ghosts->GetNumberOfComponents() != 1 || ghosts->GetNumberOfTuples() != grid_.GetNumberOfCells()))
      ghosts = nullptr;
    // vtkDataSetAttributes: a copy of another partition's cell, one that finer cells replace, one that is hidden.
    constexpr int left_out = 1 | 8 | 32;
    for (vtkIdType c = 0; c < grid_.GetNumberOfCells(); ++c) {
      if (ghosts && (static_cast<int>(ghosts->GetTuple1(c)) & left_out) != 0) {
        ++ghost_cells_;
        continue;
      }
      const std::size_t first = shapes_.size();
      cell(c);
      if (!numbers) continue;
      const double number = numbers->GetTuple1(c);
      if (!(number > -1e9 && number < 1e9)) continue;
      for (std::size_t k = first; k < shapes_.size(); ++k)
        groups_[{readers::cell_dimension(shapes_[k]), static_cast<int>(number)}].push_back(static_cast<Index>(k));
    }
    return finished();
  }

 private:
  void points() {
    if (!grid_.GetPoints() || grid_.GetNumberOfCells() == 0)
      refuse(ErrorCode::invalid_input, "expected at least one cell, found none");
    for (vtkIdType i = 0; i < grid_.GetNumberOfPoints(); ++i) {
      std::array<double, 3> p{};
      grid_.GetPoint(i, p.data());
      for (const double x : p)
        if (!(x - x == 0))
          refuse(ErrorCode::invalid_input, fmt::format("point {}: expected finite coordinates, found {}", i, x));
      points_.insert(points_.end(), p.begin(), p.end());
    }
  }

  void add(CellShape shape, const std::vector<Index>& nodes) {
    shapes_.push_back(shape);
    connectivity_.insert(connectivity_.end(), nodes.begin(), nodes.begin() + readers::cell_nodes(shape));
  }
  [[nodiscard]] Vec3 place(Index i) const {
    const auto k = static_cast<std::size_t>(3 * i);
    return {points_[k], points_[k + 1], points_[k + 2]};
  }

  void nodes_of_cell(vtkIdType c) {
    grid_.GetCellPoints(c, ids_);
    nodes_.clear();
    for (vtkIdType k = 0; k < ids_->GetNumberOfIds(); ++k) {
      const vtkIdType id = ids_->GetId(k);
      if (id < 0 || id >= grid_.GetNumberOfPoints())
        refuse(ErrorCode::invalid_input,
               fmt::format("cell {}: expected points from 0 to {}, found {}", c, grid_.GetNumberOfPoints() - 1, id));
      nodes_.push_back(id);
    }
  }

  void expect_nodes(vtkIdType c, std::size_t wanted, std::string_view name) const {
    if (nodes_.size() != wanted)
      refuse(ErrorCode::invalid_input,
             fmt::format("cell {}: expected {} nodes for a {}, found {}", c, wanted, name, nodes_.size()));
  }

  /// VTK's numbers of the shapes that Mesh has are Mesh's own; others are ordered otherwise, cut, or told apart by their nodes.
  void cell(vtkIdType c) {
    constexpr int poly_vertex = 2, poly_line = 4, strip = 6, polygon = 7, pixel = 8, voxel = 11, wedge = 13,
                  pyramid = 14, wedge15 = 26, pyramid13 = 27, wedge18 = 32, triangle7 = 34, lagrange_first = 68,
                  lagrange_last = 74;
    const int type = grid_.GetCellType(c);
    nodes_of_cell(c);
    if (type == poly_vertex || type == poly_line || type == strip || type == polygon)
      return many(c, type == poly_vertex, type == poly_line, type == strip);
    if (type == pixel || type == voxel) {
      const CellShape shape = type == pixel ? CellShape::quad4 : CellShape::hex8;
      expect_nodes(c, static_cast<std::size_t>(nodes_of(shape)), name_of(shape));
      std::swap(nodes_[2], nodes_[3]);
      if (type == voxel) std::swap(nodes_[6], nodes_[7]);
      return add(shape, nodes_);
    }
    if (type == wedge || type == wedge15 || type == wedge18 || type == pyramid || type == pyramid13) {
      expect_nodes(c,
                   type == wedge     ? 6
                   : type == wedge15 ? 15
                   : type == wedge18 ? 18
                   : type == pyramid ? 5
                                     : 13,
                   type_name(type));
      straightened_ += type == wedge || type == pyramid ? 0 : 1;
      return add(type == pyramid || type == pyramid13 ? readers::pyramid5 : readers::prism6, nodes_);
    }
    if (type == triangle7) {
      expect_nodes(c, 7, type_name(type));
      return add(CellShape::triangle6, nodes_);
    }
    if (type >= lagrange_first && type <= lagrange_last) {
      const CellShape shape = lagrange_shape(type, static_cast<vtkIdType>(nodes_.size()), c);
      if (static_cast<int>(nodes_.size()) > readers::cell_nodes(shape)) ++straightened_;
      if (shape == CellShape::hex27) upright_edges();
      return add(shape, nodes_);
    }
    const auto shape = static_cast<CellShape>(type);
    if (type <= 0 || type > 29 || nodes_of(shape) == 0)
      refuse(ErrorCode::invalid_input,
             fmt::format("expected vertices, lines, triangles, quads, polygons, tets, hexes, prisms or pyramids of "
                         "order 1 or 2, found "
                         "cell {}, a {}",
                         c, type_name(type)),
             std::string(resave));
    expect_nodes(c, static_cast<std::size_t>(nodes_of(shape)), name_of(shape));
    add(shape, nodes_);
  }

  /// Before version 2.2 of the format the last two upright edges of a Lagrange hexahedron were listed the other way round.
  void upright_edges() {
    const auto off = [&](std::size_t middle, std::size_t a, std::size_t b) {
      const Vec3 m = place(nodes_[middle]), p = place(nodes_[a]), q = place(nodes_[b]);
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += (2 * m[k] - p[k] - q[k]) * (2 * m[k] - p[k] - q[k]);
      return sum;
    };
    if (off(18, 3, 7) + off(19, 2, 6) < 0.25 * (off(18, 2, 6) + off(19, 3, 7))) std::swap(nodes_[18], nodes_[19]);
  }

  void many(vtkIdType c, bool vertices, bool lines, bool strip) {
    const std::vector<Index> all = nodes_;
    if (vertices) {
      for (const Index i : all) add(CellShape::vertex, {i});
      return;
    }
    if (all.size() < (lines ? 2u : 3u))
      refuse(ErrorCode::invalid_input,
             fmt::format("cell {}: expected at least {} nodes, found {}", c, lines ? 2 : 3, all.size()));
    if (lines) {
      for (std::size_t k = 0; k + 1 < all.size(); ++k) add(CellShape::line2, {all[k], all[k + 1]});
      return;
    }
    if (strip) {
      for (std::size_t k = 0; k + 2 < all.size(); ++k)
        add(CellShape::triangle3, k % 2 == 0 ? std::vector<Index>{all[k], all[k + 1], all[k + 2]}
                                             : std::vector<Index>{all[k + 1], all[k], all[k + 2]});
      return;
    }
    std::vector<Vec3> corners;
    for (const Index i : all) corners.push_back(place(i));
    if (all.size() == 3) return add(CellShape::triangle3, all);
    if (all.size() == 4 && is_convex(corners)) return add(CellShape::quad4, all);
    ++polygons_;
    for (const auto& t : triangulate(corners))
      add(CellShape::triangle3, {all[static_cast<std::size_t>(t[0])], all[static_cast<std::size_t>(t[1])],
                                 all[static_cast<std::size_t>(t[2])]});
  }

  Mesh finished() {
    if (shapes_.empty()) refuse(ErrorCode::invalid_input, "expected at least one cell, found none but ghosts");
    std::vector<MeshGroup> groups;
    for (auto& [key, cells] : groups_)
      groups.push_back({std::to_string(key.second), key.first, std::max(0, key.second), std::move(cells)});
    ReadNotes notes;
    readers::cut_mixed_cells(points_, shapes_, connectivity_, groups, &notes);
    if (ghost_cells_ > 0)
      notes.said.push_back(fmt::format("{} of {} cells are ghosts (vtkGhostType) and were left out", ghost_cells_,
                                       grid_.GetNumberOfCells()));
    if (polygons_ > 0) notes.said.push_back(fmt::format("{} polygons were cut into triangles", polygons_));
    if (straightened_ > 0)
      notes.said.push_back(
          fmt::format("{} prisms and pyramids of order 2 were taken straight, by their corners", straightened_));
    for (const std::string& text : notes.said) std::cerr << "note: " << text << std::endl;
    readers::drop_unused_points(points_, connectivity_);
    auto mesh = Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups));
    if (!mesh) refuse(mesh.error().code, mesh.error().text);
    return std::move(*mesh);
  }

  vtkUnstructuredGrid& grid_;
  vtkNew<vtkIdList> ids_;
  std::vector<Index> nodes_;
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;
  std::map<std::pair<int, int>, std::vector<Index>> groups_;
  vtkIdType ghost_cells_ = 0, polygons_ = 0, straightened_ = 0;
};

void put(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (n <= 0) refuse(ErrorCode::file, "cannot hand over the mesh");
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) refuse(ErrorCode::command_line, "usage: conoid-probe FILE.vtu BYTES");
  try {
    set_limits(std::strtoull(words[2], nullptr, 10));
    vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName(words[1]);
    if (!reader->CanReadFile(words[1]))
      refuse(ErrorCode::invalid_input, "expected a VTU file (an unstructured grid), found something else");
    reader->Update();
    if (reader->GetErrorCode() != 0) refuse(ErrorCode::invalid_input, "VTK cannot read this file");
    const Mesh mesh = Taker(*reader->GetOutput()).take();
    put(to_msh(mesh));
    std::_Exit(0);
  } catch (const std::bad_alloc&) {
    refuse(ErrorCode::resources, "the memory limit was reached");
  } catch (const std::exception& error) {
    refuse(ErrorCode::invalid_input, error.what());
  }
}
