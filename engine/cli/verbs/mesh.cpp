// SPDX-License-Identifier: BSD-3-Clause
// conoid mesh FILE: what a mesh holds, how good it is, and conversion between formats.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "engine/cli/signals.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/bodies.hpp"
#include "engine/mesh/describe.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/mesh/refine.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* absent = "\x01";  // what no one types

struct MeshVerbOptions {
  std::string file, unit, convert;
  std::vector<std::string> make;
  bool text = false, refine = false, trust = false;
  std::string size, group, at;
  double angle = 40;
  std::string merge = absent, orient = absent;
  bool fill_holes = false, flip = false;
  double scale = 1;
  std::string rotate, translate;
};

Error wrong_option(const char* option, std::string_view expected, std::string_view found, std::string hint) {
  return make_error(ErrorCode::command_line, fmt::format("{}: expected {}, found '{}'", option, expected, found),
                    std::move(hint));
}

/// A length as typed: in metres where it has a unit, else in units of the file.
struct TypedLength {
  double metres = 0, units = 0;
};

Result<TypedLength> typed_length(const char* option, const std::string& text, bool may_be_negative) {
  const auto read = parse_quantity(text, "m");
  if (!read || (!may_be_negative && !(read->value > 0)))
    return wrong_option(option, may_be_negative ? "a length" : "a length above 0", text,
                        "A number in units of the file, or with a unit of its own: 20, \"0.6 m\", 5mm.");
  return read->typed.empty() ? TypedLength{0, read->value} : TypedLength{read->value, 0};
}

/// The three parts of "x,y,z".
Result<std::array<std::string, 3>> three_parts(const char* option, const std::string& text, const char* example) {
  std::array<std::string, 3> out;
  std::size_t begin = 0, found = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (found < 3) out[found] = text.substr(begin, end - begin);
    ++found;
    begin = end + 1;
  }
  if (found != 3)
    return wrong_option(option, "three values x,y,z", text, fmt::format("For example {} {}", option, example));
  return out;
}

Result<Vec3> place_of(const std::string& text, double scale) {
  const auto parts = three_parts("--at", text, "0,0,1.5");
  if (!parts) return parts.error();
  Vec3 out{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto length = typed_length("--at", (*parts)[k], true);
    if (!length) return length.error();
    out[k] = length->metres + length->units * scale;
  }
  return out;
}

Status read_placing(const MeshVerbOptions& options, MeshRequest& request) {
  request.repair.scale = options.scale;
  if (!options.rotate.empty()) {
    const auto parts = three_parts("--rotate", options.rotate, "0,0,90deg");
    if (!parts) return parts.error();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto angle = parse_quantity((*parts)[k], "rad");
      if (!angle || (angle->typed.empty() && angle->value != 0))
        return wrong_option("--rotate", "angles with their unit", (*parts)[k], "For example --rotate 0,0,90deg");
      request.repair.rotate[k] = angle->value;
    }
  }
  if (!options.translate.empty()) {
    const auto parts = three_parts("--translate", options.translate, "0,0,1.5m");
    if (!parts) return parts.error();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto length = typed_length("--translate", (*parts)[k], true);
      if (!length) return length.error();
      request.repair.translate[k] = length->metres;
      request.translate_in_units[k] = length->units;
    }
  }
  return {};
}

