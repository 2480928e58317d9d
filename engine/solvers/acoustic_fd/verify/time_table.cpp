// SPDX-License-Identifier: BSD-3-Clause
// Point and line sources many waves away, at four Courant numbers.
#include "engine/solvers/acoustic_fd/verify/interfaces_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"

#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr double wave_nodes = 12;  // in a wave of the peak frequency

/// A box with mirrors at its lower faces, whose other faces are not heard.
Problem corner(std::array<Index, 3> points, double courant) {
  Problem p;
  p.grid.points = points;
  p.order = 12;
  p.double_precision = true;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (auto& f : p.faces) f.kind = FaceKind::rigid;
  p.dt = courant;
  return p;
}

/// The wavelet of a corner's source as a file would have it, three samples in its shortest period.
std::shared_ptr<const Signal> sampled_wavelet() {
  const Ricker wavelet(1 / wave_nodes, 1.5 * wave_nodes, 0.125);
  const double apart = wave_nodes / (2.5 * 3);
  std::vector<double> values;
  for (double t = 0; t < 3.2 * wave_nodes; t += apart) values.push_back(wavelet.at(t));
  return std::make_shared<Sampled>(std::move(values), 0, apart, 1);
}

double point_error(double courant, bool sampled, const RowWorkers& workers) {
  const double r = 6 * wave_nodes;
  Problem p = corner({88, 40, 40}, courant);
  p.sources.push_back(
      {{0, 0, 0},
       sampled ? sampled_wavelet() : std::make_shared<const Ricker>(1 / wave_nodes, 1.5 * wave_nodes, 0.125)});
  p.receivers = {{"R", {r, 0, 0}}};
  const auto steps = static_cast<Index>((r + 2.8 * wave_nodes) / p.dt);
  const Ricker signal(1 / wave_nodes, 1.5 * wave_nodes, 1);
  std::vector<double> exact;
  for (Index k = 0; k <= steps; ++k)
    exact.push_back(signal.at(static_cast<double>(k) * p.dt - r) / (4 * std::numbers::pi * r));
  return relative_error(traces_of_run(p, steps, 2.5 / wave_nodes, workers)[0], exact);
}

/// p = 1/(2π) ∫ s(t − r cosh u) du for a source of strength s a length.
double line_error(double courant, const RowWorkers& workers) {
  const double r = 10 * wave_nodes;
  Problem p = corner({140, 13, 56}, courant);
  for (Index y = 0; y < p.grid.points[1]; ++y) {  // mirrors double what lies on them
    const bool wall = y == 0 || y + 1 == p.grid.points[1];
    p.sources.push_back({{0, static_cast<double>(y), 0},
                         std::make_shared<Ricker>(1 / wave_nodes, 1.5 * wave_nodes, wall ? 0.125 : 0.25)});
  }
  p.receivers = {{"R", {r, 5, 0}}};
  const auto steps = static_cast<Index>((r + 2.8 * wave_nodes) / p.dt);
  const Ricker signal(1 / wave_nodes, 1.5 * wave_nodes, 1);
  std::vector<double> exact;
  for (Index k = 0; k <= steps; ++k) {
    const double t = static_cast<double>(k) * p.dt, du = 2e-3;
    double sum = 0.5 * signal.at(t - r);
    for (double u = du; r * std::cosh(u) <= t; u += du) sum += signal.at(t - r * std::cosh(u));
    exact.push_back(sum * du / (2 * std::numbers::pi));
  }
  return relative_error(traces_of_run(p, steps, 2.5 / wave_nodes, workers)[0], exact);
}

}  // namespace

void time_table(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("point source, ") && !run.may_want("line source, ")) return;
  run.doing("time step's error");
  for (const double courant : {0.1, 0.2, 0.3, 0.4}) {
    // What the stencil of order 12 leaves at 12 nodes in a wave, and the wavelet's first step of 2e-8.
    sink({fmt::format("point source, 6 waves away, Courant number {}: error of the trace", courant),
          point_error(courant, false, run.workers()), "1", 0.004, false, "p = s(t - r/c) / (4 pi r)"});
    sink({fmt::format("line source, 10 waves away, Courant number {}: error of the trace", courant),
          line_error(courant, run.workers()), "1", 0.004, false, "p = 1/(2 pi) int s(t - r/c cosh u) du"});
  }
  sink({"point source, 6 waves away, three samples of the signal in its shortest period: error of the trace",
        point_error(0.3, true, run.workers()), "1", 0.004, false, "p = s(t - r/c) / (4 pi r)"});
}

}  // namespace conoid::acoustic_fd
