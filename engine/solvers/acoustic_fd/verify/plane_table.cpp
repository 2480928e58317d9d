// SPDX-License-Identifier: BSD-3-Clause
// Two-dimensional grids: line sources against Hankel's function, in time and in frequency.
#include "engine/solvers/acoustic_fd/discretization/exact.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// A quarter of the plane, source in the corner of two mirrors; the other faces are not heard.
struct Corner {
  Problem problem;
  double wave, distance;
  std::shared_ptr<const Signal> signal;
  Index steps;

  Corner(int order, Index nodes_a_wave, double waves) : wave(static_cast<double>(nodes_a_wave)) {
    Problem& p = problem;
    distance = waves * wave;
    const auto far = static_cast<Index>((0.5 * waves + 2.2) * wave);
    p.grid.points = {static_cast<Index>(distance) + 3 * nodes_a_wave, 1, far};
    p.order = order;
    p.double_precision = true;
    p.velocity = constant_velocity(1);
    p.speed = {1, 1};
    for (Face& face : p.faces) face.kind = FaceKind::rigid;
    p.dt = 0.4;
    signal = std::make_shared<Ricker>(1 / wave, 1.5 * wave, 1);
    p.sources.push_back({{0, 0, 0}, std::make_shared<Ricker>(1 / wave, 1.5 * wave, 0.25)});
    p.receivers = {{"R", {distance, 0, 0}}};
    steps = static_cast<Index>((distance + 2.8 * wave) / p.dt);
  }
  [[nodiscard]] std::vector<double> exact() const {
    std::vector<double> out;
    for (Index k = 0; k <= steps; ++k)
      out.push_back(line_source(*signal, distance, static_cast<double>(k) * problem.dt));
    return out;
  }
  [[nodiscard]] double error(const RowWorkers& workers) const {
    return relative_error(traces_of_run(problem, steps, 2.5 / wave, workers)[0], exact());
  }
};

}  // namespace

void plane_table(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("two dimensions, ")) return;
  run.doing("two dimensions");
  // At 12 nodes in a wave order 8 is 1e-4 wrong in the speed of waves of twice the frequency, over 12 half waves of them.
  sink({"two dimensions, line source, 6 waves away, order 8: error of the trace",
        Corner(8, 12, 6).error(run.workers(1)), "1", 0.01, false, "p = 1/(2 pi) int s(t - r/c cosh u) du"});
  for (const int order : {2, 4, 8}) {
    const Index coarse = order == 2 ? 16 : order == 4 ? 10 : 8;
    const double first = Corner(order, coarse, 2).error(run.workers(1)),
                 second = Corner(order, 3 * coarse / 2, 2).error(run.workers(1));
    // Half an order below: the ends of the spectrum are coarser than its peak.
    sink({fmt::format("two dimensions, order {}: order of the error", order), std::log(first / second) / std::log(1.5),
          "1", 0.85 * order, true, "p = 1/(2 pi) int s(t - r/c cosh u) du"});
  }
  // One frequency of a line source between matched layers: −(i/4) H_0^(2)(kr), e^{iωt}.
  Problem p = open_space({161, 1, 161});
  for (const std::size_t y : {2U, 3U}) p.faces[y].kind = FaceKind::rigid;
  p.dt = 0.4;
  const auto signal = std::make_shared<Ricker>(1 / 16.0, 24, 1);
  p.sources.push_back({{80, 0, 80}, signal});
  p.receivers = {{"a", {120, 0, 80}}, {"b", {52, 0, 108}}};
  const auto steps = static_cast<Index>(400 / p.dt);
  const Traces got = recorded_levels(p, steps, run.workers(1));
  const double w = 2 * std::numbers::pi / 16, stepped = 2 / p.dt * std::sin(0.5 * w * p.dt);
  double worst = 0;
  for (std::size_t r = 0; r < 2; ++r) {
    std::complex<double> sum = 0, sent = 0;
    for (Index k = 0; k <= steps; ++k) {
      const auto turn = std::polar(1.0, -w * static_cast<double>(k) * p.dt);
      sent += signal->at(static_cast<double>(k) * p.dt) * turn;
      if (k > 0) sum += got[r][static_cast<std::size_t>(k - 1)] * turn;
    }
    const double distance = r == 0 ? 40 : 28 * std::sqrt(2.0), kr = stepped * distance;
    const std::complex<double> exact =
        std::complex<double>(0, -0.25) * std::complex(std::cyl_bessel_j(0, kr), -std::cyl_neumann(0, kr));
    worst = std::max(worst, std::abs(sum / sent - exact) / std::abs(exact));
  }
  // −60 dB of the layers and 1e-5 of the stencil.
  sink({"two dimensions, line source between matched layers: error of one frequency", worst, "1", 0.01, false,
        "p = -(i/4) H0(kr) S"});
}

}  // namespace conoid::acoustic_fd