Result<MeshRequest> request_of(const MeshVerbOptions& options) {
  MeshRequest request;
  request.file = options.file;
  request.unit = options.unit;
  request.fallback = "m";
  if (options.make.empty() == options.file.empty())
    return make_error(ErrorCode::command_line, "expected either a mesh file or --make",
                      "conoid mesh FILE, or conoid mesh --make \"sphere radius=1m\"");
  if (!options.unit.empty() && !parse_quantity("1 " + options.unit, "m"))
    return wrong_option("--unit", "a unit of length", options.unit, "Use m, cm, mm, um, km, in or ft.");
  if (!options.size.empty()) {
    const auto size = typed_length("--size", options.size, false);
    if (!size) return size.error();
    request.size = size->metres;
    request.size_in_units = size->units;
  }
  if (!options.make.empty()) {
    std::vector<SimpleBody> bodies;
    for (const std::string& words : options.make) {
      auto body = body_from_words(words);
      if (!body) return body.error();
      bodies.push_back(std::move(*body));
    }
    request.size += std::exchange(request.size_in_units, 0);  // of what is typed in metres, whatever the script's unit
    const auto script = bodies_script(bodies, request.size);
    if (!script) return script.error();
    const auto kept = keep_script(script->text);
    if (!kept) return kept.error();
    request.unit = script->unit;
    request.file = *kept;
    request.gmsh.script = ScriptUse::own;
    request.gmsh.dimension = 2;
  }
  RepairOptions& repair = request.repair;
  if (options.merge != absent) {
    repair.merge = RepairOptions::Merge::all;
    if (options.merge == "0") {
      repair.merge = RepairOptions::Merge::none;
    } else if (!options.merge.empty() && options.merge != "{}") {
      const auto tolerance = typed_length("--merge", options.merge, false);
      if (!tolerance) return tolerance.error();
      repair.tolerance = tolerance->metres + (options.make.empty() ? 0 : tolerance->units);
      request.tolerance_in_units = options.make.empty() ? tolerance->units : 0;
    }
  }
  if (options.orient != absent) {
    const std::string word = options.orient.empty() || options.orient == "{}" ? "outward" : options.orient;
    const auto orient = orientation_named(word);
    if (!orient) return wrong_option("--orient", "auto, keep, outward or inward", word, "For example --orient outward");
    repair.orient = *orient;
  }
  repair.fill_holes = options.fill_holes;
  repair.flip = options.flip;
  if (const Status placed = read_placing(options, request); !placed) return placed.error();
  return request;
}

/// Writes the mesh, and says what the format cannot hold.
Status convert(const Mesh& mesh, const MeshVerbOptions& options, Json& json, Context& context) {
  std::error_code ignored;
  if (fs::exists(options.convert, ignored))
    return make_error(ErrorCode::file, fmt::format("'{}' exists; nothing is written over", options.convert),
                      "Give another name.");
  WriteOptions out;
  out.binary = !options.text;
  if (const Status written = write_mesh(mesh, options.convert, out); !written) return written;
  context.say("Written in metres to {}", options.convert);
  if (const std::string lost = what_is_lost(mesh, options.convert); !lost.empty()) {
    context.say("  warning: {}", lost);
    json["lost"] = lost;
  }
  json["converted"] = fs::absolute(options.convert).string();
  return {};
}

void run_mesh(const MeshVerbOptions& options, Context& context) {
  const auto request = request_of(options);
  if (!request) return context.fail(request.error());
  if (options.trust && options.make.empty() && is_geometry(options.file))
    if (const Status trusted = trust_geometry(options.file); !trusted) return context.fail(trusted.error());
  SignalWatch signals;
  auto prepared = prepare_mesh(*request, signals.stop());
  if (!prepared) return context.fail(prepared.error());
  Result<Mesh> mesh = std::move(prepared->mesh);
  if (options.refine) mesh = refined(*mesh);
  if (!mesh) return context.fail(mesh.error());
  if (!options.group.empty()) {
    const auto place = place_of(options.at, prepared->scale);
    if (!place) return context.fail(place.error());
    const Mesh faces = outer_faces(*mesh);
    mesh = with_group(*mesh, smooth_region(faces, nearest_face(faces, *place), options.angle), options.group);
    if (!mesh) return context.fail(mesh.error());
  }
  const MeshSummary summary = summarize(*mesh);
  if (options.make.empty())
    context.say("{} (coordinates read in {}{})", options.file, prepared->unit,
                prepared->unit_from_file ? ", as the file states" : "");
  else
    context.say("Bodies by their sizes");
  Json json = read_json(to_json(summary));
  json["unit"] = prepared->unit;
  json["notes"] = Json::array();
  for (const Diagnostic& d : prepared->notes) {
    if (!prepared->unit_from_file || d.severity != Severity::note || d.text.find("unit of length:") != 0)
      context.say("  {}{}", d.severity == Severity::warning ? "warning: " : "", d.text);
    if (d.severity == Severity::warning && !d.hint.empty()) context.say("    {}", d.hint);
    json["notes"].push_back(d.text);
  }
  for (const std::string& line : describe(summary, *mesh)) context.say("  {}", line);
  if (!options.convert.empty())
    if (const Status written = convert(*mesh, options, json, context); !written) return context.fail(written.error());
  context.object(json);
}

