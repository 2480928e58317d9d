// SPDX-License-Identifier: BSD-3-Clause
// conoid probe RUN: values of a run's fields at points, along lines, and summed over surfaces, volumes and groups.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>

#include "engine/case/case.hpp"
#include "engine/case/symmetry.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/place.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/frame_choice.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/run/derived_frame.hpp"
#include "engine/run/frame_probe.hpp"
#include "engine/session/session.hpp"
#include "engine/session/setup.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr int most_line_points = 1000000;
constexpr std::size_t most_frames_listed = 24;

struct ProbeVerbOptions {
  std::string run;
  std::string points;
  std::vector<std::string> point, line, over, formulas, measure;
  std::string field, part, component, show, frames = "last", within, to, out;
};

/// What goes out: numbers in columns, not-a-number where there is none.
struct ProbeTable {
  std::string title;
  std::string definition;
  std::string note;  ///< what the numbers are, where that could be mistaken; part of the definition
  std::vector<Column> columns;
  std::vector<std::vector<double>> rows;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::size_t>>
      blocks;  ///< name and first column of what text shows one below the other
};

Result<Vec3> typed_place(const std::string& text, const char* option) {
  auto read = parse_place(text);
  if (read) return read;
  Error error = read.error();
  error.text = fmt::format("{}: {}", option, error.text);
  return error;
}

Result<std::vector<Vec3>> read_places(const std::string& file) {
  const auto table = read_csv(file);
  if (!table) return table.error();
  const std::size_t columns = table->columns.size();
  std::array<std::size_t, 3> of{0, 1, 2};
  const std::array<std::size_t, 3> named{table->find("x"), table->find("y"), table->find("z")};
  const bool by_name = named[0] != CsvTable::npos && named[1] != CsvTable::npos;
  if (by_name) of = named;
  if (!by_name && columns != 2 && columns != 3)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("expected columns x, y and z, found {} columns without these names", columns),
                      "Give it two or three columns, or a heading such as x[m],y[m],z[m].", {file, 1, {}});
  if (!by_name && columns == 2) of[2] = CsvTable::npos;
  std::array<double, 3> factor{1, 1, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    if (of[k] == CsvTable::npos) continue;
    const auto known = column_factor(table->columns[of[k]], "m");
    if (!known) {
      Error error = known.error();
      if (error.place.file.empty()) error.place = {file, 1, {}};
      return error;
    }
    factor[k] = *known;
  }
  std::vector<Vec3> out;
  for (std::size_t r = 0; r < table->rows(); ++r) {
    Vec3 p{};
    for (std::size_t k = 0; k < 3; ++k)
      if (of[k] != CsvTable::npos) p[k] = factor[k] * table->row(r)[of[k]];
    out.push_back(p);
  }
  if (out.empty())
    return make_error(ErrorCode::invalid_input, "expected at least one point, found none",
                      "One point a row: x,y,z in metres.", {file, 0, {}});
  return out;
}

Result<ProbeChoice> parse_choice(const ProbeVerbOptions& options) {
  ProbeChoice out;
  const std::pair<const char*, ProbeChoice::Vector> vectors[] = {{"", ProbeChoice::Vector::all},
                                                                 {"x", ProbeChoice::Vector::x},
                                                                 {"y", ProbeChoice::Vector::y},
                                                                 {"z", ProbeChoice::Vector::z},
                                                                 {"magnitude", ProbeChoice::Vector::length}};
  const std::pair<const char*, ProbeChoice::Wave> waves[] = {{"", ProbeChoice::Wave::both},
                                                             {"real", ProbeChoice::Wave::real},
                                                             {"imaginary", ProbeChoice::Wave::imaginary},
                                                             {"magnitude", ProbeChoice::Wave::magnitude},
                                                             {"phase", ProbeChoice::Wave::phase}};
  const auto take = [](const auto& all, const std::string& typed, auto& chosen) {
    const auto known =
        std::find_if(std::begin(all), std::end(all), [&](const auto& one) { return typed == one.first; });
    if (known == std::end(all)) return false;
    chosen = known->second;
    return true;
  };
  if (!take(vectors, options.component, out.vector))
    return make_error(ErrorCode::command_line,
                      fmt::format("--component must be x, y, z or magnitude, found \"{}\"", options.component),
                      "Without it every component is told.");
  if (!take(waves, options.show, out.wave))
    return make_error(ErrorCode::command_line,
                      fmt::format("--show must be real, imaginary, magnitude or phase, found \"{}\"", options.show),
                      "Without it both parts of a complex field are told.");
  return out;
}

// ---- what there is

std::string parts_with_fields(const VtkhdfReader& reader) {
  std::string out;
  for (const StoredPart& part : reader.parts())
    for (const FieldInfo& field : part.fields)
      out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", field.name, part.name);
  return out.empty() ? "none" : out;
}

