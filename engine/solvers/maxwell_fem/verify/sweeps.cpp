// SPDX-License-Identifier: BSD-3-Clause
// The case, its run, and its tables beside the Mie series.
#include "engine/solvers/maxwell_fem/verify/sweeps.hpp"

#include "engine/core/json.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/solvers/run_case.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

namespace {
constexpr double ball_radius = 0.05, ball_permittivity = 38;
}

std::string resonant_sweep_case(int divisions, int layers, bool error_bar) {
  return fmt::format(
      R"({{"conoid": 1, "solver": "maxwell-fem", "materials": {{"ceramic": {{"permittivity": {}}}}},
          "sphere": {{"radius": {}, "divisions": {}, "layers": {}, "material": "ceramic"}},
          "excitation": {{"frequencies": {{"from": "430 MHz", "to": "530 MHz", "count": 1001, "fast": {{"accuracy": 0.1}}}},
                          "theta": "180 deg", "polarisation": "V"}},
          "output": {{"cuts": [{{"name": "E", "count": 19}}], "reciprocity": false, "error_bar": {}}}}})",
      ball_permittivity, ball_radius, divisions, layers, error_bar);
}

SweepOutcome judge_resonant_sweep(const MemoryResults& results) {
  SweepOutcome out;
  for (const MemoryResults::Number& n : results.numbers) {
    if (n.name == "frequencies_computed") out.computed = n.value;
    if (n.name == "unknowns") out.unknowns = n.value;
  }
  const auto *echo = results.find("frequency"), *bars = results.find("sweep_errors");
  if (echo == nullptr || bars == nullptr || echo->rows.size() != bars->rows.size()) return out;
  out.rows = static_cast<double>(echo->rows.size());
  double off = 0, told = 0;
  for (std::size_t n = 0; n < echo->rows.size(); ++n) {
    const double k = 2 * pi * echo->rows[n][0] / light_speed;
    const double exact = 10 * std::log10(homogeneous_sphere(k * ball_radius, ball_permittivity, 1).sigma_e(-1) * pi *
                                         ball_radius * ball_radius);
    const double difference = std::abs(echo->rows[n][1] - exact), bar = bars->rows[n][1];
    out.worst = std::max(out.worst, difference);
    out.over_bar = std::max(out.over_bar, difference / std::max(bar, 0.01));
    off += difference * difference;
    told += bar * bar;
  }
  out.bar_over = std::sqrt(told / off);
  return out;
}

Result<SweepOutcome> run_resonant_sweep(int divisions, int layers, bool error_bar, const TestRun& run) {
  RowTeam team(run.workers());
  const auto results =
      run_case(solver_info(), read_json(resonant_sweep_case(divisions, layers, error_bar)), team, run.offer);
  if (!results) return results.error();
  return judge_resonant_sweep(*results);
}

}  // namespace conoid::maxwell_fem