void add_mesh(OptionSet verb, Context& context) {
  const auto options = std::make_shared<MeshVerbOptions>();
  static const std::string file_help =
      fmt::format("Mesh ({}) or geometry for gmsh (.geo, STEP, IGES, BREP)", readable_mesh_formats());
  verb.value("FILE", options->file, file_help.c_str());
  static const std::string make_help = [] {
    std::string text =
        "Instead of a file: a body by its sizes, \"cylinder radius=10cm height=1m position=0,0,1m\"; once a body.";
    for (const BodyKind& kind : body_kinds()) {
      text += fmt::format(" {}:", kind.id);
      for (const BodySize& size : kind.sizes) text += fmt::format(" {}", size.key);
      text += ";";
    }
    return text + " all: position, rotate, name";
  }();
  verb.value("--make", options->make, make_help.c_str());
  verb.value("--unit", options->unit, "Unit of the file's coordinates, m where neither this nor the file says one");
  verb.value("--convert", options->convert, "Write it in metres to this file (.msh, .stl, .obj)");
  verb.value("--size", options->size,
             "Mesh it again with edges of this length, 0.6m, or a number in units of the file (gmsh)");
  verb.flag("--refine", options->refine, "Halve every edge");
  verb.value("--merge", options->merge,
             "Make one of points within this distance, 1um, or a number in units of the file; alone: within round-off; "
             "0: of none. "
             "Else those on rims that it closes")
      .may_stand_alone();
  verb.value("--orient", options->orient,
             "Turn the normals of a surface outward (also when alone) or inward, or keep them. Else outward where that "
             "can be told")
      .may_stand_alone();
  verb.flag("--fill-holes", options->fill_holes, "Close the rims of a surface by triangles");
  verb.flag("--flip", options->flip, "Turn every cell of a surface round");
  verb.value("--scale", options->scale, "Factor on all coordinates").positive();
  verb.value("--rotate", options->rotate, "Angles about x, then y, then z: 0,0,90deg");
  verb.value("--translate", options->translate, "Shift along x,y,z: 0,0,1.5m, or numbers in units of the file");
  verb.value("--group", options->group, "Make the side of the body that --at points at a group of this name");
  verb.value("--at", options->at, "A place on that side, x,y,z in units of the file or with units");
  verb.value("--angle", options->angle, "The side ends at edges sharper than this, in degrees")
      .shown_default()
      .positive();
  verb.flag("--text", options->text, "Convert to the text form of the format");
  verb.flag("--trust", options->trust,
            "Let a geometry script start programs, read and write files; kept for its content");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { run_mesh(*options, context); });
}

}  // namespace

Verb mesh_verb() {
  return {"mesh", "Describe a mesh, its quality and groups, repair it, or convert it",
          "  conoid mesh wing.stl --unit mm\n"
          "  conoid mesh wing.stl --unit mm --convert wing.msh\n"
          "  conoid mesh wing.stl --unit mm --size 20mm --convert coarse.msh\n"
          "  conoid mesh scan.obj --unit mm --merge 0.01mm --fill-holes --orient --convert body.msh\n"
          "  conoid mesh --make \"cylinder radius=10cm height=1m\" --size 2cm --convert tube.msh\n"
          "  conoid mesh room.msh --group door --at 0,2.5,1 --convert room-door.msh\n",
          add_mesh};
}

}  // namespace conoid::cli