std::string numbers_of(const FieldInfo& f) {
  return fmt::format("{}{}", f.components == 1 ? "scalar" : "vector", f.is_complex ? ", complex" : "");
}

std::string geometry_in_words(const FramePart& part) {
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry))
    return fmt::format("grid of {} x {} x {} points", grid->points[0], grid->points[1], grid->points[2]);
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  std::map<std::uint8_t, Index> counts;
  for (const std::uint8_t type : *mesh.types) ++counts[type];
  std::string out = fmt::format("mesh of {} points", mesh.points->size() / 3);
  for (const auto& [type, count] : counts)
    out += fmt::format(
        ", {} {}", count,
        known_cell(type) ? std::string(name_of(static_cast<CellShape>(type))) : fmt::format("cells of type {}", type));
  return out;
}

std::string span_in_words(const Vec3& low, const Vec3& high) {
  std::string out;
  static constexpr const char* axes[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k)
    out += low[k] == high[k]
               ? fmt::format("{}{} {} m", k == 0 ? "" : ", ", axes[k], number_text(low[k]))
               : fmt::format("{}{} {} to {} m", k == 0 ? "" : ", ", axes[k], number_text(low[k]), number_text(high[k]));
  return out;
}

const SolverInfo* solver_of(const CaseDocument& document) {
  const Json& id = document.json().is_object() ? document.json().value("solver", Json()) : Json();
  return id.is_string() ? find_solver(id.get<std::string>()) : nullptr;
}

/// What the coordinates of a run turn around; nothing where its case cannot be read.
std::optional<CaseSymmetry> symmetry_of_run(const fs::path& folder) {
  const auto document = read_run_case(folder);
  const SolverInfo* info = document ? solver_of(*document) : nullptr;
  if (info == nullptr) return std::nullopt;
  const auto schema = Schema::for_solver(info->id, info->schema);
  if (!schema) return std::nullopt;
  return symmetry_of(document->json(), schema->json());
}

/// The mesh of a run's case; null when it has none.
Result<std::shared_ptr<const Mesh>> mesh_of_run(const fs::path& folder) {
  const auto document = read_run_case(folder);
  if (!document) return document.error();
  if (!document->json().is_object() || !document->json().contains("mesh")) return std::shared_ptr<const Mesh>();
  const SolverInfo* info = solver_of(*document);
  if (info == nullptr)
    return make_error(ErrorCode::invalid_input, "the run's case names no solver of this program",
                      "`conoid list` shows the solvers.");
  const auto schema = Schema::for_solver(info->id, info->schema);
  if (!schema) return schema.error();
  const auto input = Case::resolve(*document, *schema);
  if (!input) return input.error();
  return mesh_of(*input, {}, nullptr, Meshing::never);
}

/// Parts (all where none is named) without values: no field has this name.
FrameRequest geometry_alone(std::set<std::string> parts = {}) {
  FrameRequest out;
  out.parts = std::move(parts);
  out.fields = {std::string(1, '\n')};
  return out;
}

