// SPDX-License-Identifier: BSD-3-Clause
// conoid new TEMPLATE: copies a sample case into a folder of one's own; conoid new START --mesh FILE: makes a case around a body.
#include <filesystem>
#include <memory>

#include "engine/case/case.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/bodies.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/session/case_start.hpp"
#include "engine/session/mesh_preview.hpp"

#include <fmt/ranges.h>

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string name;
  std::string folder;
  std::string mesh, unit, frequency;
  std::vector<std::string> make;
  [[nodiscard]] bool has_body() const { return !mesh.empty() || !make.empty(); }
};

/// What belongs to the gallery and not to the case.
bool is_gallery_file(const fs::path& file) {
  return file.filename() == "card.json" || file.stem() == "thumbnail";
}

Status copy_case(const fs::path& from, const fs::path& to) {
  std::error_code code;
  if (!fs::create_directories(to, code) && !fs::is_empty(to, code))
    return make_error(ErrorCode::file,
                      fmt::format("'{}' exists and is not empty; nothing is written over", to.string()),
                      "Give another folder: conoid new NAME FOLDER");
  if (code) return system_error("make the folder", to.string(), code.value());
  for (fs::recursive_directory_iterator it(from, code), end; !code && it != end; it.increment(code)) {
    const fs::path target = to / fs::relative(it->path(), from);
    if (it->is_directory()) {
      fs::create_directories(target, code);
    } else if (!is_gallery_file(it->path())) {
      fs::copy_file(it->path(), target, code);
      if (!code) fs::permissions(target, fs::perms::owner_write, fs::perm_options::add, code);
    }
  }
  if (code) return system_error("copy the case to", to.string(), code.value());
  return {};
}

/// The bodies as a case lists them.
Result<Json> listed_bodies(const std::vector<std::string>& all) {
  Json out = Json::array();
  for (const std::string& words : all) {
    const auto body = body_from_words(words);
    if (!body) return body.error();
    Json entry = {{"kind", body->kind}};
    if (!body->name.empty()) entry["name"] = body->name;
    for (const auto& [key, value] : body->sizes) entry[key] = value;
    if (body->position != Vec3{}) entry["position"] = body->position;
    if (body->rotate != Vec3{}) entry["rotate"] = body->rotate;
    out.push_back(std::move(entry));
  }
  return out;
}

/// The section mesh of the new case; the file is named as it is from here.
Result<Json> mesh_of(const NewOptions& options) {
  Json mesh = Json::object();
  if (options.mesh.empty()) {
    auto bodies = listed_bodies(options.make);
    if (!bodies) return bodies.error();
    mesh["bodies"] = std::move(*bodies);
    return mesh;
  }
  mesh["file"] = fs::absolute(options.mesh).string();
  if (!options.unit.empty()) mesh["unit"] = options.unit;
  return mesh;
}

const CaseStart* start_named(const std::string& name) {
  for (const CaseStart& start : case_starts())
    if (start.id == name) return &start;
  return nullptr;
}

/// Of a case for bodies and a sheet, or the other way round: what the surface is, and what to do.
Error wrong_surface(const CaseStart& start, const MeshPreview& preview, const NewOptions& options) {
  if (start.sheet)
    return make_error(ErrorCode::invalid_input, "the surface is closed, and this case is for a sheet",
                      "`conoid list` shows cases around bodies.");
  std::string hint = "`conoid list` shows cases around sheets.";
  if (!options.mesh.empty() && !can_be_meshed(options.mesh))
    hint = preview.summary.surface.manifold()
               ? fmt::format(
                     "Close it: `conoid mesh {}{} --fill-holes --convert closed.msh`, with --merge 1um or more where "
                     "points that are meant to be one lie apart. ",
                     shell_word(options.mesh), options.unit.empty() ? "" : " --unit " + shell_word(options.unit)) +
                     hint
               : "Remove inner walls and branches in the program that made it. " + hint;
  return make_error(ErrorCode::invalid_input,
                    "the surface is not closed, and this case is for a body" +
                        (preview.surface.empty() ? std::string() : ": " + preview.surface),
                    std::move(hint));
}

/// The case around the body, all that it names beside it.
Result<Json> made_case(const NewOptions& options, const CaseStart& start) {
  double frequency = 0;
  if (!options.frequency.empty()) {
    const auto read = parse_quantity(options.frequency, "Hz");
    if (!read || !(read->value > 0))
      return make_error(ErrorCode::command_line, fmt::format("--frequency: found '{}'", options.frequency),
                        "For example --frequency 3GHz");
    frequency = read->value;
  }
  auto mesh = mesh_of(options);
  if (!mesh) return mesh.error();
  const auto document = CaseDocument::from_json(Json({{"mesh", *mesh}}), {});
  if (!options.mesh.empty() && can_be_meshed(options.mesh))
    if (const Status made = mesh_geometry_of(document, false); !made) return made.error();
  const auto preview = preview_mesh(document);
  if (!preview) return preview.error();
  const MeshFacts facts = facts_of(**preview);
  if (start.sheet == facts.closed) return wrong_surface(start, **preview, options);
  const std::string title = options.mesh.empty() ? start.title : fs::path(options.mesh).stem().string();
  return started_case(start, std::move(*mesh), facts, frequency, title);
}

