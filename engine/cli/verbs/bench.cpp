// SPDX-License-Identifier: BSD-3-Clause
// conoid bench [SOLVER]: the machine's own limits first, then the solvers' speed against them.
#include <filesystem>
#include <optional>

#include <fmt/ranges.h>

#include "engine/cli/engine_benches.hpp"
#include "engine/cli/machine_limits.hpp"
#include "engine/cli/solver_rows.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/resources.hpp"
#include "engine/session/offer.hpp"

namespace conoid::cli {
namespace {

Json bench_row_json(const BenchRow& row, std::string_view solver) {
  Json out = Json::object();
  if (!solver.empty()) out["solver"] = solver;
  out["name"] = row.name;
  out["value"] = number_json(row.value);
  out["unit"] = row.unit;
  out["limit"] = row.limit > 0 ? number_json(row.limit) : Json(nullptr);
  out["ratio"] = row.ratio > 0 ? number_json(row.ratio) : Json(nullptr);
  out["passed"] = row.passed();
  out["source"] = row.against;
  out["limited_by"] = row.limited_by;
  if (row.published > 0) out["published"] = number_json(row.published);
  return out;
}

Error no_paper(const std::string& solver) {
  std::vector<std::string> have;
  for (const SolverInfo* info : registered_solvers())
    if (info->paper) have.emplace_back(info->id);
  return make_error(ErrorCode::command_line,
                    solver.empty() ? "no solver of this program has tables of its paper"
                                   : fmt::format("{} has no tables of its paper", solver),
                    have.empty() ? "Leave --paper out." : fmt::format("These have: {}.", fmt::join(have, ", ")));
}

void bench(const RowsOptions& options, Context& context) {
  // Parts of the engine, then solvers: what to measure and under which name.
  std::vector<EngineBench> benches;
  for (const EngineBench& part : engine_benches())
    if (!options.paper && (options.solver.empty() || options.solver == part.id)) benches.push_back(part);
  if (benches.empty() || options.solver.empty()) {
    const auto solvers = solvers_named(options.solver);
    if (!solvers) return context.fail(solvers.error());
    for (const SolverInfo* info : *solvers)
      if (const auto table = options.paper ? info->paper : info->bench)
        benches.push_back({info->id, info->title, table});
    if (options.paper && benches.empty()) return context.fail(no_paper(options.solver));
  }
  const Offer offer = make_offer();
  const Machine& machine = offer.machine;
  const TestRun how = test_run(options, offer);

  Json machine_rows = machine_json(machine, how.threads);
  Json rows = Json::array();
  std::vector<std::string> others;
  RowPrinter printer =
      options.paper
          ? RowPrinter(context, {"name", "value", "unit", "paper", "ratio", "measured"}, {60, 10, 9, 10, 8, 0})
          : RowPrinter(context, {"name", "value", "unit", "ratio", "to", "floor", "limited by"},
                       {46, 10, 12, 8, 20, 12, 0});
  auto print = [&](const BenchRow& row) {
    const std::string ratio = row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "";
    if (options.paper)
      return printer.row({row.name, number_text(row.value), row.unit,
                          row.published > 0 ? number_text(row.published) : "", ratio, row.limited_by});
    printer.row({row.name, number_text(row.value), row.unit, ratio, row.against,
                 row.limit > 0 ? fmt::format("{}{}", number_text(row.limit), row.passed() ? "" : " MISSED") : "",
                 row.limited_by});
  };
  context.say("{}, {} threads", machine.processor, how.threads);
  Json limits = Json::array();
  auto on_limit = [&](const BenchRow& row) {
    print(row);
    limits.push_back(bench_row_json(row, ""));
  };
  Status status = how.only.empty() && !options.paper
                      ? measure_machine_limits(how.threads, options.quick, temporary_folder(), on_limit)
                      : Status();
  machine_rows["limits"] = limits;

  for (const EngineBench& part : benches) {
    if (!status) break;
    context.say("{}: {}", part.id, part.title);
    auto sink = [&](const BenchRow& row) {
      if (!how.wants(row.name)) return others.push_back(row.name);
      print(row);
      rows.push_back(bench_row_json(row, options.solver.empty() ? part.id : ""));
    };
    status = run_table([&] { return part.run(how, sink); });
  }
  conclude_rows(options, context, machine_rows, rows, others, status ? std::nullopt : std::optional(status.error()));
}

void add_bench(OptionSet verb, Context& context) {
  add_rows_options(verb, context, "A solver's id, balance, emulated or window (default: all)", bench, true);
}

}  // namespace

Verb bench_verb() {
  return {"bench", "Measure this machine's limits and the solvers' speed against them",
          "  conoid bench --quick\n"
          "  conoid bench acoustic-fd --json > bench.json\n"
          "  conoid bench maxwell-fem --paper\n"
          "  conoid bench balance\n",
          add_bench};
}

}  // namespace conoid::cli