Status describe(const fs::path& folder, VtkhdfReader& reader, Context& context) {
  const auto& frames = reader.frames();
  Json json = {{"run", fs::absolute(folder).string()}, {"frames", Json::array()}, {"parts", Json::array()}};
  context.say("run     {}", short_path(folder));
  context.say("frames  {}", frames_in_words(frames));
  std::vector<std::vector<std::string>> rows;
  if (!frames.empty()) rows.push_back({"number", "step", name_of(frames.front().axis)});
  for (std::size_t i = 0; i < frames.size(); ++i) {
    json["frames"].push_back({{"number", frames[i].number},
                              {"step", frames[i].step},
                              {name_of(frames[i].axis), number_json(frames[i].value)}});
    const bool long_list = frames.size() > most_frames_listed;
    if (long_list && i + 4 > most_frames_listed && i + 3 < frames.size()) {
      if (i + 4 == most_frames_listed + 1) rows.push_back({"…"});
      continue;
    }
    rows.push_back({std::to_string(frames[i].number), std::to_string(frames[i].step), moment_of(frames[i])});
  }
  if (!rows.empty()) context.say("{}", aligned(rows, "  "));
  rows = {{"field", "part", "unit", "numbers", "at"}};
  for (const StoredPart& part : reader.parts())
    for (const FieldInfo& f : part.fields)
      rows.push_back(
          {f.name, part.name, f.unit, numbers_of(f), f.association == Association::point ? "points" : "cells"});
  context.say("fields\n{}", aligned(rows, "  "));
  if (!frames.empty()) {
    const auto frame = reader.read(frames.size() - 1, geometry_alone());
    if (!frame) return frame.error();
    context.say("parts");
    rows.clear();
    for (const FramePart& part : (*frame)->parts) {
      const auto probe = PartProbe::make(part);
      if (!probe) return probe.error();
      rows.push_back({part.name, geometry_in_words(part), span_in_words(probe->low(), probe->high())});
      Json fields = Json::array();
      for (const StoredPart& stored : reader.parts())
        if (stored.name == part.name)
          for (const FieldInfo& f : stored.fields)
            fields.push_back({{"name", f.name},
                              {"label", f.label},
                              {"unit", f.unit},
                              {"components", f.components},
                              {"complex", f.is_complex},
                              {"at", f.association == Association::point ? "points" : "cells"}});
      json["parts"].push_back({{"name", part.name},
                               {"geometry", geometry_in_words(part)},
                               {"low", {probe->low()[0], probe->low()[1], probe->low()[2]}},
                               {"high", {probe->high()[0], probe->high()[1], probe->high()[2]}},
                               {"fields", fields}});
    }
    context.say("{}", aligned(rows, "  "));
  }
  json["groups"] = Json::array();
  if (const auto mesh = mesh_of_run(folder); !mesh) {
    context.say("groups  cannot be told: {}", mesh.error().text);
  } else if (*mesh != nullptr && !(*mesh)->groups().empty()) {
    static constexpr const char* kinds[] = {"points", "edges", "faces", "solid cells"};
    rows.clear();
    for (const MeshGroup& group : (*mesh)->groups()) {
      rows.push_back({group.name, fmt::format("{} {}", group.cells.size(), kinds[std::clamp(group.dimension, 0, 3)])});
      json["groups"].push_back({{"name", group.name}, {"dimension", group.dimension}, {"cells", group.cells.size()}});
    }
    context.say("groups\n{}", aligned(rows, "  "));
  } else {
    context.say("groups  none");
  }
  context.object(json);
  return {};
}

// ---- values

/// The field of a frame's part; null when it is not there.
const Field* field_of(const FramePart& part, const std::string& name) {
  for (const Field& f : part.fields)
    if (f.info.name == name) return &f;
  return nullptr;
}

struct Asked {
  fs::path folder;
  VtkhdfReader* reader = nullptr;
  FieldInfo info;
  ProbeChoice choice;
  std::vector<std::size_t> frames;
  FrameRequest request;            ///< the field and the parts that carry it
  std::vector<std::string> parts;  ///< their names
  std::optional<double> within;    ///< metres
  FrameRecipe recipe;              ///< fields by formula

  [[nodiscard]] Result<std::shared_ptr<const Frame>> read(std::size_t position) const {
    auto frame = reader->read(position, request);
    return !frame || recipe.empty() ? frame : derive(std::move(frame).value(), recipe);
  }
};

std::vector<Column> moment_columns(const Asked& asked) {
  const FrameAxis axis = asked.reader->frames().front().axis;
  return {{"frame", {}, {}}, {name_of(axis), axis == FrameAxis::iteration ? "" : unit_of(axis), {}}};
}

std::string column_of(const FieldInfo& info) {
  return info.label.empty() ? info.name : info.label;
}

/// A part that has the field, and how its places are found.
struct ProbedPart {
  const FramePart* part;
  const Field* field;
  const PartProbe* probe;
};

/// The parts of a frame that have the field; `probes` are kept from frame to frame as long as they fit.
Result<std::vector<ProbedPart>> probed_parts(const Frame& frame, const std::string& field_name,
                                             std::map<std::string, PartProbe>& probes) {
  std::vector<ProbedPart> here;
  for (const FramePart& part : frame.parts) {
    const Field* field = field_of(part, field_name);
    if (field == nullptr) continue;
    if (auto status = check_field(part, *field); !status) return status.error();
    auto known = probes.find(part.name);
    if (known == probes.end() || !known->second.fits(part)) {
      auto made = PartProbe::make(part);
      if (!made) return made.error();
      known = probes.insert_or_assign(part.name, std::move(made).value()).first;
    }
    here.push_back({&part, field, &known->second});
  }
  return here;
}

/// Where a point lies best: inside of the smallest region, else on the nearest surface within reach.
struct BestSpot {
  std::optional<PartSpot> spot;
  const ProbedPart* of = nullptr;
};

BestSpot best_spot(const std::vector<ProbedPart>& here, const Vec3& p, const std::optional<double>& within,
                   bool& surfaces) {
  BestSpot best;
  bool best_region = false;
  for (const ProbedPart& one : here) {
    const bool region = one.probe->is_region();
    surfaces = surfaces || !region;
    if (!region && best_region) continue;  // inside of something is better than beside
    const auto spot = one.probe->find(p, within.value_or(one.probe->usual_reach()), one.field->info.association);
    if (!spot) continue;
    const bool better = !best.spot || (region && !best_region) ||
                        (region ? spot->size < best.spot->size : spot->distance < best.spot->distance);
    if (!better) continue;
    best = {spot, &one};
    best_region = region;
  }
  return best;
}

