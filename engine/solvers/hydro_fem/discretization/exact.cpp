// SPDX-License-Identifier: BSD-3-Clause
// The similarity solution of the blast and the Riemann problem.
#include "engine/solvers/hydro_fem/discretization/exact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::hydro_fem {

SedovBlast::SedovBlast(int dimension, double gamma, double density, double energy)
    : j_(dimension), gamma_(gamma), density_(density), energy_(energy) {
  // E = ∫ (ρ v²/2 + p/(γ-1)) dV; with r2 = (E/(α ρ0))^(1/(j+2)) t^(2/(j+2)) everything scales with
  // ρ0 (r2/t)² r2^j, so that α follows from the profile alone.
  const double j = j_;
  const double speed = 2 / (j + 2);  // shock speed for r2 = t = 1
  const double v2 = 2 * speed / (gamma + 1);
  const double rho2 = (gamma + 1) / (gamma - 1);
  const double p2 = 2 * speed * speed / (gamma + 1);
  const double surface = j_ == 1 ? 2 : j_ == 2 ? 2 * std::numbers::pi : 4 * std::numbers::pi;
  constexpr int n = 20000;
  double sum = 0, last_volume = 0;
  const auto density_of_energy = [&](double s) {
    const Profile p = profile(s);
    return 0.5 * rho2 * p.g * v2 * v2 * p.f * p.f + p2 * p.h / (gamma - 1);
  };
  for (int i = 1; i <= n; ++i) {
    const double volume = std::pow(profile(static_cast<double>(i) / n).lambda, j) / j;
    sum += density_of_energy((i - 0.5) / n) * (volume - last_volume);
    last_volume = volume;
  }
  alpha_ = surface * sum;
  constexpr int brackets = 1000;
  for (int i = 0; i <= brackets; ++i) lambda_.push_back(profile(static_cast<double>(i) / brackets).lambda);
}

SedovBlast::Profile SedovBlast::profile(double s) const {
  const double j = j_, g = gamma_;
  const double V0 = 2 / ((j + 2) * g), V2 = 4 / ((j + 2) * (g + 1));
  // The centre is a weak power of V - V0: a high power of s resolves it.
  const double V = V0 + (V2 - V0) * std::pow(s, 10);
  const double a = (j + 2) * (g + 1) / 4, b = (g + 1) / (g - 1), c = (j + 2) * g / 2;
  const double d = (j + 2) * (g + 1) / ((j + 2) * (g + 1) - 2 * (2 + j * (g - 1)));
  const double e = (2 + j * (g - 1)) / 2;
  const double a0 = 2 / (j + 2), a2 = -(g - 1) / (2 * (g - 1) + j);
  const double a1 = (j + 2) * g / (2 + j * (g - 1)) * (2 * j * (2 - g) / (g * (j + 2) * (j + 2)) - a2);
  const double a3 = j / (2 * (g - 1) + j), a4 = a1 * (j + 2) / (2 - g), a5 = -2 / (2 - g);
  const double x1 = a * V;
  const double x2 = b * c * (V2 - V0) * std::pow(s, 10);  // b (cV - 1), c V0 = 1: without cancellation
  const double x3 = d * (1 - e * V), x4 = b * (1 - c * V / g);
  Profile p{};
  p.lambda = x2 > 0 ? std::pow(x1, -a0) * std::pow(x2, -a2) * std::pow(x3, -a1) : 0;
  p.f = x1 * p.lambda;
  p.g = x2 > 0 ? std::pow(x2, a3) * std::pow(x3, a4) * std::pow(x4, a5) : 0;
  p.h = std::pow(x1, a0 * j) * std::pow(x3, a4 - 2 * a1) * std::pow(x4, 1 + a5);
  return p;
}

double SedovBlast::shock_radius(double t) const {
  return std::pow(energy_ / (alpha_ * density_), 1.0 / (j_ + 2)) * std::pow(t, 2.0 / (j_ + 2));
}

GasState SedovBlast::at(double r, double t) const {
  const double r2 = shock_radius(t);
  if (r >= r2 || !(t > 0)) return {density_, 0, 0};
  const double speed = 2 * r2 / ((j_ + 2) * t);
  const auto above = std::upper_bound(lambda_.begin() + 1, lambda_.end() - 1, r / r2) - lambda_.begin();
  const double step = 1 / static_cast<double>(lambda_.size() - 1);
  double low = static_cast<double>(above - 1) * step, high = static_cast<double>(above) * step;
  for (int i = 0; i < 25; ++i) {
    const double middle = 0.5 * (low + high);
    (profile(middle).lambda < r / r2 ? low : high) = middle;
  }
  const Profile p = profile(high);
  return {density_ * (gamma_ + 1) / (gamma_ - 1) * p.g, 2 * speed / (gamma_ + 1) * p.f,
          2 * density_ * speed * speed / (gamma_ + 1) * p.h};
}

namespace {

/// f(p) of one side: change of velocity through its wave.
double wave(double p, const GasState& k, double g) {
  if (p > k.pressure) {
    const double A = 2 / ((g + 1) * k.density), B = (g - 1) / (g + 1) * k.pressure;
    return (p - k.pressure) * std::sqrt(A / (p + B));
  }
  const double c = std::sqrt(g * k.pressure / k.density);
  return 2 * c / (g - 1) * (std::pow(p / k.pressure, (g - 1) / (2 * g)) - 1);
}

/// State on one side at a speed seen from that side (gas to the left of its wave; mirrored for the right).
GasState side(double speed, const GasState& k, double g, double p, double v) {
  const double c = std::sqrt(g * k.pressure / k.density);
  if (p > k.pressure) {
    const double S = k.velocity - c * std::sqrt((g + 1) / (2 * g) * p / k.pressure + (g - 1) / (2 * g));
    if (speed <= S) return k;
    const double ratio = p / k.pressure, m = (g - 1) / (g + 1);
    return {k.density * (ratio + m) / (m * ratio + 1), v, p};
  }
  const double c_star = c * std::pow(p / k.pressure, (g - 1) / (2 * g));
  if (speed <= k.velocity - c) return k;
  if (speed >= v - c_star) return {k.density * std::pow(p / k.pressure, 1 / g), v, p};
  const double w = 2 / (g + 1) + (g - 1) / ((g + 1) * c) * (k.velocity - speed);
  return {k.density * std::pow(w, 2 / (g - 1)), 2 / (g + 1) * (c + (g - 1) / 2 * k.velocity + speed),
          k.pressure * std::pow(w, 2 * g / (g - 1))};
}

}  // namespace

ShockTube::ShockTube(GasState left, double gamma_left, GasState right, double gamma_right)
    : left_(left), right_(right), gl_(gamma_left), gr_(gamma_right) {
  double low = 0, high = 1;
  const auto excess = [&](double p) {
    return wave(p, left, gl_) + wave(p, right, gr_) + right.velocity - left.velocity;
  };
  while (excess(high) < 0) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) < 0 ? low : high) = middle;
  }
  p_ = 0.5 * (low + high);
  v_ = left.velocity - wave(p_, left, gl_);
}

GasState ShockTube::at(double speed) const {
  if (speed <= v_) return side(speed, left_, gl_, p_, v_);
  GasState mirrored = right_;
  mirrored.velocity = -mirrored.velocity;
  GasState s = side(-speed, mirrored, gr_, p_, -v_);
  s.velocity = -s.velocity;
  return s;
}

}  // namespace conoid::hydro_fem
