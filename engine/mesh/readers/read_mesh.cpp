// SPDX-License-Identifier: BSD-3-Clause
// Choice of the reader by content, then by ending.
#include "engine/mesh/readers/read_mesh.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/file_ending.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/core.h>

namespace conoid {
namespace {

std::string_view without_leading_space(std::string_view s) {
  if (s.starts_with("\xef\xbb\xbf")) s.remove_prefix(3);
  const auto first = s.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : s.substr(first);
}

/// The size of a binary STL follows from the count at byte 80.
bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < 84) return false;
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n |= std::uint64_t{static_cast<unsigned char>(bytes[80 + i])} << (8 * i);
  return bytes.size() == 84 + 50 * n;
}

/// The first line that is neither empty nor a comment, of those near the beginning.
std::string_view first_line_without(char comment, std::string_view bytes) {
  std::string_view head = bytes.substr(0, 1 << 16);
  while (!head.empty()) {
    const auto end = std::min(head.find('\n'), head.size());
    std::string_view line = without_leading_space(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (!line.empty() && line.front() != comment) return line;
  }
  return {};
}

bool looks_like_obj(std::string_view bytes) {
  const std::string_view line = first_line_without('#', bytes);
  for (const std::string_view key : {"v ", "vn ", "vt ", "o ", "g ", "mtllib ", "usemtl ", "s ", "f "})
    if (line.starts_with(key)) return true;
  return false;
}

/// Executive control, or a card of the bulk data.
bool looks_like_nastran(std::string_view bytes) {
  std::string line(first_line_without('$', bytes).substr(0, 16));
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string_view key : {"BEGIN BULK", "NASTRAN ", "SOL ", "CEND", "ID "})
    if (line.starts_with(key)) return true;
  const auto end = line.find_first_of(" ,*\t");
  if (end == std::string::npos) return false;
  const std::string_view name = std::string_view(line).substr(0, end);
  for (const std::string_view card : {"GRID", "GRDSET", "CTRIA3", "CTRIA6", "CQUAD4", "CQUAD8", "CTETRA", "CHEXA",
                                      "PSHELL", "PSOLID", "MAT1", "CORD2R", "PARAM"})
    if (name == card) return true;
  return false;
}

bool looks_like_abaqus(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1 << 16);
  for (std::size_t at = 0; at < head.size();) {
    const auto end = std::min(head.find('\n', at), head.size());
    std::string line(head.substr(at, std::min<std::size_t>(end - at, 16)));
    at = end + 1;
    if (line.starts_with("**")) continue;
    std::transform(line.begin(), line.end(), line.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const std::string_view key : {"*HEADING", "*NODE", "*PART", "*ELEMENT", "*INCLUDE", "*PREPRINT"})
      if (line.starts_with(key)) return true;
    if (!line.empty() && line.find_first_not_of(" \t\r") != std::string::npos) return false;
  }
  return false;
}

/// A line with -1 alone, then the number of a data set.
bool looks_like_unv(std::string_view bytes) {
  const std::string_view start = without_leading_space(bytes.substr(0, 200));
  if (!start.starts_with("-1")) return false;
  const auto end = start.find('\n');
  if (end == std::string_view::npos || start.substr(2, end - 2).find_first_not_of(" \t\r") != std::string_view::npos)
    return false;
  const std::string_view next = without_leading_space(start.substr(end + 1));
  return !next.empty() && next.front() >= '0' && next.front() <= '9';
}

bool looks_like_vtu(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  const auto at = head.find("<VTKFile");
  return at != std::string_view::npos && head.find("UnstructuredGrid", at) != std::string_view::npos;
}

}  // namespace

const std::vector<MeshFormatInfo>& mesh_formats() {
  static const std::vector<MeshFormatInfo> all{{MeshFormat::msh, "Gmsh MSH (2.2, 4.1)", {".msh"}},
                                               {MeshFormat::stl, "STL", {".stl"}},
                                               {MeshFormat::obj, "OBJ", {".obj"}},
                                               {MeshFormat::ply, "PLY", {".ply"}},
                                               {MeshFormat::nastran, "Nastran bulk data", {".bdf", ".nas"}},
                                               {MeshFormat::mfem, "MFEM (v1.0)", {".mesh"}},
                                               {MeshFormat::vtu, "VTU", {".vtu"}},
                                               {MeshFormat::vtk, "legacy VTK", {".vtk"}},
                                               {MeshFormat::abaqus, "Abaqus INP", {".inp"}},
                                               {MeshFormat::unv, "I-DEAS UNV", {".unv"}}};
  return all;
}