Status write_case(Json made, const NewOptions& options, const fs::path& to) {
  std::error_code code;
  if (!fs::create_directories(to, code) && !fs::is_empty(to, code))
    return make_error(ErrorCode::file,
                      fmt::format("'{}' exists and is not empty; nothing is written over", to.string()),
                      "Give another folder: conoid new START FOLDER --mesh FILE");
  if (code) return system_error("make the folder", to.string(), code.value());
  if (!options.mesh.empty()) {
    const fs::path own = fs::path(options.mesh).filename();
    fs::copy_file(options.mesh, to / own, code);
    if (code) return system_error("copy the mesh to", to.string(), code.value());
    made["mesh"]["file"] = own.string();
  }
  return CaseDocument::from_json(std::move(made), to / "case.json").save(to / "case.json");
}

void make_around_body(const NewOptions& options, Context& context) {
  const CaseStart* start = start_named(options.name);
  std::vector<std::string> names;
  for (const CaseStart& one : case_starts()) names.push_back(one.id);
  if (start == nullptr)
    return context.fail(make_error(ErrorCode::command_line,
                                   fmt::format("no case '{}' is made around a body", options.name),
                                   fmt::format("There are: {}", fmt::join(names, ", "))));
  auto made = made_case(options, *start);
  if (!made) return context.fail(made.error());
  const fs::path to = !options.folder.empty() ? fs::path(options.folder)
                      : options.mesh.empty()  ? fs::path(start->id)
                                              : fs::path(options.mesh).stem();
  if (const Status written = write_case(std::move(*made), options, to); !written) return context.fail(written.error());
  // Meshed by the size that the wave asks for, so that `conoid check` can look at it.
  if (!options.mesh.empty() && can_be_meshed(options.mesh)) {
    const auto document = CaseDocument::read(to / "case.json");
    if (!document) return context.fail(document.error());
    if (const Status meshed = mesh_geometry_of(*document, false); !meshed) return context.fail(meshed.error());
  }
  context.say("{}: {}", short_path(to / "case.json"), start->title);
  context.say("Run it with: conoid run {}", shell_word(short_path(to / "case.json")));
  context.object({{"case", fs::absolute(to / "case.json").string()}, {"solver", start->solver}});
}

void make_new(const NewOptions& options, Context& context) {
  if (options.has_body()) return make_around_body(options, context);
  std::vector<std::string> names;
  for (const SampleCase& sample : sample_cases()) {
    names.push_back(sample.name);
    if (sample.name != options.name) continue;
    const fs::path to = options.folder.empty() ? fs::path(sample.name) : fs::path(options.folder);
    if (const Status copied = copy_case(sample.file.parent_path(), to); !copied) return context.fail(copied.error());
    context.say("{}: {}", short_path(to / "case.json"), sample.title);
    context.say("Run it with: conoid run {}", shell_word(short_path(to / "case.json")));
    context.object({{"case", fs::absolute(to / "case.json").string()}, {"solver", sample.solver}});
    return;
  }
  if (start_named(options.name) != nullptr)
    return context.fail(
        make_error(ErrorCode::command_line, "a case around a body needs the body",
                   fmt::format("conoid new {} --mesh FILE, or --make \"sphere radius=1m\"", options.name)));
  const std::string near = nearest(options.name, names);
  context.fail(make_error(ErrorCode::command_line, fmt::format("there is no sample case '{}'", options.name),
                          near.empty() ? "`conoid list` shows them." : fmt::format("Did you mean '{}'?", near)));
}

void add_new(OptionSet verb, Context& context) {
  const auto options = std::make_shared<NewOptions>();
  verb.value("TEMPLATE", options->name, "Name of a sample case, or of a case around a body (conoid list)").required();
  verb.value("FOLDER", options->folder, "Folder to make (default: the sample's name)");
  verb.value("--mesh", options->mesh, "Make a case around this body: a mesh, or geometry for gmsh");
  verb.value("--unit", options->unit, "Unit of the mesh file's coordinates, where it states none");
  verb.value("--make", options->make,
             "Around a body by its sizes: \"sphere radius=1m\" (conoid mesh --help); once a body");
  verb.value("--frequency", options->frequency, "Of the wave, 3GHz (default: one that suits the body's size)");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { make_new(*options, context); });
}

}  // namespace

Verb new_verb() {
  return {"new", "Copy a sample case into a folder of your own, or make a case around a body",
          "  conoid new point-source\n  conoid new point-source mine\n"
          "  conoid new radar-cross-section wing --mesh wing.stl --unit mm --frequency 3GHz\n"
          "  conoid new sound-on-body ball --make \"sphere radius=1m\"\n",
          add_new};
}

}  // namespace conoid::cli
