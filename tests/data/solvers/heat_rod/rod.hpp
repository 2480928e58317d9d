// SPDX-License-Identifier: BSD-3-Clause
// The rod: its numbers, explicit steps, what is known of it exactly, and the tables that say how well that comes out.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "engine/solvers/test_run.hpp"
#include "engine/team/loop_phase.hpp"
#include "engine/team/team.hpp"

namespace conoid::heat_rod {

struct Rod {
  double length = 1;
  double diffusivity = 1;
  double amplitude = 1;
  double fourier = 0.4;
  bool implicit = false;
  std::vector<double> u, next;

  void start(Index count) {
    u.assign(static_cast<std::size_t>(count) + 1, 0.0);
    next = u;
    for (std::size_t i = 1; i + 1 < u.size(); ++i)
      u[i] = amplitude * std::sin(std::numbers::pi * static_cast<double>(i) / cells());
  }
  /// u_i + F (u_{i-1} − 2 u_i + u_{i+1}) for the inner points i = item + 1.
  void step(Team& team) {
    LoopPhase update("update", static_cast<Index>(u.size()) - 2, 4096, [this](Interval items) {
      for (auto i = static_cast<std::size_t>(items.begin) + 1; i <= static_cast<std::size_t>(items.end); ++i)
        next[i] = u[i] + fourier * (u[i - 1] - 2 * u[i] + u[i + 1]);
    });
    team.run(update);
    u.swap(next);
  }
  [[nodiscard]] double cells() const { return static_cast<double>(u.size() - 1); }
  [[nodiscard]] double h() const { return length / cells(); }
  [[nodiscard]] double dt() const { return fourier * h() * h() / diffusivity; }
  // Height of the half sine: exactly, and after n steps of the scheme.
  [[nodiscard]] double exact(double t) const {
    const double k = std::numbers::pi / length;
    return amplitude * std::exp(-diffusivity * k * k * t);
  }
  [[nodiscard]] double discrete(Index n) const {
    const double s = std::sin(std::numbers::pi / (2 * cells()));
    const double growth = implicit ? 1 / (1 + 4 * fourier * s * s) : 1 - 4 * fourier * s * s;
    return amplitude * std::pow(growth, static_cast<double>(n));
  }
  /// Of the half sine of this height, at the worst point.
  [[nodiscard]] double relative_error(double height) const {
    double worst = 0, scale = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double wanted = height * std::sin(std::numbers::pi * static_cast<double>(i) / cells());
      worst = std::max(worst, std::abs(u[i] - wanted));
      scale = std::max(scale, std::abs(wanted));
    }
    return scale > 0 ? worst / scale : worst;
  }
};

Status verify(const TestRun& run, const VerifySink& sink);
Status bench(const TestRun& run, const BenchSink& sink);

}  // namespace conoid::heat_rod
