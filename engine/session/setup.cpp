// SPDX-License-Identifier: BSD-3-Clause
// Every check that needs no computing, in the order in which a person would want to hear of it.
#include "engine/session/setup.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/session/wave_numbers.hpp"

namespace conoid {
namespace {

Result<const SolverInfo*> solver_of(const CaseDocument& document) {
  std::vector<std::string> ids;
  for (const SolverInfo* info : registered_solvers()) ids.emplace_back(info->id);
  const Json& json = document.json();
  if (!json.is_object() || !json.contains("solver") || !json["solver"].is_string())
    return make_error(ErrorCode::invalid_input, "the case does not say which solver it is for",
                      fmt::format("Add \"solver\": one of {}.", fmt::join(ids, ", ")), document.place("/solver"));
  const std::string id = json["solver"].get<std::string>();
  if (const SolverInfo* info = find_solver(id)) return info;
  const std::string near = nearest(id, ids);
  return make_error(
      ErrorCode::invalid_input, fmt::format("there is no solver '{}'", id),
      near.empty() ? fmt::format("Known solvers: {}.", fmt::join(ids, ", ")) : fmt::format("Did you mean '{}'?", near),
      document.place("/solver"));
}

/// A body a thousand wavelengths long is more often a slip of a unit than what is meant.
void question_wavelengths(Setup& out, const CaseDocument& document, const Schema& schema) {
  if (!out.mesh) return;
  constexpr double many = 1000;
  const double frequency = highest_frequency(document.json()), speed = lowest_speed(document.json(), schema.json());
  const auto [low, high] = out.mesh->bounds();
  const double length = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  if (!(speed > 0) || !(frequency * length >= many * speed)) return;
  out.diagnostics.push_back(
      make_warning(fmt::format("the mesh is {:.3g} wavelengths long: {} at {}, where a wave is {} long",
                               frequency * length / speed, format_quantity(length, "m"),
                               format_quantity(frequency, "Hz"), format_quantity(speed / frequency, "m")),
                   "Check the frequency and the unit of the mesh.", document.place("/mesh")));
}

void fill(Setup& out, const CaseDocument& document, Progress& progress, const std::stop_token& stop, Meshing meshing,
          const OfferSources& sources, KeptSolver& kept) {
  auto fail = [&out](Error error) { out.diagnostics.push_back(std::move(error)); };
  auto info = solver_of(document);
  if (!info) return fail(info.error());
  out.info = *info;

  auto schema = Schema::for_solver(out.info->id, out.info->schema);
  if (!schema) return fail(schema.error());
  out.diagnostics = validate(document, *schema);
  if (has_errors(out.diagnostics)) return;
  auto add = [&out](const std::vector<Diagnostic>& more) {
    out.diagnostics.insert(out.diagnostics.end(), more.begin(), more.end());
  };
  add(check_files(document, *schema));
  if (has_errors(out.diagnostics)) return;
  auto input = Case::resolve(document, *schema);
  if (!input) return fail(input.error());
  out.input = std::move(*input);
  auto offer = make_offer(out.input, sources);
  if (!offer) return fail(offer.error());
  out.offer = std::move(*offer);

  if (meshing == Meshing::never)
    if (const auto geometry = unmeshed_geometry(out.input); !geometry.empty()) {
      out.unmeshed = true;
      const auto why = needs_trust(geometry);
      const auto gmsh = find_gmsh();
      std::string text = fmt::format(
          "'{}' has not been meshed yet: groups, the solver's own rules and what it takes were not looked at",
          geometry.string());
      if (why) text += "; line " + std::to_string(why->place.line) + ": " + why->text;
      if (!gmsh) text += "; " + gmsh.error().text;
      out.diagnostics.push_back(make_warning(
          text,
          !gmsh ? gmsh.error().hint
          : why ? why->hint
                : "`conoid run` meshes it, and so does `conoid mesh FILE`; looking at a case executes nothing.",
          document.place("/mesh/file")));
      return;
    }
  const bool has_mesh = out.input.values().has("mesh");
  if (has_mesh) progress.begin("read mesh", 0, "");
  auto mesh = mesh_of(out.input, stop, &out.diagnostics, meshing);
  if (has_mesh) progress.end();
  if (!mesh) return fail(mesh.error());
  out.mesh = std::move(*mesh);
  if (out.mesh) {
    std::vector<std::string> groups;
    for (const MeshGroup& group : out.mesh->groups()) groups.push_back(group.name);
    add(check_groups(document, *schema, groups));
    if (has_errors(out.diagnostics)) return;
  }

  question_wavelengths(out, document, *schema);
  if (!kept.solver || kept.info != out.info) kept = {out.info, out.info->make()};
  add(kept.solver->check(out.input, out.mesh.get(), out.offer));
  if (has_errors(out.diagnostics)) return;
  auto estimate = kept.solver->estimate(out.input, out.mesh.get(), out.offer);
  if (!estimate) return fail(estimate.error());
  out.plan = plan_run(out.offer, out.input, *estimate);
  out.estimate = out.plan.estimate;
  add(out.plan.diagnostics);
  out.looked_at = true;
}

}  // namespace

Setup set_up(const CaseDocument& document, Progress& progress, std::stop_token stop, Meshing meshing,
             const OfferSources& sources) {
  Setup out;
  KeptSolver solver;
  try {
    fill(out, document, progress, stop, meshing, sources, solver);
    if (out.looked_at) out.solver = std::move(solver.solver);
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
  }
  return out;
}

Setup look_at(const CaseDocument& document, Progress& progress, KeptSolver& kept, Meshing meshing,
              const OfferSources& sources) {
  Setup out;
  try {
    fill(out, document, progress, {}, meshing, sources, kept);
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
    out.looked_at = false;
    kept = {};  // whatever state it is in
  }
  return out;
}

}  // namespace conoid
