// SPDX-License-Identifier: BSD-3-Clause
// conoid mesh FILE: what a mesh holds, how good it is, and conversion between formats.
#include <filesystem>
#include <memory>

#include "engine/cli/signals.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/describe.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct MeshVerbOptions {
  std::string file;
  std::string unit = "m";
  std::string convert;
  bool text = false;
  double size = 0;
};

void run_mesh(const MeshVerbOptions& options, Context& context) {
  ReadOptions how;
  const auto scale = parse_quantity("1 " + options.unit, "m");
  if (!scale)
    return context.fail(make_error(ErrorCode::command_line, fmt::format("--unit: '{}' is no unit of length", options.unit),
                                   "Use m, cm, mm, um, km, in or ft."));
  how.scale = scale->value;
  GmshOptions geometry;
  geometry.size = options.size;
  SignalWatch signals;
  const auto mesh = load_mesh(options.file, how, geometry, signals.stop());
  if (!mesh) return context.fail(mesh.error());
  const MeshSummary summary = summarize(*mesh);
  context.say("{} (coordinates read in {})", options.file, options.unit);
  for (const std::string& line : describe(summary, *mesh)) context.say("  {}", line);
  Json json = read_json(to_json(summary));
  if (!options.convert.empty()) {
    std::error_code ignored;
    if (fs::exists(options.convert, ignored))
      return context.fail(make_error(ErrorCode::file, fmt::format("'{}' exists; nothing is written over", options.convert),
                                     "Give another name."));
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
  verb.value("FILE", options->file, "Mesh (MSH, STL, OBJ, PLY, Nastran, MFEM, VTU) or geometry for gmsh (.geo, STEP)").required();
  verb.value("--unit", options->unit, "Unit of the file's coordinates").shown_default();
  verb.value("--convert", options->convert, "Write it in metres to this file (.msh, .stl, .obj)");
  verb.value("--size", options->size, "Geometry: largest edge, in units of the file").positive();
  verb.flag("--text", options->text, "Convert to the text form of the format");
  verb.flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.on_use([options, &context] { run_mesh(*options, context); });
}

}  // namespace

Verb mesh_verb() {
  return {"mesh", "Describe a mesh, its quality and groups, or convert it",
          "  conoid mesh wing.stl --unit mm\n"
          "  conoid mesh wing.stl --unit mm --convert wing.msh\n",
          add_mesh};
}

}  // namespace conoid::cli
