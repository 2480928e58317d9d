// SPDX-License-Identifier: BSD-3-Clause
// Rows of verification and benchmark.
#include "engine/cli/solver_rows.hpp"

#include <algorithm>
#include <ctime>
#include <memory>

#include <fmt/ranges.h>

#include "conoid/config.hpp"
#include "engine/case/case.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/utc.hpp"
#include "engine/session/offer.hpp"

namespace conoid::cli {

void add_rows_options(OptionSet verb, Context& context, const char* solver,
                      std::function<void(const RowsOptions&, Context&)> use,
                      const std::function<void(OptionSet, RowsOptions&)>& more) {
  const auto options = std::make_shared<RowsOptions>();
  verb.value("SOLVER", options->solver, solver);
  verb.flag("--quick", options->quick, "Within 45 s a solver on two cores");
  verb.value("--only", options->only, "Only rows whose names begin with this");
  if (more) more(verb, *options);
  add_resource_options(verb, options->resources);
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, use = std::move(use), &context] { use(*options, context); });
}

Result<std::vector<const SolverInfo*>> solvers_named(const std::string& id) {
  const auto all = registered_solvers();
  if (id.empty()) return std::vector<const SolverInfo*>(all.begin(), all.end());
  if (const SolverInfo* info = find_solver(id)) return std::vector<const SolverInfo*>{info};
  std::vector<std::string> ids;
  for (const SolverInfo* info : all) ids.emplace_back(info->id);
  const std::string near = nearest(id, ids);
  return make_error(
      ErrorCode::command_line, fmt::format("there is no solver '{}'", id),
      near.empty() ? fmt::format("Known solvers: {}.", fmt::join(ids, ", ")) : fmt::format("Did you mean '{}'?", near));
}

Result<TestRun> test_run(const RowsOptions& options) {
  const auto request = request_of(options.resources);
  if (!request) return request.error();
  auto offer = make_table_offer(*request);
  if (!offer) return offer.error();
  TestRun how;
  how.quick = options.quick;
  how.only = options.only;
  how.threads = offer->threads.value;
  how.free_memory = offer->host.said() ? offer->host.value : offer->machine.free_memory;
  how.offer = std::move(*offer);
  return how;
}

std::optional<Diagnostic> idle_devices(const TestRun& run, const SolverInfo* solver, std::string_view table,
                                       Index before) {
  if (run.offer.devices.empty() || run.offer.automatic || run.tally->passes > before) return {};
  const std::string& named = run.offer.who.value;
  if (!solver || !solver->runs_on_devices())
    return make_warning(fmt::format("'{}' names a device, but no part of {} runs on devices", named, table),
                        "It takes a thread from the processors for nothing: leave it out.");
  return make_warning(fmt::format("'{}' names a device, but it computed nothing in these rows of {}", named, table),
                      "`conoid list --json` says which phases of a solver run on devices.");
}

Json machine_json(const Machine& machine, int threads) {
  return {{"host", machine.host},
          {"processor", machine.processor},
          {"cores", machine.cores},
          {"threads", threads},
          {"memory", machine.memory}};
}

Status run_table(const std::function<Status()>& table) {
  try {
    return table();
  } catch (...) {
    return current_exception_as_error();
  }
}

namespace {

Error no_row_begins_so(const RowsOptions& options, const std::vector<std::string>& others) {
  constexpr std::size_t most = 40;
  std::string hint =
      others.empty() ? "Without --only all rows are shown." : "Rows that begin otherwise (some are not computed then):";
  for (std::size_t k = 0; k < std::min(others.size(), most); ++k) hint += "\n    " + others[k];
  if (others.size() > most) hint += fmt::format("\n    and {} more", others.size() - most);
  const std::string of = options.solver.empty() ? "any table" : "the table of " + options.solver;
  return make_error(
      ErrorCode::command_line,
      fmt::format("no row of {}{} begins with '{}'", of, options.quick ? " (with --quick)" : "", options.only), hint);
}

/// Ranks that were started together may leave the rows to the first of them.
bool leads_ranks() {
  if (!started_by_mpi()) return true;
  const auto ranks = world();
  return !ranks.ok() || (*ranks)->leads();
}

}  // namespace

void conclude_rows(const RowsOptions& options, Context& context, const Json& machine, const Json& rows,
                   const std::vector<std::string>& others, const std::vector<Diagnostic>& notes,
                   std::optional<Error> failure, const std::function<Status(Json&)>& keep) {
  if (!failure && rows.empty() && !options.only.empty() && leads_ranks()) failure = no_row_begins_so(options, others);
  Json out = {{"solver", options.solver.empty() ? "all" : options.solver},
              {"when", utc_text(std::time(nullptr))},
              {"conoid", CONOID_VERSION},
              {"machine", machine},
              {"quick", options.quick},
              {"rows", rows},
              {"diagnostics", Json::array()}};
  for (const Diagnostic& note : notes) {
    context.write(note.render());
    out["diagnostics"].push_back(to_json(note));
  }
  const auto fail = [&](const Error& error) {
    print_error(error);
    context.exit = static_cast<int>(error.code);
    out["error"] = to_json(error);
  };
  if (failure) fail(*failure);
  if (keep)
    if (const Status kept = keep(out); !kept) fail(kept.error());
  context.object(out);
}

RowPrinter::RowPrinter(const Context& context, std::vector<std::string> headings, std::vector<std::size_t> widths)
    : context_(context), headings_(std::move(headings)), widths_(std::move(widths)) {}

void RowPrinter::line(const std::vector<std::string>& cells) const {
  std::string out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    out += cells[c];
    if (c + 1 == cells.size()) break;
    const std::size_t used = width(cells[c]);
    out.append(used < widths_[c] ? widths_[c] - used : 1, ' ');
  }
  context_.write(out);
}

void RowPrinter::row(const std::vector<std::string>& cells) {
  if (!begun_) line(headings_);
  begun_ = true;
  line(cells);
}

}  // namespace conoid::cli