Result<ProbeTable> values_at(const Asked& asked, const std::vector<Vec3>& points, bool line) {
  ProbeTable out;
  out.title = fmt::format("{} {}", column_of(asked.info), line ? "along a line" : "at points");
  out.columns = moment_columns(asked);
  out.columns.push_back(line ? Column{"distance", "m", {}} : Column{"point", {}, {}});
  for (const char* axis : {"x", "y", "z"}) out.columns.push_back({axis, "m", {}});
  const auto values = choice_columns(asked.info, asked.choice);
  const std::size_t first_value = out.columns.size();
  std::map<std::string, PartProbe> probes;
  bool surfaces = false;
  std::size_t outside = 0, without = 0;
  double farthest = 0;
  std::map<std::string, std::size_t> held;  // points by part
  std::vector<double> offs;
  for (const std::size_t position : asked.frames) {
    const auto frame = asked.read(position);
    if (!frame) return frame.error();
    const auto here = probed_parts(**frame, asked.info.name, probes);
    if (!here) return here.error();
    std::vector<double> entry;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3& p = points[i];
      const auto [best, of] = best_spot(*here, p, asked.within, surfaces);
      std::vector<double> row{static_cast<double>((*frame)->number),
                              (*frame)->value,
                              line ? vec::distance(p, points.front()) : static_cast<double>(i + 1),
                              p[0],
                              p[1],
                              p[2]};
      offs.push_back(best ? best->distance : missing);
      if (!best) {
        ++outside;
        row.insert(row.end(), values.size(), missing);
      } else {
        ++held[of->part->name];
        farthest = std::max(farthest, best->distance);
        blend(*best, *of->field, entry);
        append_chosen(entry, asked.info, asked.choice, row);
        without += !std::isfinite(row[first_value]);
      }
      out.rows.push_back(std::move(row));
    }
  }
  if (surfaces) {
    out.columns.push_back({"from_surface", "m", {}});
    for (std::size_t r = 0; r < out.rows.size(); ++r)
      out.rows[r].insert(out.rows[r].begin() + static_cast<std::ptrdiff_t>(first_value), offs[r]);
  }
  out.columns.insert(out.columns.end(), values.begin(), values.end());
  std::string definition;
  for (const auto& [part, count] : held)
    definition +=
        fmt::format("{}{} of {} values from part {}", definition.empty() ? "" : ", ", count, out.rows.size(), part);
  if (surfaces)
    definition += fmt::format("{}from_surface: distance to the nearest face, whose value is told",
                              definition.empty() ? "" : "; ");
  out.definition = definition;
  if (outside > 0) {
    std::string reach;
    if (surfaces) {
      double least = std::numeric_limits<double>::max();
      for (const auto& [name, probe] : probes)
        if (!probe.is_region()) least = std::min(least, asked.within.value_or(probe.usual_reach()));
      reach = fmt::format(", or farther than {} from its faces (--within)", format_quantity(least, "m"));
    }
    out.warnings.push_back(
        fmt::format("{} of {} values are empty: the place is outside of {}{}", outside, out.rows.size(),
                    asked.parts.size() == 1 ? "the part " + asked.parts.front() : "every part with this field", reach));
  }
  if (without > 0)
    out.warnings.push_back(fmt::format("{} of {} values are empty: the field has no value there, as inside of a body",
                                       without, out.rows.size()));
  return out;
}

/// A name of --over: all cells of a part, or a group of the mesh on a part.
struct OverSet {
  std::string name;
  std::string part;
  std::optional<CellSet> cells;
};

