// SPDX-License-Identifier: BSD-3-Clause
// Runs whose numbers are known exactly, and how fast explicit steps are.
#include <cmath>

#include <fmt/core.h>

#include "engine/solvers/run_case.hpp"
#include "engine/solvers/verify_rows.hpp"

namespace conoid::heat_rod {

const SolverInfo& solver_info();

namespace {

Json rod(Index cells, const char* scheme, double fourier, Index steps) {
  return {{"rod", {{"cells", cells}}}, {"parameters", {{"scheme", scheme}, {"fourier", fourier}, {"steps", steps}}}};
}

}  // namespace

Status verify(const TestRun& run, const VerifySink& sink) {
  const VerifyRows rows{run, sink};
  RowCases runs(solver_info(), run);
  run.doing("runs that are known exactly");
  rows.at_most("discrete solution, 301 steps", runs.number(rod(37, "explicit", 0.47, 301), "rounding"), 1e-12,
               "eigenvector");
  rows.at_most("discrete solution, 40 implicit steps", runs.number(rod(1000, "implicit", 30, 40), "rounding"), 1e-11,
               "eigenvector");
  for (const double f : {0.4, 1.0 / 6.0}) {
    const auto error = [&](Index n) { return runs.number(rod(n, "explicit", f, n * n / 4), "error"); };
    rows.at_least(fmt::format("observed order, F = {:.3f}", f), std::log2(error(16) / error(32)),
                  f == 0.4 ? 1.95 : 3.95, "exact exponential decay");
  }
  return {};
}

Status bench(const TestRun& run, const BenchSink& sink) {
  RowCases runs(solver_info(), run);
  (void)runs.number(rod(1 << 20, "explicit", 0.4, run.quick ? 50 : 500), "steps");
  sink({"update, 2^20 cells", runs.rate_of("update") * 1e-9, "Gcells/s", 0, 0, "", "bandwidth"});
  return {};
}

}  // namespace conoid::heat_rod
