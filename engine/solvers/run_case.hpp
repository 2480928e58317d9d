// SPDX-License-Identifier: BSD-3-Clause
// A case from its beginning to its end without a session: no files, frames or checkpoints. For rows of `verify` and `bench` that are those
// of whole runs.
#pragma once

#include <string_view>

#include "engine/core/json.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid {

/// Of a case of this solver (which need not name it) without a mesh, on one rank. `offer`: that of `team`. Errors: those of the case, and of its run.
[[nodiscard]] Result<MemoryResults> run_case(const SolverInfo& solver, const Json& input, Team& team,
                                             const Offer& offer);

/// Cases of a solver as the workers of a table compute them.
class RowCases {
 public:
  /// `host`: memory that a run may take.
  RowCases(const SolverInfo& solver, const TestRun& run, Bytes host = Bytes{1} << 30);
  /// A number of the run's summary; NaN where there is none of this name. Throws Failure with the errors of run_case().
  [[nodiscard]] double number(const Json& input, std::string_view name);
  /// Items a second that a phase had in the last run, by what all its passes took together.
  [[nodiscard]] double rate_of(std::string_view phase);

 private:
  const SolverInfo& solver_;
  RowTeam team_;
  Offer offer_;
};

}  // namespace conoid