Result<std::vector<OverSet>> sets_of(const Asked& asked, const std::vector<std::string>& names) {
  std::vector<OverSet> out;
  std::shared_ptr<const Mesh> mesh;
  bool looked = false;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const std::string& part : asked.parts) out.push_back({part, part, {}});
      continue;
    }
    if (std::find(asked.parts.begin(), asked.parts.end(), name) != asked.parts.end()) {
      out.push_back({name, name, {}});
      continue;
    }
    if (!looked) {
      const auto read = mesh_of_run(asked.folder);
      if (!read) {
        Error error = read.error();
        error.text =
            fmt::format("--over {}: the mesh of the run, which has the groups, cannot be read: {}", name, error.text);
        return error;
      }
      mesh = *read;
      looked = true;
    }
    const MeshGroup* group = mesh ? mesh->group(name) : nullptr;
    if (group == nullptr) {
      std::string there = "all";
      std::vector<std::string> known = asked.parts;
      for (const std::string& part : asked.parts) there += ", " + part;
      if (mesh)
        for (const MeshGroup& g : mesh->groups()) {
          there += ", " + g.name;
          known.push_back(g.name);
        }
      const std::string near = nearest(name, known);
      return make_error(
          ErrorCode::command_line, fmt::format("--over: there is no part or group '{}'", name),
          fmt::format("{}There are: {}.", near.empty() ? "" : fmt::format("Did you mean '{}'? ", near), there));
    }
    const auto first = asked.reader->read(0, geometry_alone(asked.request.parts));
    if (!first) return first.error();
    std::optional<Error> trouble;
    bool found = false;
    for (const FramePart& part : (*first)->parts) {
      auto cells = cells_of_group(part, *mesh, *group);
      if (!cells) {
        // A grid beside the mesh is no reason to name.
        if (!trouble || std::holds_alternative<MeshGeometry>(part.geometry)) trouble = cells.error();
        continue;
      }
      found = true;
      out.push_back({name, part.name, std::move(cells).value()});
    }
    if (!found)
      return trouble ? *trouble
                     : make_error(ErrorCode::command_line, fmt::format("no part lies on the group '{}'", name));
  }
  return out;
}

/// A solver's own density times its own volume is a mass to all digits; what frames keep of it is not.
constexpr const char* note_on_sums =
    "Integral and mean are of the field as frames keep it: values at points, interpolated between them. Across fronts "
    "they are as fine as its cells; sums that a solver balances are in its tables.";

Result<ProbeTable> sums_over(const Asked& asked, const std::vector<std::string>& names) {
  const auto sets = sets_of(asked, names);
  if (!sets) return sets.error();
  ProbeTable out;
  out.title = fmt::format("{} over {}", column_of(asked.info), sets->size() == 1 ? sets->front().name : "several sets");
  out.columns = moment_columns(asked);
  const auto values = choice_columns(asked.info, asked.choice);
  const auto symmetry = symmetry_of_run(asked.folder);
  const Revolution body = symmetry ? Revolution{symmetry->axis, symmetry->turns} : Revolution{};
  std::map<std::string, Index> left_out;
  bool first = true;
  for (const std::size_t position : asked.frames) {
    const auto frame = asked.read(position);
    if (!frame) return frame.error();
    std::vector<double> row{static_cast<double>((*frame)->number), (*frame)->value};
    for (const OverSet& set : *sets) {
      const FramePart* part = nullptr;
      const Field* field = nullptr;
      for (const FramePart& p : (*frame)->parts)
        if (p.name == set.part && (field = field_of(p, asked.info.name)) != nullptr) part = &p;
      if (part == nullptr)
        return make_error(
            ErrorCode::file,
            fmt::format("frame {} has no field {} on the part {}", (*frame)->number, asked.info.name, set.part),
            "Choose frames that have it with --frames.");
      const auto sums = sum_over(*part, *field, asked.choice, set.cells ? &*set.cells : nullptr, body);
      if (!sums) return sums.error();
      if (sums->missing > 0) left_out[set.name] += sums->missing;
      if (first) {
        static constexpr const char* measures[] = {"count", "length", "area", "volume"};
        static constexpr const char* units[] = {"", "m", "m^2", "m^3"};
        const std::string prefix = sets->size() == 1 ? "" : set.name + " ";
        const auto dim = static_cast<std::size_t>(sums->dimension);
        out.blocks.emplace_back(set.name == set.part ? set.name : fmt::format("{} ({})", set.name, set.part),
                                out.columns.size());
        out.columns.push_back({prefix + measures[dim], units[dim], {}});
        for (const Column& column : values) {
          out.columns.push_back(
              {prefix + column.name + "_integral", unit_of_integral(column.unit, sums->dimension), {}});
          for (const char* kind : {"_mean", "_min", "_max"})
            out.columns.push_back({prefix + column.name + kind, column.unit, {}});
        }
        out.definition +=
            fmt::format("{}{}: {} {} of part {}", out.definition.empty() ? "" : "; ", set.name, sums->cells,
                        std::holds_alternative<ImageGeometry>(part->geometry) ? "values" : "cells", set.part);
        if (symmetry) out.definition += fmt::format(", all around ({})", symmetry->value);
        if (field->info.association == Association::point) out.note = note_on_sums;
      }
      row.push_back(sums->measure);
      for (std::size_t k = 0; k < values.size(); ++k)
        row.insert(row.end(), {sums->integral[k], sums->mean[k], sums->low[k], sums->high[k]});
    }
    first = false;
    out.rows.push_back(std::move(row));
  }
  if (!out.note.empty()) out.definition += ". " + out.note;
  for (const auto& [name, count] : left_out)
    out.warnings.push_back(fmt::format(
        "{}: left out where the field has no value: {} cells (points of a grid), all frames together", name, count));
  return out;
}

