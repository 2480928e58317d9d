// SPDX-License-Identifier: BSD-3-Clause
// conoid list: the solvers of this program and the sample cases that came with it.
#include "engine/cli/inputs.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

void list(Context& context) {
  Json solvers = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const SolverInfo* info : registered_solvers()) {
    solvers.push_back({{"id", info->id}, {"title", info->title}, {"summary", info->summary}});
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

void add_list(OptionSet verb, Context& context) {
  verb.flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.on_use([&context] { list(context); });
}

}  // namespace

Verb list_verb() {
  return {"list", "List solvers and sample cases", "  conoid list\n  conoid list --json\n", add_list};
}

}  // namespace conoid::cli