std::string_view readable_mesh_formats() {
  static const std::string text = [] {
    std::string out;
    for (const MeshFormatInfo& f : mesh_formats()) out += (out.empty() ? "" : ", ") + std::string(f.name);
    return out;
  }();
  return text;
}

Result<MeshFormat> recognise_mesh(std::string_view bytes, const std::filesystem::path& path) {
  const std::string_view start = without_leading_space(bytes.substr(0, 4096));
  const std::string ending = lower_case_ending(path);
  if (start.starts_with("$MeshFormat")) return MeshFormat::msh;
  if (start.starts_with("ply\n") || start.starts_with("ply\r") || start.starts_with("ply ")) return MeshFormat::ply;
  if (start.starts_with("MFEM ")) return MeshFormat::mfem;
  if (start.starts_with("# vtk DataFile")) return MeshFormat::vtk;
  if (looks_like_vtu(bytes)) return MeshFormat::vtu;
  if (is_binary_stl(bytes)) return MeshFormat::stl;
  if (start.starts_with("solid") && ending != ".obj") return MeshFormat::stl;
  for (const MeshFormatInfo& f : mesh_formats())
    if (f.format != MeshFormat::vtu && f.format != MeshFormat::mfem &&
        std::find(f.endings.begin(), f.endings.end(), ending) != f.endings.end())
      return f.format;
  if (start.starts_with("$Comments")) return MeshFormat::msh;
  if (looks_like_obj(bytes)) return MeshFormat::obj;
  if (looks_like_nastran(bytes)) return MeshFormat::nastran;
  if (looks_like_abaqus(bytes)) return MeshFormat::abaqus;
  if (looks_like_unv(bytes)) return MeshFormat::unv;
  Place place;
  place.file = path.string();
  if (ending == ".geo" || ending == ".step" || ending == ".stp")
    return make_error(ErrorCode::invalid_input, "this is a geometry, not a mesh",
                      "Mesh it first: `gmsh -2 FILE` or `gmsh -3 FILE` writes a .msh file.", place);
  return make_error(
      ErrorCode::invalid_input,
      bytes.empty()
          ? "expected a mesh, found an empty file"
          : fmt::format("expected a mesh in one of the formats {}, found something else", readable_mesh_formats()),
      "Convert the file to one of these formats, for example with Gmsh: `gmsh FILE -save -o out.msh`.", place);
}

Result<Mesh> read_mesh_bytes(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  const auto format = recognise_mesh(bytes, file);
  if (!format) return format.error();
  switch (*format) {
    case MeshFormat::msh: return read_msh(bytes, file, options);
    case MeshFormat::stl: return read_stl(bytes, file, options);
    case MeshFormat::obj: return read_obj(bytes, file, options);
    case MeshFormat::ply: return read_ply(bytes, file, options);
    case MeshFormat::nastran: return read_nastran(bytes, file, options);
    case MeshFormat::mfem: return read_mfem(bytes, file, options);
    case MeshFormat::vtu: return read_vtu(file, options);
    case MeshFormat::vtk: return read_vtk(bytes, file, options);
    case MeshFormat::abaqus: return read_abaqus(bytes, file, options);
    case MeshFormat::unv: return read_unv(bytes, file, options);
  }
  return make_error(ErrorCode::internal, "unknown mesh format");
}

Result<Mesh> read_mesh(const std::filesystem::path& path, const ReadOptions& options) {
  try {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(path, ignored);
    if (!ignored && size > options.memory_limit) {
      Place place;
      place.file = path.string();
      return make_error(ErrorCode::resources,
                        fmt::format("the file has {} bytes, the memory limit is {}", size, options.memory_limit),
                        "Raise the limit with --memory host=…, or use a coarser mesh.", place);
    }
    const auto bytes = read_file(path, options.memory_limit);
    if (!bytes) return bytes.error();
    return read_mesh_bytes(*bytes, path.string(), options);
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
