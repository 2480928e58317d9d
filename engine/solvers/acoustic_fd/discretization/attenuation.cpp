// SPDX-License-Identifier: BSD-3-Clause
// Shares of standard linear solids for a constant Q.
#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::acoustic_fd {

std::complex<double> relaxed(const std::vector<Relaxation>& relaxations, std::complex<double> s) {
  std::complex<double> sum = 1;
  for (const Relaxation& r : relaxations) sum += r.share / (1.0 + s * r.time);
  return sum;
}

double loss(const std::vector<Relaxation>& relaxations, double frequency) {
  const std::complex<double> c = relaxed(relaxations, {0, 2 * std::numbers::pi * frequency});
  return -c.imag() / c.real();
}

double stiffening(const std::vector<Relaxation>& relaxations, double frequency) {
  return std::sqrt(relaxed(relaxations, {0, 2 * std::numbers::pi * frequency})).real();
}

double constant_quality_speed(double quality, double ratio) {
  return std::pow(ratio, std::atan(1 / quality) / std::numbers::pi);
}

double ripple(const std::vector<Relaxation>& relaxations, double quality, double lowest, double highest) {
  double worst = 0;
  for (int i = 0; i <= 100; ++i)
    worst = std::max(worst, std::abs(loss(relaxations, lowest * std::pow(highest / lowest, i / 100.0)) * quality - 1));
  return worst;
}

double relaxation_damping(const std::vector<Relaxation>& relaxations, double dt) {
  double sigma = 0;
  for (const Relaxation& r : relaxations) sigma += relaxation_step(r, dt).damping;
  return sigma;
}

RelaxationStep relaxation_step(const Relaxation& relaxation, double dt) {
  const double x = dt / relaxation.time, keep = std::sqrt(1 + x * x) - x, t = (1 - keep) / (1 + keep);
  return {relaxation.share * t, 4 * relaxation.share * t * t, keep, 0.5 * (1 - keep)};
}

std::vector<Relaxation> constant_quality(double quality, double lowest, double highest, std::size_t count) {
  std::vector<Relaxation> out(count);
  const auto at = [&](double share) { return lowest * std::pow(highest / lowest, share); };
  for (std::size_t l = 0; l < count; ++l)
    out[l].time =
        1 / (2 * std::numbers::pi * at(count == 1 ? 0.5 : static_cast<double>(l) / static_cast<double>(count - 1)));
  // 1/Q (1 + Σ a/(1 + x²)) = Σ a x/(1 + x²) is linear in the shares: least squares, coordinate by coordinate so that none becomes negative.
  constexpr int samples = 40;
  std::vector<std::vector<double>> row(samples + 1, std::vector<double>(count));
  for (int i = 0; i <= samples; ++i)
    for (std::size_t l = 0; l < count; ++l) {
      const double x = 2 * std::numbers::pi * at(static_cast<double>(i) / samples) * out[l].time;
      row[static_cast<std::size_t>(i)][l] = (quality * x - 1) / (1 + x * x);
    }
  std::vector<double> rest(samples + 1, 1.0);
  for (int round = 0; round < 3000; ++round)
    for (std::size_t l = 0; l < count; ++l) {
      double up = 0, square = 0;
      for (int i = 0; i <= samples; ++i) {
        const double v = row[static_cast<std::size_t>(i)][l];
        up += v * rest[static_cast<std::size_t>(i)];
        square += v * v;
      }
      const double share = std::max(0.0, out[l].share + up / square), change = share - out[l].share;
      out[l].share = share;
      for (int i = 0; i <= samples; ++i)
        rest[static_cast<std::size_t>(i)] -= change * row[static_cast<std::size_t>(i)][l];
    }
  return out;
}

}  // namespace conoid::acoustic_fd
