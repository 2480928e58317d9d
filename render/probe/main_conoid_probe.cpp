// SPDX-License-Identifier: BSD-3-Clause
// conoid-probe FILE.vtu BYTES SECONDS: reads a VTU file with VTK and writes the mesh as binary MSH 4.1 to stdout.
//
// VTK's readers trust their files; so this small program takes the risk alone: BYTES limits its memory, SECONDS its processor
// time (SIGPROF ends it), and whoever started it looks at what comes out as at any other file. Messages go to stderr, the last line
// says what was wrong.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <new>
#include <string>

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/core.h>

#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "engine/mesh/mesh.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace {

using namespace conoid;

constexpr rlim_t most_seconds = 1200;

[[noreturn]] void refuse(ErrorCode code, const std::string& text) {
  std::cout.flush();
  std::cerr << text << std::endl;
  // VTK's destructors may stumble over what a damaged file left behind.
  std::_Exit(static_cast<int>(code));
}

/// `memory` more bytes than the program holds already by its libraries.
void set_limits(rlim_t memory, double seconds) {
  const double whole = std::floor(std::clamp(seconds, 0.01, static_cast<double>(most_seconds)));
  const itimerval timer{
      {0, 0}, {static_cast<time_t>(whole), static_cast<suseconds_t>(1e6 * std::clamp(seconds - whole, 0.001, 0.999))}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t total = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + memory;
  const std::array<std::pair<decltype(RLIMIT_AS), rlim_t>, 3> limits{
      {{RLIMIT_AS, total}, {RLIMIT_CPU, most_seconds}, {RLIMIT_CORE, 0}}};
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

/// VTK's numbers of the shapes that Mesh has are Mesh's own; two axis-aligned shapes only order their corners otherwise.
CellShape shape_of(int type, vtkIdType cell) {
  constexpr int pixel = 8;
  constexpr int voxel = 11;
  if (type == pixel) return CellShape::quad4;
  if (type == voxel) return CellShape::hex8;
  const auto shape = static_cast<CellShape>(type);
  if (type <= 0 || type > 29 || nodes_of(shape) == 0)
    refuse(
        ErrorCode::invalid_input,
        fmt::format(
            "expected vertices, lines, triangles, quads, tets or hexes of order 1 or 2, found cell {} of VTK's type {}",
            cell, type));
  return shape;
}

Mesh convert(vtkUnstructuredGrid& grid) {
  if (!grid.GetPoints() || grid.GetNumberOfCells() == 0)
    refuse(ErrorCode::invalid_input, "expected at least one cell, found none");
  Mesh mesh;
  const vtkIdType points = grid.GetNumberOfPoints();
  for (vtkIdType i = 0; i < points; ++i) {
    std::array<double, 3> p{};
    grid.GetPoint(i, p.data());
    for (const double x : p)
      if (!(x - x == 0))
        refuse(ErrorCode::invalid_input, fmt::format("point {}: expected finite coordinates, found {}", i, x));
    mesh.add_point(p);
  }
  vtkDataArray* numbers = group_numbers(grid);
  std::map<std::pair<int, int>, std::vector<Index>> groups;
  vtkNew<vtkIdList> ids;
  std::vector<Index> nodes;
  for (vtkIdType c = 0; c < grid.GetNumberOfCells(); ++c) {
    const int type = grid.GetCellType(c);
    const CellShape shape = shape_of(type, c);
    grid.GetCellPoints(c, ids);
    if (ids->GetNumberOfIds() != nodes_of(shape))
      refuse(ErrorCode::invalid_input, fmt::format("cell {}: expected {} nodes for a {}, found {}", c, nodes_of(shape),
                                                   name_of(shape), ids->GetNumberOfIds()));
    nodes.clear();
    for (vtkIdType k = 0; k < ids->GetNumberOfIds(); ++k) {
      const vtkIdType id = ids->GetId(k);
      if (id < 0 || id >= points)
        refuse(ErrorCode::invalid_input,
               fmt::format("cell {}: expected points from 0 to {}, found {}", c, points - 1, id));
      nodes.push_back(id);
    }
    if (type == 8 || type == 11) {
      std::swap(nodes[2], nodes[3]);
      if (type == 11) std::swap(nodes[6], nodes[7]);
    }
    const Index cell = mesh.add_cell(shape, nodes);
    if (numbers) {
      const double number = numbers->GetTuple1(c);
      if (number > -1e9 && number < 1e9) groups[{dimension_of(shape), static_cast<int>(number)}].push_back(cell);
    }
  }
  for (auto& [key, cells] : groups)
    mesh.add_group(std::to_string(key.second), key.first, std::max(0, key.second)).cells = std::move(cells);
  return mesh;
}

void put(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (n <= 0) refuse(ErrorCode::file, "cannot hand over the mesh");
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) refuse(ErrorCode::command_line, "usage: conoid-probe FILE.vtu BYTES SECONDS");
  try {
    set_limits(std::strtoull(words[2], nullptr, 10), std::strtod(words[3], nullptr));
    vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName(words[1]);
    if (!reader->CanReadFile(words[1]))
      refuse(ErrorCode::invalid_input, "expected a VTU file (an unstructured grid), found something else");
    reader->Update();
    if (reader->GetErrorCode() != 0) refuse(ErrorCode::invalid_input, "VTK cannot read this file");
    const Mesh mesh = convert(*reader->GetOutput());
    put(to_msh(mesh));
    std::_Exit(0);
  } catch (const std::bad_alloc&) {
    refuse(ErrorCode::resources, "the memory limit was reached");
  } catch (const std::exception& error) {
    refuse(ErrorCode::invalid_input, error.what());
  }
}
