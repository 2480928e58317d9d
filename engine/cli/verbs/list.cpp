// SPDX-License-Identifier: BSD-3-Clause
// conoid list: the solvers of this program and the sample cases that came with it; conoid list SOLVER: the keys of its cases.
#include <memory>

#include "engine/case/schema.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/solver_rows.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

/// What computes each phase of a solver, for programs.
Json phases_of(const SolverInfo& info) {
  Json out = Json::array();
  for (const Capability& c : info.capabilities)
    out.push_back({{"phase", c.phase},
                   {"processors", true},
                   {"device", c.device},
                   {"devices", c.devices},
                   {"ranks", c.ranks},
                   {"windows", c.windows.empty() ? Json(nullptr) : Json(c.windows)}});
  return out;
}

/// The same for a person.
std::string phases_table(const SolverInfo& info) {
  std::vector<std::vector<std::string>> rows;
  for (const Capability& c : info.capabilities) {
    std::string who = "processors";
    if (c.device) who += c.devices ? ", one device or several" : ", one device";
    if (c.ranks) who += ", ranks";
    rows.push_back({std::string(c.phase), who, c.windows.empty() ? "" : fmt::format("windows on {}", c.windows)});
  }
  return aligned(rows, "  ");
}

void list(Context& context) {
  Json solvers = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const SolverInfo* info : registered_solvers()) {
    solvers.push_back(
        {{"id", info->id}, {"title", info->title}, {"summary", info->summary}, {"phases", phases_of(*info)}});
    rows.push_back({std::string(info->id), std::string(info->title)});
  }
  context.say("Solvers");
  context.write(rows.empty() ? "  none in this build" : aligned(rows, "  "));

  Json cases = Json::array();
  rows.clear();
  for (const SampleCase& c : sample_cases()) {
    cases.push_back({{"name", c.name},
                     {"path", c.file.string()},
                     {"solver", c.solver},
                     {"title", c.title},
                     {"summary", c.summary},
                     {"seconds", c.seconds > 0 ? Json(c.seconds) : Json(nullptr)}});
    rows.push_back({c.name, c.solver, c.seconds > 0 ? format_duration(c.seconds) : "", c.title});
  }
  context.say("\nSample cases (conoid new NAME copies one)");
  context.write(rows.empty() ? fmt::format("  none in '{}'; CONOID_RESOURCES names another folder",
                                           (resources_folder() / "cases").string())
                             : aligned(rows, "  "));
  context.object({{"solvers", solvers}, {"cases", cases}});
}

/// The keys of a solver's case: a manual page made of its schema.
void list_keys(const std::string& solver, Context& context) {
  const auto named = solvers_named(solver);
  if (!named) return context.fail(named.error());
  const SolverInfo& info = *named->front();
  const auto schema = Schema::for_solver(info.id, info.schema);
  if (!schema) return context.fail(schema.error());
  context.say("{}: {}\n{}\n", info.id, info.title, info.summary);
  context.write(schema->manual());
  if (!info.capabilities.empty()) {
    context.say("\nWho computes each phase");
    context.write(phases_table(info));
  }
  Json keys = Json::array();
  for (const auto& [pointer, node] : schema->fields()) {
    Json key = {{"key", pointer}, {"takes", describe(node)}};
    for (const char* word : {"unit", "default", "title", "description", "when", "mandatory"})
      if (node.contains(word)) key[word] = node[word];
    keys.push_back(std::move(key));
  }
  context.object(
      {{"id", info.id}, {"title", info.title}, {"summary", info.summary}, {"phases", phases_of(info)}, {"keys", keys}});
}

void add_list(OptionSet verb, Context& context) {
  const auto solver = std::make_shared<std::string>();
  verb.value("SOLVER", *solver,
             "The keys of this solver's case, with units, defaults and help (also: conoid help SOLVER)");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([solver, &context] { solver->empty() ? list(context) : list_keys(*solver, context); });
}

}  // namespace

Verb list_verb() {
  return {"list", "List solvers and sample cases, or the keys of a solver's case",
          "  conoid list\n  conoid list SOLVER\n  conoid list --json\n", add_list};
}

}  // namespace conoid::cli
