// SPDX-License-Identifier: BSD-3-Clause
// Which options are in force and who said so: flag, case, environment or default.
#pragma once

#include <string>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/session/session.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/team/machine.hpp"

namespace conoid {

struct EffectiveOption {
  std::string name;
  std::string value;
  std::string source;  ///< "flag", "case", "environment OMP_NUM_THREADS", "default"
};

struct Effective {
  std::vector<WorkerSpec> workers;
  std::string balancer = "greedy";
  Bytes host_memory = 0;          ///< what the run may take
  double checkpoint_every = 600;  ///< seconds of wall time; 0 = only on request and on stop
  std::vector<EffectiveOption> table;
  std::vector<Diagnostic> warnings;  ///< devices asked for that will have nothing to do

  [[nodiscard]] std::string text() const;  ///< one line, for the log
  [[nodiscard]] Json json() const;         ///< for run.json
};

/// `seconds`: what the processors alone are expected to take, 0 if unknown; "auto" takes devices only where the solver has work for
/// them, and where they pay.
[[nodiscard]] Result<Effective> effective_options(const SessionOptions& options, const Case& input,
                                                  const SolverInfo& solver, const Machine& machine, int ranks,
                                                  double seconds = 0);

}  // namespace conoid
