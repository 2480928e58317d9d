// SPDX-License-Identifier: BSD-3-Clause
// Numbers that are known exactly, and how fast explicit steps are.
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "engine/cluster/communicator.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/solvers/verify_rows.hpp"
#include "implicit.hpp"
#include "rod.hpp"

namespace conoid::heat_rod {
namespace {

constexpr const char* eigenvector = "exact eigenvector of the scheme";

Rod marched(Index cells, double fourier, Index steps, Team& team) {
  Rod rod;
  rod.fourier = fourier;
  rod.start(cells);
  for (Index n = 0; n < steps; ++n) rod.step(team);
  return rod;
}

}  // namespace

Status verify(const TestRun& run, const VerifySink& sink) {
  const VerifyRows rows{run, sink};
  RowTeam team(run.workers());
  run.doing("discrete solution");
  const Rod odd = marched(37, 0.47, 301, team);
  rows.at_most("discrete solution, 301 steps", odd.relative_error(odd.discrete(301)), 1e-12, eigenvector);
  for (const auto& [fourier, order] : {std::pair{0.4, 2.0}, std::pair{1.0 / 6.0, 4.0}}) {
    run.doing(fmt::format("order at F = {:.3f}", fourier));
    const auto error = [&](Index cells) {
      const Index steps = cells * cells / 4;
      const Rod rod = marched(cells, fourier, steps, team);
      return rod.relative_error(rod.exact(rod.dt() * static_cast<double>(steps)));
    };
    rows.at_least(fmt::format("observed order, F = {:.3f}", fourier), std::log2(error(16) / error(32)), order - 0.05,
                  "exact exponential decay");
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
  rows.at_most("discrete solution, 40 implicit steps", soft.relative_error(soft.discrete(40)), 1e-11, eigenvector);
  // Asked for by its full name only: what a row that fails looks like.
  if (run.only == "observed beyond all orders") rows.at_least(run.only, 2, 100, "nothing");
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
