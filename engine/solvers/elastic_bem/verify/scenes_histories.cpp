// SPDX-License-Identifier: BSD-3-Clause
// Motion over time of a half-space's surface under forces that begin, made of frequencies, against closed forms.
//
// τ = c_S t over the distance, κ = c_S/c_P. A force F downwards that begins at t = 0 and stays moves the surface
//   at the distance r from it, itself on the surface, ν = 1/4 (C. L. Pekeris, Proc. Natl. Acad. Sci. 41 (1955) 469), by F/(32πμr) times
//     6 − √3/√(τ² − 1/4) − √(3√3 + 5)/√(γ² − τ²) + √(3√3 − 5)/√(τ² + √3/4 − 3/4),  1/√3 < τ < 1,
//     12 − 2√(3√3 + 5)/√(γ² − τ²),                                                1 < τ < γ = ½√(3 + √3),
//     12,                                                                         γ < τ: at rest after Rayleigh's wave;
//   straight above it, at the depth h, any ν (L. Cagniard 1939; Lamb's integral for the motion at h under a force on the surface, of which
//   p²+κ² = τ² and p² + 1 = τ² make one over time, and reciprocity), by F/(2πμh) times
//     τ²(2p² + 1)/R(p²) at p² = τ² − κ², κ < τ,  less  2p²τ√(p² + κ²)/R(p²) at p² = τ² − 1, 1 < τ,
//     R(q) = (2q + 1)² − 4q√((q + κ²)(q + 1)).
// Under a force of straight lines over time the motion is the sum of its slopes times the integrals of these.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "engine/solvers/elastic_bem/discretization/layered_depths.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_surface.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/solvers/elastic_bem/solving/time_histories.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {
namespace {

using std::numbers::pi;

/// ∫_a^b of the motion above the force times 2π.
double above_integral(double nu, double a, double b) {
  const double square = (1 - 2 * nu) / (2 - 2 * nu), first = std::sqrt(square);
  const auto determinant = [&](double q) {
    return (2 * q + 1) * (2 * q + 1) - 4 * q * std::sqrt((q + square) * (q + 1));
  };
  const auto motion = [&](double t) {
    const double p = t * t - square, s = t * t - 1;
    return t * t * (2 * p + 1) / determinant(p) - (s > 0 ? 2 * s * t * std::sqrt(s + square) / determinant(s) : 0);
  };
  const auto smooth = [&](double from, double to) {
    double sum = 0;
    if (to > from)
      for (const GaussPoint& g : gauss_points(6)) sum += (to - from) * g.w * motion(from + (to - from) * g.x);
    return sum;
  };
  return smooth(std::max(a, first), std::min(b, 1.0)) + smooth(std::max({a, first, 1.0}), b);
}

constexpr int fine = 512;    ///< samples of the signal in a second
constexpr Index length = 2;  ///< of the signal, s
constexpr Index frequencies = 64, period = 8;

/// sin⁴ in straight lines.
TimeTable pulse() {
  TimeTable out;
  for (Index k = 0; k <= length * fine; ++k) {
    const double t = static_cast<double>(k) / fine;
    out.times.push_back(t);
    out.values.push_back(std::pow(std::sin(pi * t / length), 4));
  }
  return out;
}

/// Motion under the pulse, again and again, at the samples of the trace: slopes times integrals.
std::vector<double> motion_of(const TimeTable& signal, const std::function<double(double, double)>& between,
                              Index samples) {
  constexpr Index rounds = 31, all = (rounds + 1) * period * fine;
  std::vector<double> moved;  // between a sample and the next
  moved.reserve(static_cast<std::size_t>(all));
  for (Index k = 0; k < all; ++k)
    moved.push_back(between(static_cast<double>(k) / fine, static_cast<double>(k + 1) / fine));
  const Index every = period * fine / samples;
  std::vector<double> out(static_cast<std::size_t>(samples), 0);
  for (Index s = 0; s < samples; ++s)
    for (Index round = 0; round <= rounds; ++round) {
      const Index now = s * every + round * period * fine;
      for (Index k = 0; k < std::min(now, length * fine); ++k) {
        const auto at = static_cast<std::size_t>(k), since = static_cast<std::size_t>(now - k - 1);
        out[static_cast<std::size_t>(s)] += (signal.values[at + 1] - signal.values[at]) * fine * moved[since];
      }
    }
  return out;
}

/// Traces of `answer` (of unit forces at ω) and `between` (the integral of the motion under a force that begins) at unit distance, c_S = 1. `power`: how
/// answers grow with ω at most.
HistoryError compare(const std::function<Complex(double)>& answer, const std::function<double(double, double)>& between,
                     double power) {
  const TimeTable signal = pulse();
  const FrequencySteps steps{1.0 / period, 0, frequencies};
  const auto omega = [&](Index k) { return 2 * pi * steps.step * static_cast<double>(k); };
  std::vector<Complex> values;
  double grows = 0;  // the largest answer of the upper half, over the power
  for (Index k = 0; k < frequencies; ++k) {
    const Complex u = answer(omega(k));
    if (2 * k > frequencies) grows = std::max(grows, std::abs(u) / std::pow(omega(k), power));
    values.push_back(u * spectrum(signal, omega(k)));
  }
  const std::vector<double> got = trace(steps, values),
                            want = motion_of(signal, between, static_cast<Index>(got.size()));
  // What lies above the band, all of it in phase, with answers that go on growing.
  HistoryError out;
  for (Index k = frequencies; k < 4 * fine * period; ++k)
    out.limit += 2 * steps.step * std::abs(spectrum(signal, omega(k))) * grows * std::pow(omega(k), power);
  double largest = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    largest = std::max(largest, std::abs(want[k]));
    out.error = std::max(out.error, std::abs(got[k] - want[k]));
  }
  out.error /= largest;
  out.limit /= largest;
  return out;
}

