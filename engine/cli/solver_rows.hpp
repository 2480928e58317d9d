// SPDX-License-Identifier: BSD-3-Clause
// What `verify` and `bench` share: their options, which solvers, the machine, rows as text and as JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/option_set.hpp"
#include "engine/cli/output.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {

struct RowsOptions {
  std::string solver;  ///< empty: all
  bool quick = false;
  std::string only;     ///< rows whose names begin so; empty: all
  bool paper = false;   ///< instead of the bench's own: tables and figures of the paper that a method comes from
  bool all = false;     ///< bench: whole runs, too
  std::string report;   ///< bench: the page to write
  std::string history;  ///< bench: the folder of earlier reports
  ResourceOptions resources;
};
/// Declares the options of a verb that prints rows. `solver` says what may be named; `more` declares options of this verb alone.
void add_rows_options(OptionSet verb, Context& context, const char* solver,
                      std::function<void(const RowsOptions&, Context&)> use,
                      const std::function<void(OptionSet, RowsOptions&)>& more = {});

/// The solver of this id, or all for an empty id. An unknown id is an error that names the nearest.
[[nodiscard]] Result<std::vector<const SolverInfo*>> solvers_named(const std::string& id);

/// Workers, threads and memory are those that a run with these flags would be offered; processors compute where no workers are named.
/// Errors are those of request_of() and make_table_offer().
[[nodiscard]] Result<TestRun> test_run(const RowsOptions& options);

/// A device that was named and has computed no row of this solver's table, since `before` passes; empty: there is none. With --only this
/// speaks of the rows that were wanted and of those that came with them.
[[nodiscard]] std::optional<Diagnostic> idle_devices(const TestRun& run, const SolverInfo* solver,
                                                     std::string_view table, Index before);

/// {"host","processor","cores","threads","memory"}
[[nodiscard]] Json machine_json(const Machine& machine, int threads);

/// What a table throws is its error.
[[nodiscard]] Status run_table(const std::function<Status()>& table);

/// Prints the failure if there is one, and the object of --json with `notes` as its "diagnostics". `others` are names of rows that --only left out: where it left
/// nothing, that is an error which names them. `keep`, where it is given, may add to the object and keep it before it is printed.
void conclude_rows(const RowsOptions& options, Context& context, const Json& machine, const Json& rows,
                   const std::vector<std::string>& others, const std::vector<Diagnostic>& notes,
                   std::optional<Error> failure, const std::function<Status(Json&)>& keep = {});

/// Prints rows as they come, under a heading, in columns wide enough for most names.
class RowPrinter {
 public:
  RowPrinter(const Context& context, std::vector<std::string> headings, std::vector<std::size_t> widths);
  void row(const std::vector<std::string>& cells);
  void heading(const std::string& text) { row({text}); }  ///< of the rows that follow

 private:
  void line(const std::vector<std::string>& cells) const;

  const Context& context_;
  std::vector<std::string> headings_;
  std::vector<std::size_t> widths_;
  bool begun_ = false;
};

}  // namespace conoid::cli
