// SPDX-License-Identifier: BSD-3-Clause
// conoid mesh FILE: what a mesh holds, how good it is, and conversion between formats.
#include <filesystem>
#include <map>
#include <memory>

#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file;
  std::string unit = "m";
  std::string convert;
  bool text = false;
};

std::map<std::string, Index> shapes_of(const Mesh& mesh) {
  std::map<std::string, Index> out;
  for (Index c = 0; c < mesh.cell_count(); ++c) ++out[std::string(name_of(mesh.shape(c)))];
  return out;
}

std::string size_text(double low, double high) {
  return fmt::format("{} … {}", format_quantity(low, "m"), format_quantity(high, "m"));
}

void describe(const Mesh& mesh, const QualityReport& quality, Context& context) {
  const auto [low, high] = mesh.bounds();
  std::string shapes;
  for (const auto& [name, count] : shapes_of(mesh)) shapes += fmt::format("{}{} {}", shapes.empty() ? "" : ", ", count, name);
  std::vector<std::vector<std::string>> rows = {
      {"points", fmt::format("{}", mesh.point_count())},
      {"cells", shapes},
      {"x", size_text(low[0], high[0])},
      {"y", size_text(low[1], high[1])},
      {"z", size_text(low[2], high[2])},
      {"edges", fmt::format("{} (mean {})", size_text(quality.edge_min, quality.edge_max),
                            format_quantity(quality.edge_mean, "m"))},
      {"quality", fmt::format("scaled Jacobian {:.3f} at worst, {:.3f} in the mean; aspect {:.3f}, {:.3f}",
                              quality.scaled_jacobian_min, quality.scaled_jacobian_mean, quality.aspect_min,
                              quality.aspect_mean)}};
  for (const auto& [what, count] : {std::pair{"degenerate cells", quality.degenerate_cells},
                                    std::pair{"inverted cells", quality.inverted_cells},
                                    std::pair{"duplicate points", quality.duplicate_points},
                                    std::pair{"unused points", quality.unused_points}})
    if (count > 0) rows.push_back({what, fmt::format("{}", count)});
  for (const MeshGroup& group : mesh.groups())
    rows.push_back({"group", fmt::format("'{}' ({}-dimensional, {} cells)", group.name, group.dimension, group.cells.size())});
  context.write(aligned(rows, "  "));
}

Json to_json(const Mesh& mesh, const QualityReport& quality) {
  const auto [low, high] = mesh.bounds();
  Json shapes = Json::object();
  for (const auto& [name, count] : shapes_of(mesh)) shapes[name] = count;
  Json groups = Json::array();
  for (const MeshGroup& group : mesh.groups())
    groups.push_back({{"name", group.name}, {"dimension", group.dimension}, {"tag", group.tag}, {"cells", group.cells.size()}});
  return {{"points", mesh.point_count()},
          {"cells", mesh.cell_count()},
          {"shapes", shapes},
          {"bounds", {low, high}},
          {"groups", groups},
          {"quality",
           {{"dimension", quality.dimension},
            {"measure", quality.measure},
            {"edge_min", quality.edge_min},
            {"edge_mean", quality.edge_mean},
            {"edge_max", quality.edge_max},
            {"scaled_jacobian_min", quality.scaled_jacobian_min},
            {"scaled_jacobian_mean", quality.scaled_jacobian_mean},
            {"aspect_min", quality.aspect_min},
            {"aspect_mean", quality.aspect_mean},
            {"degenerate_cells", quality.degenerate_cells},
            {"inverted_cells", quality.inverted_cells},
            {"duplicate_points", quality.duplicate_points},
            {"unused_points", quality.unused_points}}}};
}

void run(const Options& options, Context& context) {
  ReadOptions how;
  const auto scale = parse_quantity("1 " + options.unit, "m");
  if (!scale)
    return context.fail(make_error(ErrorCode::command_line, fmt::format("--unit: '{}' is no unit of length", options.unit),
                                   "Use m, cm, mm, um, km, in or ft."));
  how.scale = scale->value;
  const auto mesh = read_mesh(options.file, how);
  if (!mesh) return context.fail(mesh.error());
  const QualityReport quality = mesh_quality(*mesh);
  context.say("{} (coordinates read as {})", options.file, options.unit);
  describe(*mesh, quality, context);
  Json json = to_json(*mesh, quality);
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

void add(CLI::App& verb, Context& context) {
  const auto options = std::make_shared<Options>();
  verb.add_option("FILE", options->file, "Mesh: MSH, STL, OBJ")->required();
  verb.add_option("--unit", options->unit, "Unit of the file's coordinates")->capture_default_str();
  verb.add_option("--convert", options->convert, "Write it in metres to this file (.msh, .stl, .obj)");
  verb.add_flag("--text", options->text, "Convert to the text form of the format");
  verb.add_flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.callback([options, &context] { run(*options, context); });
}

}  // namespace

Verb mesh_verb() {
  return {"mesh", "Describe a mesh, its quality and groups, or convert it",
          "  conoid mesh wing.stl --unit mm\n"
          "  conoid mesh wing.stl --unit mm --convert wing.msh\n",
          add};
}

}  // namespace conoid::cli
