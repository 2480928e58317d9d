// SPDX-License-Identifier: BSD-3-Clause
// conoid verify [SOLVER]: compares solvers with exact or published numbers.
#include <cmath>
#include <optional>

#include "engine/cli/solver_rows.hpp"
#include "engine/cli/verbs/verbs.hpp"

namespace conoid::cli {
namespace {

Json verify_row_json(const VerifyRow& row, bool with_solver, std::string_view solver) {
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

void verify(const RowsOptions& options, Context& context) {
  const auto solvers = solvers_named(options.solver);
  if (!solvers) return context.fail(solvers.error());
  const auto offered = test_run(options);
  if (!offered) return context.fail(offered.error());
  const TestRun& how = *offered;

  Json rows = Json::array();
  std::vector<std::string> others;
  std::vector<Diagnostic> notes;
  std::optional<Error> failure;
  int failed = 0;
  RowPrinter printer(context, {"", "name", "value", "", "limit", "source"}, {8, 46, 12, 3, 16, 0});
  for (const SolverInfo* info : *solvers) {
    context.say("{}: {}", info->id, info->verify ? info->title : "has no verification table");
    if (!info->verify) continue;
    auto sink = [&](VerifyRow row) {
      if (!how.wants(row.name)) return others.push_back(row.name);
      failed += row.passed() ? 0 : 1;
      const std::string unit = row.unit == "1" ? "" : " " + row.unit;
      printer.row({row.passed() ? "ok" : "FAILED", row.name, number_text(row.value), row.at_least ? "≥" : "≤",
                   number_text(row.limit) + unit, row.source});
      rows.push_back(verify_row_json(row, options.solver.empty(), info->id));
    };
    const Index before = how.tally->passes;
    if (const Status status = run_table([&] { return info->verify(how, sink); }); !status) {
      failure = status.error();
      break;
    }
    if (auto idle = idle_devices(how, info, info->id, before)) notes.push_back(std::move(*idle));
  }
  if (failed > 0) context.exit = static_cast<int>(ErrorCode::not_converged);
  if (!rows.empty() || options.only.empty())
    context.say("{} of {} passed", rows.size() - static_cast<std::size_t>(failed), rows.size());
  conclude_rows(options, context, machine_json(how.offer.machine, how.threads), rows, others, notes, failure);
}

void add_verify(OptionSet verb, Context& context) {
  add_rows_options(verb, context, "A solver's id (default: all)", verify);
}

}  // namespace

Verb verify_verb() {
  return {"verify", "Compare solvers with exact or published numbers (exit 5 if a row fails)",
          "  conoid verify\n"
          "  conoid verify acoustic-fd --quick\n"
          "  conoid verify acoustic-bem --quick --workers cuda:0 --only \"rigid sphere\"\n"
          "  conoid verify acoustic-fd --json > verify.json\n",
          add_verify};
}

}  // namespace conoid::cli
