// SPDX-License-Identifier: BSD-3-Clause
// conoid bench [SOLVER]: the machine's own limits first, then the solvers' speed against them.
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/ranges.h>

#include "engine/cli/bench_page.hpp"
#include "engine/cli/engine_benches.hpp"
#include "engine/cli/machine_limits.hpp"
#include "engine/cli/solver_rows.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/cli/whole_runs.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/team/core_count.hpp"

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

/// The page and the history, where they are asked for. What earlier reports say is read first: these are not among them.
Status keep_bench(const RowsOptions& options, const Json& bench, const Context& context) {
  std::vector<Json> earlier;
  if (!options.history.empty()) {
    std::vector<std::string> left_out;
    auto found = read_earlier_benches(options.history, left_out);
    if (!found) return found.error();
    earlier = std::move(*found);
    for (const std::string& name : left_out)
      context.say("Note: '{}' in {} is not a result of `conoid bench --json`.", name, options.history);
  }
  if (!options.report.empty()) {
    if (Status written = write_file_atomically(options.report, bench_page(bench, earlier)); !written) return written;
    context.say("Report: {}", options.report);
  }
  if (options.history.empty() || bench.contains("error")) return {};
  std::string name = bench["when"].get<std::string>();
  std::erase(name, ':');
  std::filesystem::path file;
  std::error_code ignored;
  for (int n = 1; file.empty() || std::filesystem::exists(file, ignored); ++n)  // another one of the same second
    file = std::filesystem::path(options.history) / (n == 1 ? name + ".json" : fmt::format("{}-{}.json", name, n));
  return write_file_atomically(file, indented_json(bench) + "\n");
}

/// "Table 9, Sedov: serial" as a heading and, below it, a row; a name without either sign is a row of its own.
struct PaperName {
  std::string table, row;
};
PaperName name_in_paper(const std::string& name) {
  const std::size_t at = name.find_first_of(",:");
  if (at == std::string::npos || at + 2 >= name.size() || name[at + 1] != ' ') return {{}, name};
  return {name.substr(0, at), "  " + name.substr(at + 2)};
}

/// What would only be found out when all is measured.
Status expect_places(const RowsOptions& options) {
  const std::filesystem::path report(options.report);
  std::error_code ignored;
  if (!options.report.empty() && report.extension() != ".html" && report.extension() != ".htm")
    return make_error(ErrorCode::command_line,
                      fmt::format("--report: expected a file that ends in .html, found '{}'", options.report),
                      "For example --report bench.html.");
  if (!options.report.empty() && report.has_parent_path() &&
      !std::filesystem::is_directory(report.parent_path(), ignored))
    return make_error(ErrorCode::file, fmt::format("there is no folder '{}'", report.parent_path().string()),
                      "Make it, or name another file for --report.");
  if (!options.history.empty() && !std::filesystem::is_directory(options.history, ignored))
    return make_error(ErrorCode::file, fmt::format("there is no folder '{}'", options.history),
                      "Make it: earlier results are looked for there, and these are added.");
  return {};
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
  if (const Status places = expect_places(options); !places) return context.fail(places.error());
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
  const auto offered = test_run(options);
  if (!offered) return context.fail(offered.error());
  const TestRun& how = *offered;
  const Machine& machine = how.offer.machine;

  Json machine_rows = machine_json(machine, how.threads);
  Json rows = Json::array();
  std::vector<std::string> others;
  std::vector<Diagnostic> notes;
  RowPrinter printer =
      options.paper
          ? RowPrinter(context, {"name", "value", "unit", "paper", "ratio", "by", "note"}, {60, 10, 9, 10, 8, 18, 0})
          : RowPrinter(context, {"name", "value", "unit", "ratio", "to", "floor", "limited by"},
                       {46, 10, 12, 8, 20, 12, 0});
  std::string table;  // whose rows are being printed
  auto print = [&](const BenchRow& row) {
    const std::string ratio = row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "";
    if (options.paper) {
      const PaperName name = name_in_paper(row.name);
      if (name.table != table && !name.table.empty()) printer.heading(name.table);
      table = name.table;
      return printer.row({name.row, std::isfinite(row.value) ? number_text(row.value) : "-", row.unit,
                          row.published > 0 ? number_text(row.published) : "", ratio, row.limited_by, row.against});
    }
    printer.row({row.name, number_text(row.value), row.unit, ratio, row.against,
                 row.limit > 0 ? fmt::format("{}{}", number_text(row.limit), row.passed() ? "" : " MISSED") : "",
                 row.limited_by});
  };
  const int cores = cores_of_threads(how.threads);
  const auto cache = [](Bytes bytes) { return bytes > 0 ? format_bytes(bytes) : std::string("?"); };
  context.say("{}, {} threads{}; caches: {} and {} a core, {}", machine.processor, how.threads,
              cores > 0 ? fmt::format(" of {} cores", cores) : std::string(), cache(machine.l1), cache(machine.l2),
              cache(machine.l3));
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
    const Index passes = how.tally->passes;
    status = run_table([&] { return part.run(how, sink); });
    if (auto idle = idle_devices(how, find_solver(part.id), part.id, passes); idle && status)
      notes.push_back(std::move(*idle));
  }
  Json runs = Json::array();
  if (status && options.all) {
    std::vector<std::string> solvers;
    if (!options.solver.empty()) solvers.push_back(options.solver);
    context.say("whole runs: sample cases, one thread to {}", how.threads);
    status = run_table([&] {
      return measure_whole_runs(how, options.resources, solvers, [&](const BenchRow& row, const WholeRun& run) {
        print(row);
        rows.push_back(bench_row_json(row, options.solver.empty() ? run.solver : ""));
        runs.push_back(to_json(run));
      });
    });
  }
  conclude_rows(options, context, machine_rows, rows, others, notes,
                status ? std::nullopt : std::optional(status.error()), [&](Json& out) {
                  if (options.all) out["runs"] = runs;
                  return keep_bench(options, out, context);
                });
}

void add_bench(OptionSet verb, Context& context) {
  add_rows_options(
      verb, context, "A solver's id, balance, emulated, pictures or window (default: all)", bench,
      [](OptionSet own, RowsOptions& options) {
        own.flag(
            "--paper", options.paper,
            "Instead: the tables and figures of the paper that a method comes from, its numbers beside this machine's");
        own.flag("--all", options.all, "Whole runs of sample cases as well, over threads");
        own.value("--report", options.report, "HTML file to write: machine, limits, rows, whole runs");
        own.value("--history", options.history,
                  "Folder of earlier results: they stand beside these in the report, and these are added");
      });
}

}  // namespace

Verb bench_verb() {
  return {"bench", "Measure this machine's limits and the solvers' speed against them",
          "  conoid bench --quick\n"
          "  conoid bench acoustic-fd --json > bench.json\n"
          "  conoid bench maxwell-fem --paper\n"
          "  conoid bench balance\n"
          "  conoid bench pictures\n"
          "  conoid bench hydro-fem --workers cuda:1 --only device\n"
          "  conoid bench --all --report bench.html --history benches\n",
          add_bench};
}

}  // namespace conoid::cli
