// SPDX-License-Identifier: BSD-3-Clause
// Unit, size, repair: in this order, each said.
#include "engine/mesh/prepare.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/geometry_extent.hpp"

#include <cmath>

#include <fmt/core.h>

namespace conoid {
namespace {

Diagnostic note(std::string text, const std::filesystem::path& file, Severity severity = Severity::note,
                std::string hint = {}) {
  Diagnostic d;
  d.severity = severity;
  d.text = std::move(text);
  d.hint = std::move(hint);
  d.place.file = file.string();
  return d;
}

bool is_solid_exchange(const std::filesystem::path& file) {
  const std::string e = lower_case_ending(file);
  return e == ".step" || e == ".stp" || e == ".iges" || e == ".igs";
}

/// Metres of the unit that the user named, or of the fallback; 0 for none.
Result<double> given_unit(const MeshRequest& request) {
  const std::string& unit = request.unit.empty() ? request.fallback : request.unit;
  if (unit.empty()) return 0.0;
  const bool length = unit.front() >= '0' && unit.front() <= '9';
  const auto scale = parse_quantity(length ? unit : "1 " + unit, "m");
  if (!scale || !(scale->value > 0))
    return make_error(ErrorCode::invalid_input, fmt::format("'{}' is no unit of length", unit),
                      "Use m, cm, mm, um, km, in or ft.");
  return scale->value;
}

/// Takes the file's unit where it states one, and says what differs.
Status settle_unit(const MeshRequest& request, double given, double stated, const std::string& name,
                   PreparedMesh& out) {
  if (stated > 0) {
    out.scale = stated;
    out.unit = name;
    out.unit_from_file = true;
    if (!request.unit.empty() && std::abs(given - stated) > 1e-6 * stated)
      out.notes.push_back(
          note(fmt::format("the file states its unit of length, {} ({:.6g} m), and is read in it; the unit given, {} "
                           "({:.6g} m), is not used",
                           name, stated, request.unit, given),
               request.file, Severity::warning,
               fmt::format("If the file is wrong, correct its size: scale {:.6g} (key mesh.scale, or --scale {:.6g}).",
                           given / stated, given / stated)));
    else
      out.notes.push_back(note(fmt::format("unit of length: {}, as the file states", name), request.file));
    return {};
  }
  if (given > 0) {
    out.scale = given;
    out.unit = request.unit.empty() ? request.fallback : request.unit;
    return {};
  }
  Place place;
  place.file = request.file.string();
  return make_error(
      ErrorCode::invalid_input,
      "the unit of the mesh file's coordinates is not given, the file states none, and it is never guessed",
      "Say it: \"unit\": \"mm\" (or m, cm, in, ft …) beside the file in the case; --unit mm on the command line.",
      place);
}

/// Unit and size of a geometry, for the call of gmsh and the reading of what it writes.
Status settle_geometry(const MeshRequest& request, double given, ReadOptions& read, GmshOptions& gmsh,
                       PreparedMesh& out) {
  double stated = 0, extent = 0;
  std::string name;
  if (is_solid_exchange(request.file)) {
    const auto bytes = read_file(request.file, request.memory_limit);
    if (!bytes) return bytes.error();
    stated = geometry_unit(*bytes, name);
    extent = geometry_extent(*bytes);
  }
  if (const Status s = settle_unit(request, given, stated, name, out); !s) return s;
  read.scale = stated > 0 ? 1e-3 : out.scale;  // gmsh's kernel hands over millimetres
  if (const double size = request.size + request.size_in_units * out.scale; size > 0) {
    gmsh.size = size / read.scale;
    // A solid says nothing of its elements: where it is curved they follow it, curved ones with half as many.
    if (lower_case_ending(request.file) != ".geo") {
      gmsh.numbers.try_emplace("Mesh.MeshSizeFromCurvature", gmsh.order > 1 ? elements_a_turn / 2 : elements_a_turn);
      gmsh.numbers.try_emplace("Mesh.MeshSizeMin", gmsh.size / elements_of_finest);
    }
  } else if (!(gmsh.size > 0) && lower_case_ending(request.file) != ".geo") {
    // gmsh takes a tenth of the diagonal of the box: straight bodies look right by that, round ones do not.
    gmsh.numbers.try_emplace("Mesh.MeshSizeFromCurvature", gmsh.order > 1 ? elements_a_turn / 2 : elements_a_turn);
    if (extent > 0)
      gmsh.numbers.try_emplace("Mesh.MeshSizeMin", extent * out.scale / read.scale / 10 / elements_of_finest);
    out.notes.push_back(
        note(fmt::format("no size of elements is given: a tenth of the extent is taken, and {} on a full turn where "
                         "the body is curved; a wave may need smaller ones",
                         gmsh.order > 1 ? elements_a_turn / 2 : elements_a_turn),
             request.file));
  }
  return {};
}

}  // namespace

Result<GmshOptions> geometry_options(const MeshRequest& request) {
  const auto given = given_unit(request);
  if (!given) return given.error();
  ReadOptions read;
  PreparedMesh unused;
  GmshOptions gmsh = request.gmsh;
  if (const Status s = settle_geometry(request, *given, read, gmsh, unused); !s) return s.error();
  return gmsh;
}

bool is_made(const MeshRequest& request) {
  if (!is_geometry(request.file)) return true;
  const auto options = geometry_options(request);
  return options && is_meshed(request.file, *options);
}

const std::vector<std::string_view>& geometry_endings() {
  static const std::vector<std::string_view> all{".geo", ".step", ".stp", ".brep", ".iges", ".igs"};
  return all;
}

std::string mesh_file_patterns(bool with_geometry) {
  std::string out;
  const auto add = [&](std::string_view ending) { out += (out.empty() ? "*" : " *") + std::string(ending); };
  for (const MeshFormatInfo& f : mesh_formats())
    for (const std::string_view ending : f.endings) add(ending);
  if (with_geometry)
    for (const std::string_view ending : geometry_endings()) add(ending);
  return out;
}

Result<PreparedMesh> prepare_mesh(const MeshRequest& request, std::stop_token stop) {
  try {
    PreparedMesh out;
    const auto given = given_unit(request);
    if (!given) return given.error();
    const bool geometry = is_geometry(request.file);
    ReadNotes said;
    ReadOptions read;
    read.memory_limit = request.memory_limit;
    read.notes = &said;
    read.scale = *given > 0 ? *given : 1;
    GmshOptions gmsh = request.gmsh;
    if (geometry)
      if (const Status s = settle_geometry(request, *given, read, gmsh, out); !s) return s.error();
    auto mesh = load_mesh(request.file, read, gmsh, stop);
    if (!mesh) return mesh.error();
    if (!geometry)
      if (const Status s = settle_unit(request, *given, said.unit, said.unit_name, out); !s) return s.error();
    for (std::string& text : said.said) out.notes.push_back(note(std::move(text), request.file));
    RepairReport report;
    RepairOptions repair = request.repair;
    repair.tolerance += request.tolerance_in_units * out.scale;
    for (std::size_t a = 0; a < 3; ++a) repair.translate[a] += request.translate_in_units[a] * out.scale;
    auto whole = repaired(*mesh, repair, &report);
    if (!whole) {
      Error error = whole.error();
      if (error.place.file.empty()) error.place.file = request.file.string();
      return error;
    }
    out.mesh = std::move(*whole);
    for (std::string& text : report.said) out.notes.push_back(note(std::move(text), request.file));
    if (const double size = request.size + request.size_in_units * out.scale; size > 0 && !geometry) {
      auto again = remeshed(out.mesh, size, stop);
      if (!again) return again.error();
      if (std::string differs = how_remeshed_differs(out.mesh, *again); !differs.empty())
        out.notes.push_back(note(std::move(differs), request.file, Severity::warning,
                                 "Give a smaller size of elements (mesh.size), so that they follow its shape."));
      out.mesh = std::move(*again);
    }
    return out;
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
