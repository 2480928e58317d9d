// SPDX-License-Identifier: BSD-3-Clause
// Numbers that are known exactly, and how fast explicit steps are.
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "engine/solvers/row_team.hpp"
#include "engine/solvers/solver.hpp"
#include "implicit.hpp"
#include "rod.hpp"
#include "tables.hpp"

namespace conoid::heat_rod {
namespace {

Rod marched(Index cells, double fourier, Index steps, Team& team) {
  Rod rod;
  rod.fourier = fourier;
  rod.start(cells);
  for (Index n = 0; n < steps; ++n) rod.step(team);
  return rod;
}

}  // namespace

Status verify(const TestRun& run, const VerifySink& sink) {
  RowTeam team(run.workers());
  run.doing("discrete solution");
  const Rod odd = marched(37, 0.47, 301, team);
  sink({"discrete solution, 301 steps", odd.relative_error(odd.discrete(301)), "1", 1e-12, false,
        "exact eigenvector of the scheme"});
  for (const auto& [fourier, order] : {std::pair{0.4, 2.0}, std::pair{1.0 / 6.0, 4.0}}) {
    run.doing(fmt::format("order at F = {:.3f}", fourier));
    double before = 0;
    double observed = 0;
    for (const Index cells : {16, 32}) {
      const Index steps = cells * cells / 4;
      const Rod rod = marched(cells, fourier, steps, team);
      const double t = rod.dt() * static_cast<double>(steps);
      const double error = rod.relative_error(rod.exact(t));
      observed = std::log2(before / error);
      before = error;
    }
    sink({fmt::format("observed order, F = {:.3f}", fourier), observed, "1", order - 0.05, true,
          "exact exponential decay"});
  }
  run.doing("implicit");
  const auto alone = single_rank();
  Rod soft;
  soft.implicit = true;
  soft.fourier = 30;
  soft.start(1000);
  ChosenTeam chosen;
  chosen.workers = team.workers();
  Implicit implicit(Layout(1000, {}, Bytes{1} << 20, chosen), soft.fourier, *alone, {});
  for (Index n = 0; n < 40; ++n) (void)implicit.step(team, soft.u);
  sink({"discrete solution, 40 implicit steps", soft.relative_error(soft.discrete(40)), "1", 1e-11, false,
        "exact eigenvector of the scheme"});
  // Asked for by its full name only: what a row that fails looks like.
  const std::string_view beyond = "observed beyond all orders";
  if (run.only == beyond) sink({std::string(beyond), 2, "1", 100, true, "nothing"});
  return {};
}

Status bench(const TestRun& run, const BenchSink& sink) {
  RowTeam team(run.workers());
  Rod rod;
  rod.start(1 << 20);
  const int steps = run.quick ? 50 : 500;
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < steps; ++n) rod.step(team);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sink({"update, 2^20 cells", rod.cells() * steps / seconds * 1e-9, "Gcells/s", 0, 0, "", "bandwidth"});
  return {};
}

}  // namespace conoid::heat_rod
