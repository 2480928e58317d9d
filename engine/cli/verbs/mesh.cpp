// SPDX-License-Identifier: BSD-3-Clause
// conoid mesh FILE: what a mesh holds, how good it is, and conversion between formats.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "engine/cli/signals.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/describe.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/refine.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct MeshVerbOptions {
  std::string file;
  std::string unit = "m";
  std::string convert;
  bool text = false;
  bool refine = false;
  bool trust = false;
  double size = 0;
  std::string group, at;
  double angle = 40;
};

/// "x,y,z" in units of the file, as metres.
Result<Vec3> place_of(const std::string& text, double scale) {
  Vec3 out{};
  std::size_t begin = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t end = std::min(k < 2 ? text.find(',', begin) : text.size(), text.size());
    while (begin < end && text[begin] == ' ') ++begin;
    const auto [last, trouble] = std::from_chars(text.data() + begin, text.data() + end, out[k]);
    if (trouble != std::errc() || last != text.data() + end)
      return make_error(ErrorCode::command_line, fmt::format("--at: expected x,y,z, found '{}'", text),
                        "For example --at 0,0,1.5");
    out[k] *= scale;
    begin = std::min(end + 1, text.size());
  }
  return out;
}

void run_mesh(const MeshVerbOptions& options, Context& context) {
  ReadOptions how;
  const auto scale = parse_quantity("1 " + options.unit, "m");
  if (!scale)
    return context.fail(make_error(ErrorCode::command_line,
                                   fmt::format("--unit: '{}' is no unit of length", options.unit),
                                   "Use m, cm, mm, um, km, in or ft."));
  how.scale = scale->value;
  GmshOptions geometry;
  geometry.size = options.size;
  if (options.trust && is_geometry(options.file))
    if (const Status trusted = trust_geometry(options.file); !trusted) return context.fail(trusted.error());
  SignalWatch signals;
  auto mesh = load_mesh(options.file, how, geometry, signals.stop());
  if (!mesh) return context.fail(mesh.error());
  if (options.size > 0 && !is_geometry(options.file)) mesh = remeshed(*mesh, options.size * how.scale, signals.stop());
  if (mesh && options.refine) mesh = refined(*mesh);
  if (!mesh) return context.fail(mesh.error());
  if (!options.group.empty()) {
    const auto place = place_of(options.at, how.scale);
    if (!place) return context.fail(place.error());
    const Mesh faces = outer_faces(*mesh);
    mesh = with_group(*mesh, smooth_region(faces, nearest_face(faces, *place), options.angle), options.group);
    if (!mesh) return context.fail(mesh.error());
  }
  const MeshSummary summary = summarize(*mesh);
  context.say("{} (coordinates read in {})", options.file, options.unit);
  for (const std::string& line : describe(summary, *mesh)) context.say("  {}", line);
  Json json = read_json(to_json(summary));
  if (!options.convert.empty()) {
    std::error_code ignored;
    if (fs::exists(options.convert, ignored))
      return context.fail(make_error(
          ErrorCode::file, fmt::format("'{}' exists; nothing is written over", options.convert), "Give another name."));
    WriteOptions out;
    out.binary = !options.text;
    if (const Status written = write_mesh(*mesh, options.convert, out); !written) return context.fail(written.error());
    context.say("Written in metres to {}", options.convert);
    json["converted"] = fs::absolute(options.convert).string();
  }
  context.object(json);
}

void add_mesh(OptionSet verb, Context& context) {
  const auto options = std::make_shared<MeshVerbOptions>();
  verb.value("FILE", options->file, "Mesh (MSH, STL, OBJ, PLY, Nastran, MFEM, VTU) or geometry for gmsh (.geo, STEP)")
      .required();
  verb.value("--unit", options->unit, "Unit of the file's coordinates").shown_default();
  verb.value("--convert", options->convert, "Write it in metres to this file (.msh, .stl, .obj)");
  verb.value("--size", options->size, "Mesh it again with edges of this length, in units of the file (gmsh)")
      .positive();
  verb.flag("--refine", options->refine, "Halve every edge");
  verb.value("--group", options->group, "Make the side of the body that --at points at a group of this name");
  verb.value("--at", options->at, "A place on that side, x,y,z in units of the file");
  verb.value("--angle", options->angle, "The side ends at edges sharper than this, in degrees")
      .shown_default()
      .positive();
  verb.flag("--text", options->text, "Convert to the text form of the format");
  verb.flag("--trust", options->trust,
            "Let a geometry script start programs, read and write files; kept for its content");
  verb.flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.on_use([options, &context] { run_mesh(*options, context); });
}

}  // namespace

Verb mesh_verb() {
  return {"mesh", "Describe a mesh, its quality and groups, or convert it",
          "  conoid mesh wing.stl --unit mm\n"
          "  conoid mesh wing.stl --unit mm --convert wing.msh\n"
          "  conoid mesh wing.stl --unit mm --size 20 --convert coarse.msh\n"
          "  conoid mesh room.msh --group door --at 0,2.5,1 --convert room-door.msh\n",
          add_mesh};
}

}  // namespace conoid::cli