SoilProfile half_space(double nu) {
  SoilProfile out;
  out.half_space = Medium{};
  out.half_space->nu = nu;
  return out;
}

}  // namespace

double pekeris_integral(double tau) {
  static const double root = std::sqrt(3.0), gamma = 0.5 * std::sqrt(3 + root), first = 1 / root,
                      rayleigh = std::sqrt(3 * root + 5), leaky = std::sqrt(3 * root - 5),
                      beta = std::sqrt(0.75 - 0.25 * root);
  const auto early = [&](double t) {
    return 6 * t - root * std::acosh(2 * t) - rayleigh * std::asin(t / gamma) + leaky * std::acosh(t / beta);
  };
  const auto middle = [&](double t) { return 12 * t - 2 * rayleigh * std::asin(std::min(1.0, t / gamma)); };
  if (tau <= first) return 0;
  double sum = early(std::min(tau, 1.0)) - early(first);
  if (tau > 1) sum += middle(std::min(tau, gamma)) - middle(1);
  if (tau > gamma) sum += 12 * (tau - gamma);
  return sum;
}

HistoryError surface_history_error() {
  const SoilProfile profile = half_space(0.25);
  return compare([&](double omega) { return LayeredSurface(profile, omega, 1.01, 1).at(1).v / (2 * pi); },
                 [](double a, double b) { return (pekeris_integral(b) - pekeris_integral(a)) / (32 * pi); },
                 0.5);  // Rayleigh's wave
}

HistoryError history_above_error(double nu) {
  const SoilProfile profile = half_space(nu);
  return compare(
      [&](double omega) {
        const double height = path_height(LayeredCompliance(profile, omega), 1);
        return LayeredDepths(profile, omega, height, 0, 1, 0, 0.1, 1).displacement({0, 0, 0}, {0, 0, 1}, {0, 0, 1})[2];
      },
      [&](double a, double b) { return above_integral(nu, a, b) / (2 * pi); }, 0);
}

}  // namespace conoid::elastic_bem
