// SPDX-License-Identifier: BSD-3-Clause
// Bells, samples, and what a solid remembers of a bell that has gone by.
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"

#include <cmath>
#include <numbers>
#include <span>

namespace conoid::acoustic_fd {
namespace {

/// e^{x²} erfc(x). From 20 on by its asymptotic series, whose sixth term is 3e-12 there.
double scaled_erfc(double x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  const double q = 1 / (2 * x * x);
  return (1 - q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q)))) / (x * std::sqrt(std::numbers::pi));
}

double bell(const Initial& f, double d) {
  return f.amplitude * std::exp(-0.5 * d * d / (f.width * f.width));
}

/// ∫ bell(d + u) e^{−u/λ} du/λ over u > 0.
double faded(const Initial& f, double d, double length) {
  const double x = (d / f.width + f.width / length) / std::numbers::sqrt2;
  const double share = f.amplitude * std::sqrt(std::numbers::pi / 2) * f.width / length;
  if (x > 0) return share * std::exp(-0.5 * d * d / (f.width * f.width)) * scaled_erfc(x);
  return share * std::exp(0.5 * f.width * f.width / (length * length) + d / length) * std::erfc(x);
}

/// How far ahead of the crest a place lies.
double ahead(const Initial& f, const Vec3& place) {
  const auto a = static_cast<std::size_t>(f.axis);
  return (f.direction < 0 ? -1 : 1) * (place[a] - f.centre[a]);
}

}  // namespace

double initial_pressure(const Initial& f, const Vec3& place) {
  if (f.kind == Initial::Kind::none) return 0;
  if (f.kind == Initial::Kind::plane) return bell(f, ahead(f, place));
  if (f.kind == Initial::Kind::file) {
    Vec3 low, high;
    if (f.samples->bounds(low, high))
      for (std::size_t a = 0; a < 3; ++a)
        if (place[a] < low[a] || place[a] > high[a]) return 0;
    double value = 0;
    f.samples->row(place[0], place[1], place[2], 0, std::span(&value, 1));
    return f.amplitude * value;
  }
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) square += (place[a] - f.centre[a]) * (place[a] - f.centre[a]);
  return bell(f, std::sqrt(square));
}

double pressure_before(const Problem& problem, const Vec3& place, double speed) {
  const Initial& f = problem.initial;
  if (f.kind != Initial::Kind::plane) return initial_pressure(f, place);
  const double d = ahead(f, place), dt = problem.dt;
  if (f.direction == 0) return 0.5 * (bell(f, d - speed * dt) + bell(f, d + speed * dt));
  const double compliance = problem.stiffening * problem.stiffening, phase = speed / problem.stiffening;
  double p = bell(f, d + phase * (1 + 0.5 * (compliance - 1) / compliance) * dt);
  const double between = d + 0.5 * phase * dt;  // half a step before
  for (const Relaxation& r : problem.relaxations)
    p -= 0.5 * dt * r.share / (compliance * r.time) * (faded(f, between, phase * r.time) - bell(f, between));
  return p;
}

double initial_memory(const Problem& problem, const Relaxation& relaxation, const Vec3& place, double speed) {
  const Initial& f = problem.initial;
  if (f.kind != Initial::Kind::plane || f.direction == 0) return initial_pressure(f, place);
  return faded(f, ahead(f, place), speed / problem.stiffening * relaxation.time);
}

}  // namespace conoid::acoustic_fd