std::string csv_text(const ProbeTable& table, const std::string& run) {
  TableInfo info;
  info.title = table.title;
  info.form = ChartForm::none;
  info.columns = table.columns;
  info.definition = table.definition;
  std::string out = csv_head(info, run);
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      if (std::isfinite(row[c])) out += fmt::format("{}", row[c]);
    }
    out += "\r\n";
  }
  return out;
}

std::string text_of_columns(const ProbeTable& table, std::size_t begin, std::size_t end, std::size_t unnamed) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const auto& cell) {
    rows.emplace_back();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (c < 2 || (c >= begin && c < end)) rows.back().push_back(cell(c));
  };
  add([&](std::size_t c) {
    const std::string heading = csv_heading(table.columns[c]);
    return c < 2 ? heading : heading.substr(unnamed);
  });
  for (const auto& row : table.rows)
    add([&](std::size_t c) { return std::isfinite(row[c]) ? fmt::format("{:.6g}", row[c]) : std::string("-"); });
  return aligned(rows);
}

std::string text_of(const ProbeTable& table) {
  if (table.blocks.size() < 2) return text_of_columns(table, 2, table.columns.size(), 0);
  std::string out;
  for (std::size_t b = 0; b < table.blocks.size(); ++b) {
    const auto& [name, begin] = table.blocks[b];
    const std::size_t end = b + 1 < table.blocks.size() ? table.blocks[b + 1].second : table.columns.size();
    // What stands before the measure in a heading is the name.
    const std::size_t unnamed = table.columns[begin].name.rfind(' ') + 1;
    out += fmt::format("{}{}\n{}", b == 0 ? "" : "\n", name, text_of_columns(table, begin, end, unnamed));
  }
  return out;
}

Status hand_out(const ProbeTable& table, const ProbeVerbOptions& options, const std::string& run, Context& context) {
  if (!context.json && talks())
    for (const std::string& text : table.warnings) fmt::print(stderr, "conoid: warning: {}\n", text);
  if (!options.out.empty()) {
    if (auto status = write_file_atomically(options.out, csv_text(table, run)); !status) return status;
    context.say("{}: {} rows, {} columns", short_path(options.out), table.rows.size(), table.columns.size());
  } else if (options.to == "csv") {
    std::string text = csv_text(table, run);
    text.resize(text.size() - 1);  // the line's end that say() adds
    context.write(text);
  } else {
    context.say("{}", text_of(table));
    if (!table.note.empty()) context.say("{}", table.note);
  }
  Json columns = Json::array(), rows = Json::array();
  for (const Column& c : table.columns) columns.push_back({{"name", c.name}, {"unit", c.unit}});
  for (const auto& row : table.rows) {
    Json one = Json::array();
    for (const double v : row) one.push_back(number_json(v));
    rows.push_back(std::move(one));
  }
  Json object = {
      {"run", run}, {"title", table.title}, {"columns", columns}, {"rows", rows}, {"warnings", table.warnings}};
  if (!table.note.empty()) object["note"] = table.note;
  if (!options.out.empty()) object["written"] = options.out;
  context.object(object);
  return {};
}

/// Fields by formula: `field` becomes the last of them where none is named, and is looked for in the first frame as it comes out.
Status take_formulas(const ProbeVerbOptions& options, std::string& field, Asked& out) {
  for (const std::string& text : options.formulas) {
    auto formula = parse_formula(text);
    if (!formula) {
      Error error = formula.error();
      error.text = "--formula: " + error.text;
      return error;
    }
    out.recipe.formulas.push_back(std::move(formula).value());
  }
  if (out.recipe.empty() || out.reader->frames().empty()) return {};
  const bool made = std::any_of(out.recipe.formulas.begin(), out.recipe.formulas.end(),
                                [&](const FormulaField& f) { return f.name == field; });
  if (!made) {
    out.recipe.formulas.clear();
    return {};
  }
  if (!options.part.empty()) out.request.parts = {options.part};
  const auto frame = out.read(0);
  if (!frame) return frame.error();
  for (const FramePart& part : (*frame)->parts)
    if (const Field* of = field_of(part, field)) {
      out.info = of->info;
      out.parts.push_back(part.name);
    }
  return {};
}

