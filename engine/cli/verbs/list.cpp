// SPDX-License-Identifier: BSD-3-Clause
// conoid list: the solvers of this program and the sample cases that came with it; conoid list SOLVER: the keys of its cases.
#include <algorithm>
#include <cctype>
#include <memory>

#include "engine/case/former_names.hpp"
#include "engine/case/materials.hpp"
#include "engine/case/schema.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/solver_rows.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/session/case_start.hpp"
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
  Json starts = Json::array();
  rows.clear();
  for (const CaseStart& start : case_starts()) {
    starts.push_back({{"name", start.id},
                      {"solver", start.solver},
                      {"title", start.title},
                      {"summary", start.description},
                      {"takes", start.sheet ? "sheet" : "body"}});
    rows.push_back({start.id, start.solver, start.sheet ? "sheet" : "body", start.title});
  }
  context.say("\nCases around a body (conoid new NAME --mesh FILE)");
  context.write(rows.empty() ? "  none in this build" : aligned(rows, "  "));
  context.object({{"solvers", solvers}, {"cases", cases}, {"starts", starts}});
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
    for (const char* word : {"unit", "default", "title", "description", "when", "mandatory", "formerly"})
      if (node.contains(word)) key[word] = node[word];
    keys.push_back(std::move(key));
  }
  Json renamed = Json::array();
  for (const auto& [pointer, names] : renamed_keys(*schema)) renamed.push_back({{"key", pointer}, {"formerly", names}});
  context.object({{"id", info.id},
                  {"title", info.title},
                  {"summary", info.summary},
                  {"phases", phases_of(info)},
                  {"keys", keys},
                  {"renamed", renamed}});
}

/// The library of materials, or the entries whose name, class or note has `word`.
void list_materials(const std::string& word, Context& context) {
  const auto all = library_materials();
  if (!all) return context.fail(all.error());
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  Json out = Json::array();
  std::string kind;
  std::size_t shown = 0;
  for (const LibraryMaterial& one : *all) {
    if (lower(one.name + ' ' + one.kind + ' ' + one.note).find(lower(word)) == std::string::npos) continue;
    ++shown;
    out.push_back({{"name", one.name},
                   {"class", one.kind},
                   {"note", one.note},
                   {"values", one.values},
                   {"source", one.source},
                   {"own", one.own}});
    if (kind != one.kind) context.say("{}{}", shown > 1 ? "\n" : "", one.kind);
    kind = one.kind;
    std::string values;
    for (const auto& [key, value] : one.values.items())
      values += (values.empty() ? "" : ", ") + key + ' ' +
                (value.is_string() ? value.get<std::string>() : compact_json(value));
    context.say("  {}{}{}", one.name, one.note.empty() ? "" : " (" + one.note + ')', one.own ? ", your own" : "");
    context.say("    {}", values);
    context.say("    {}", one.source);
  }
  if (shown == 0) context.say("No material with '{}' in its name, class or note.", word);
  context.object({{"materials", out}});
}

void add_list(OptionSet verb, Context& context) {
  const auto solver = std::make_shared<std::string>();
  const auto word = std::make_shared<std::string>();
  verb.value("SOLVER", *solver,
             "The keys of this solver's case, with units, defaults and help (also: conoid help SOLVER); or: materials");
  verb.value("WORD", *word, "Of materials: only those with this in their name, class or note");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([solver, word, &context] {
    if (*solver == "materials") return list_materials(*word, context);
    solver->empty() ? list(context) : list_keys(*solver, context);
  });
}

}  // namespace

Verb list_verb() {
  return {"list", "List solvers, sample cases and cases around a body; the keys of a solver's case; materials",
          "  conoid list\n  conoid list SOLVER\n  conoid list materials steel\n  conoid list --json\n", add_list};
}

}  // namespace conoid::cli
