// SPDX-License-Identifier: BSD-3-Clause
// conoid verify [SOLVER]: compares solvers with exact or published numbers.
#include <cmath>
#include <memory>

#include "engine/cli/solver_rows.hpp"
#include "engine/cli/verbs/verbs.hpp"

namespace conoid::cli {
namespace {

struct Options {
  std::string solver;
  bool quick = false;
};

Json row_json(const VerifyRow& row, bool with_solver, std::string_view solver) {
  Json out = Json::object();
  if (with_solver) out["solver"] = solver;
  out["name"] = row.name;
  out["value"] = number_json(row.value);
  out["unit"] = row.unit;
  out["limit"] = number_json(row.limit);
  out["ratio"] = number_json(row.limit != 0 ? row.value / row.limit : std::nan(""));
  out["at_least"] = row.at_least;
  out["passed"] = row.passed();
  out["source"] = row.source;
  return out;
}

void verify(const Options& options, Context& context) {
  const auto solvers = solvers_named(options.solver);
  if (!solvers) return context.fail(solvers.error());
  const Machine machine = this_machine();
  TestRun how;
  how.quick = options.quick;
  how.threads = threads_here(machine);

  Json rows = Json::array();
  std::optional<Error> failure;
  int failed = 0;
  RowPrinter printer(context, {"", "name", "value", "", "limit", "source"}, {8, 46, 12, 3, 16, 0});
  for (const SolverInfo* info : *solvers) {
    context.say("{}: {}", info->id, info->verify ? info->title : "has no verification table");
    if (!info->verify) continue;
    auto sink = [&](VerifyRow row) {
      failed += row.passed() ? 0 : 1;
      const std::string unit = row.unit == "1" ? "" : " " + row.unit;
      printer.row({row.passed() ? "ok" : "FAILED", row.name, number_text(row.value), row.at_least ? "≥" : "≤",
                   number_text(row.limit) + unit, row.source});
      rows.push_back(row_json(row, options.solver.empty(), info->id));
    };
    try {
      const Status status = info->verify(how, sink);
      if (!status && !failure) failure = status.error();
    } catch (...) {
      if (!failure) failure = current_exception_as_error();
    }
    if (failure) break;
  }
  if (failure) {
    print_error(*failure);
    context.exit = static_cast<int>(failure->code);
  } else if (failed > 0) {
    context.exit = static_cast<int>(ErrorCode::not_converged);
  }
  context.say("{} of {} passed", rows.size() - static_cast<std::size_t>(failed), rows.size());
  Json out = {{"solver", options.solver.empty() ? "all" : options.solver},
              {"machine", machine_json(machine, how.threads)},
              {"quick", options.quick},
              {"rows", rows}};
  if (failure) out["error"] = to_json(*failure);
  context.object(out);
}

void add(OptionSet verb, Context& context) {
  const auto options = std::make_shared<Options>();
  verb.value("SOLVER", options->solver, "A solver's id (default: all)");
  verb.flag("--quick", options->quick, "Within 45 s a solver on two cores");
  verb.flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.on_use([options, &context] { verify(*options, context); });
}

}  // namespace

Verb verify_verb() {
  return {"verify", "Compare solvers with exact or published numbers (exit 5 if a row fails)",
          "  conoid verify\n"
          "  conoid verify acoustic-fd --quick\n"
          "  conoid verify acoustic-fd --json > verify.json\n",
          add};
}

}  // namespace conoid::cli