Result<Asked> understand(const ProbeVerbOptions& options, const fs::path& folder, VtkhdfReader& reader) {
  Asked out;
  out.folder = folder;
  out.reader = &reader;
  const auto& parts = reader.parts();
  if (!options.part.empty() &&
      std::none_of(parts.begin(), parts.end(), [&](const StoredPart& p) { return p.name == options.part; })) {
    std::string list;
    for (const StoredPart& p : parts) list += (list.empty() ? "" : ", ") + p.name;
    return make_error(ErrorCode::command_line, "the run has no part \"" + options.part + "\"", "Parts: " + list + ".");
  }
  std::string field = options.field;
  if (field.empty() && !options.formulas.empty())
    if (const auto last = parse_formula(options.formulas.back())) field = last->name;
  for (const StoredPart& p : parts)
    if (field.empty() && !p.fields.empty() && (options.part.empty() || p.name == options.part))
      field = p.fields.front().name;
  if (auto made = take_formulas(options, field, out); !made) return made.error();
  bool found = !out.parts.empty();
  std::vector<std::string> names;
  for (const StoredPart& p : parts)
    for (const FieldInfo& f : p.fields) {
      if (!out.recipe.empty() && found) break;
      names.push_back(f.name);
      if (f.name != field || (!options.part.empty() && p.name != options.part)) continue;
      if (found && (f.components != out.info.components || f.is_complex != out.info.is_complex)) continue;
      if (!found) out.info = f;
      found = true;
      out.parts.push_back(p.name);
      out.request.parts.insert(p.name);
    }
  if (!found) {
    const std::string near = nearest(field, names);
    return make_error(ErrorCode::command_line,
                      fmt::format("the run has no field \"{}\"{}", field,
                                  options.part.empty() ? "" : " on the part \"" + options.part + "\""),
                      (near.empty() || near == field ? "" : "Did you mean " + near + "? ") +
                          ("Fields: " + parts_with_fields(reader) + "."));
  }
  if (out.recipe.empty()) out.request.fields = {field};
  const auto choice = parse_choice(options);
  if (!choice) return choice.error();
  out.choice = *choice;
  if (auto status = check_choice(out.info, out.choice); !status) return status.error();
  auto frames = choose_frames(reader.frames(), options.frames, "--frames");
  if (!frames) return frames.error();
  out.frames = std::move(frames).value();
  if (!options.within.empty()) {
    const auto within = parse_quantity(options.within, "m");
    if (!within || !(within->value >= 0))
      return make_error(ErrorCode::command_line,
                        fmt::format("--within: expected a length of 0 or more, found '{}'", options.within),
                        within ? "For example --within 2mm." : within.error().text + ".");
    out.within = within->value;
  }
  return out;
}

/// What a ruler reads between places.
Status measure_places(const ProbeVerbOptions& options, int ways, Context& context) {
  if (ways > 0 || options.measure.size() < 2 || options.measure.size() > 3)
    return make_error(ErrorCode::command_line,
                      fmt::format("--measure: expected two or three places and nothing else to probe, found {}",
                                  options.measure.size()),
                      "For example --measure 0,0,0 --measure 1,0,0 --measure 1,2,0.");
  std::vector<Vec3> places;
  for (const std::string& text : options.measure) {
    const auto place = typed_place(text, "--measure");
    if (!place) return place.error();
    places.push_back(*place);
  }
  const Ruler ruler = measure(places);
  Json object = {{"length", ruler.length}, {"apart", {ruler.apart[0], ruler.apart[1], ruler.apart[2]}}};
  context.say("length  {}", format_quantity(ruler.length, "m", 8));
  context.say("apart   {} m", place_text(ruler.apart, 8));
  if (places.size() == 3) {
    constexpr double degrees = 180 / std::numbers::pi;
    object["second_length"] = ruler.second_leg;
    object["angle"] = ruler.angle ? Json(*ruler.angle * degrees) : Json();
    context.say("then    {}", format_quantity(ruler.second_leg, "m", 8));
    context.say("angle   {}", ruler.angle ? fmt::format("{:.8g}°", *ruler.angle * degrees)
                                          : std::string("none: two of the places are the same"));
  }
  context.object(object);
  return {};
}

