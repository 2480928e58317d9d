// SPDX-License-Identifier: BSD-3-Clause
// conoid-probe FILE.vtu BYTES SECONDS: reads a VTU file with VTK and writes the mesh as binary MSH 4.1 to stdout.
//
// VTK's readers trust their files; so this small program takes the risk alone: BYTES limits its memory, SECONDS its processor
// time (SIGPROF ends it), and whoever started it looks at what comes out as at any other file. Messages go to stderr: lines
// "note: …" say what was left out or cut, a line "hint: …" what to do, the last line what was wrong.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
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
#include "engine/mesh/readers/vtk_cells.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace {

using namespace conoid;

constexpr rlim_t most_seconds = 1200;

[[noreturn]] void refuse(ErrorCode code, const std::string& text, const std::string& hint = {}) {
  std::cout.flush();
  if (!hint.empty()) std::cerr << "hint: " << hint << std::endl;
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

vtkDataArray* cell_array(vtkUnstructuredGrid& grid, const char* name) {
  vtkDataArray* array = grid.GetCellData()->GetArray(name);
  return array && array->GetNumberOfComponents() == 1 && array->GetNumberOfTuples() == grid.GetNumberOfCells()
             ? array
             : nullptr;
}

Mesh taken(vtkUnstructuredGrid& grid) {
  if (!grid.GetPoints() || grid.GetNumberOfCells() == 0)
    refuse(ErrorCode::invalid_input, "expected at least one cell, found none");
  std::vector<double> points;
  for (vtkIdType i = 0; i < grid.GetNumberOfPoints(); ++i) {
    std::array<double, 3> p{};
    grid.GetPoint(i, p.data());
    for (const double x : p)
      if (!(x - x == 0))
        refuse(ErrorCode::invalid_input, fmt::format("point {}: expected finite coordinates, found {}", i, x));
    points.insert(points.end(), p.begin(), p.end());
  }
  vtkDataArray* regions = nullptr;
  for (const std::string_view name : readers::group_array_names())
    if (!regions) regions = cell_array(grid, std::string(name).c_str());
  vtkDataArray* ghosts = cell_array(grid, "vtkGhostType");
  readers::VtkCells cells(std::move(points));
  vtkNew<vtkIdList> ids;
  std::vector<Index> nodes;
  for (vtkIdType c = 0; c < grid.GetNumberOfCells(); ++c) {
    if (ghosts && readers::VtkCells::is_ghost(static_cast<int>(ghosts->GetTuple1(c)))) {
      cells.leave_out();
      continue;
    }
    grid.GetCellPoints(c, ids);
    nodes.clear();
    for (vtkIdType k = 0; k < ids->GetNumberOfIds(); ++k) {
      const vtkIdType id = ids->GetId(k);
      if (id < 0 || id >= grid.GetNumberOfPoints())
        refuse(ErrorCode::invalid_input,
               fmt::format("cell {}: expected points from 0 to {}, found {}", c, grid.GetNumberOfPoints() - 1, id));
      nodes.push_back(id);
    }
    cells.add(grid.GetCellType(c), nodes);
    if (regions) cells.number_last(regions->GetTuple1(c));
  }
  ReadNotes notes;
  Mesh mesh = cells.finish(&notes);
  for (const std::string& text : notes.said) std::cerr << "note: " << text << std::endl;
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
    const Mesh mesh = taken(*reader->GetOutput());
    put(to_msh(mesh));
    std::_Exit(0);
  } catch (const std::bad_alloc&) {
    refuse(ErrorCode::resources, "the memory limit was reached");
  } catch (const Failure& failure) {
    refuse(failure.error().code, failure.error().text, failure.error().hint);
  } catch (const std::exception& error) {
    refuse(ErrorCode::invalid_input, error.what());
  }
}
