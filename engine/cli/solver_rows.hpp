// SPDX-License-Identifier: BSD-3-Clause
// What `verify` and `bench` share: which solvers, the machine, rows as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/output.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {

/// The solver of this id, or all for an empty id. An unknown id is an error that names the nearest.
[[nodiscard]] Result<std::vector<const SolverInfo*>> solvers_named(const std::string& id);

/// Threads a verification or benchmark uses: OMP_NUM_THREADS, else the cores at hand.
[[nodiscard]] int threads_here(const Machine& machine);

/// {"host","processor","cores","threads","memory"}
[[nodiscard]] Json machine_json(const Machine& machine, int threads);

/// Prints rows as they come, under a heading, in columns wide enough for most names.
class RowPrinter {
 public:
  RowPrinter(const Context& context, std::vector<std::string> headings, std::vector<std::size_t> widths);
  void row(const std::vector<std::string>& cells);

 private:
  void line(const std::vector<std::string>& cells) const;

  const Context& context_;
  std::vector<std::string> headings_;
  std::vector<std::size_t> widths_;
  bool begun_ = false;
};

}  // namespace conoid::cli