Status probe(const ProbeVerbOptions& options, Context& context) {
  const int ways = !options.points.empty() + !options.point.empty() + !options.line.empty() + !options.over.empty();
  if (ways > 1)
    return make_error(ErrorCode::command_line, "expected one of --points, --point, --line and --over, found several",
                      "Call it once for each.");
  if (!options.to.empty() && options.to != "csv" && options.to != "text")
    return make_error(ErrorCode::command_line, fmt::format("--to: expected csv or text, found '{}'", options.to),
                      "With --json one JSON object is printed.");
  if (options.to == "text" && !options.out.empty())
    return make_error(ErrorCode::command_line, "-o writes CSV, --to text was asked for", "Leave one of them out.");
  const auto folder = run_folder_named(options.run);
  if (!folder) return folder.error();
  if (!options.measure.empty()) return measure_places(options, ways, context);
  const auto reader = VtkhdfReader::open(*folder);
  if (!reader) return reader.error();
  if (ways == 0) {
    if (!options.field.empty() || !options.out.empty() || !options.to.empty())
      return make_error(ErrorCode::command_line, "where are values wanted?",
                        "Add --point x,y,z, --points FILE, --line A B N or --over all. "
                        "`conoid probe RUN` alone lists fields, frames and groups.");
    return describe(*folder, **reader, context);
  }
  const auto asked = understand(options, *folder, **reader);
  if (!asked) return asked.error();
  std::vector<Vec3> points;
  if (!options.points.empty()) {
    auto read = read_places(options.points);
    if (!read) return read.error();
    points = std::move(read).value();
  }
  for (const std::string& text : options.point) {
    const auto place = typed_place(text, "--point");
    if (!place) return place.error();
    points.push_back(*place);
  }
  if (!options.line.empty()) {
    const auto from = typed_place(options.line[0], "--line");
    if (!from) return from.error();
    const auto to = typed_place(options.line[1], "--line");
    if (!to) return to.error();
    const auto count = parse_quantity(options.line[2], "1");
    if (!count || !(count->value >= 2 && count->value <= most_line_points) || count->value != std::floor(count->value))
      return make_error(ErrorCode::command_line,
                        fmt::format("--line: expected a number of points from 2 to {}, found '{}'", most_line_points,
                                    options.line[2]),
                        "For example --line 0,0,0 1,0,0 101.");
    const auto n = static_cast<int>(count->value);
    for (int i = 0; i < n; ++i)
      points.push_back(vec::axpy(static_cast<double>(i) / (n - 1), vec::sub(*to, *from), *from));
  }
  const auto table =
      options.over.empty() ? values_at(*asked, points, !options.line.empty()) : sums_over(*asked, options.over);
  if (!table) return table.error();
  return hand_out(*table, options, (*reader)->run().empty() ? folder->filename().string() : (*reader)->run(), context);
}

void add_probe(OptionSet verb, Context& context) {
  const auto options = std::make_shared<ProbeVerbOptions>();
  verb.value("RUN", options->run, "Run folder, its name below runs/, or 'latest'; alone: what it holds").required();
  verb.value("--point", options->point, "A place x,y,z with units or in metres (x,y: z is 0); may be repeated")
      .repeated();
  verb.value("--points", options->points, "CSV of places, one a row; headings may have units: x[mm],y[mm],z[mm]");
  verb.value("--line", options->line, "A line: from x,y,z to x,y,z, number of points").takes(3);
  verb.value("--over", options->over,
             "Integral, mean, min and max over a group of the mesh, a part, or all; may be repeated")
      .repeated();
  verb.value("--field", options->field, "Field (default: the solver's main one, the first that probe lists)");
  verb.value("--formula", options->formulas,
             "A field of others, \"name [unit] = formula\": \"speed [m/s] = sqrt(v_x^2+v_y^2)\"; may be repeated")
      .repeated();
  verb.value("--measure", options->measure,
             "A place x,y,z; given twice: how far they are apart, three times: the angle at the second")
      .repeated();
  verb.value("--part", options->part,
             "Part of the frames (default: of all that have the field the finest at each place)");
  verb.value("--component", options->component, "x, y, z or magnitude of a vector (default: all components)");
  verb.value("--show", options->show,
             "real, imaginary, magnitude or phase of a complex field (default: real and imaginary)");
  verb.value("--frames", options->frames, "all, last, first, numbers (0,5,-1), ranges (10:20, 0.1s:0.3s)")
      .shown_default();
  verb.value("--within", options->within, "Farthest that a place may be from a surface (default: 1 % of its diagonal)");
  verb.value("--to", options->to, "text (default) or csv");
  verb.value("-o,--out", options->out, "CSV file to write");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] {
    if (auto status = probe(*options, context); !status) context.fail(status.error());
  });
}

}  // namespace

Verb probe_verb() {
  return {"probe", "Values of a field at points, along lines, over surfaces and volumes",
          "  conoid probe latest\n"
          "  conoid probe latest --formula 'twice = 2*pressure' --point 0,0,0\n"
          "  conoid probe latest --measure 0,0,0 --measure 1,0,0 --measure 1,2,0\n"
          "  conoid probe latest --field pressure --point 0,0,-500m --frames all\n"
          "  conoid probe latest --field pressure --line 0,0,0 0,0,-1.2km 101 -o depth.csv\n"
          "  conoid probe latest --field pressure --over all --frames 0.1s:0.3s\n",
          add_probe};
}

}  // namespace conoid::cli
