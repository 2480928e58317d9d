// SPDX-License-Identifier: BSD-3-Clause
// Stresses within layered ground without a mesh: against the half-space, Boussinesq's force, equilibrium, the borders of layers.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_depths.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_stresses.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

const Vec3 down{0, 0, -1};

double largest(const Stress& s) {
  double out = 0;
  for (const Complex& v : s) out = std::max(out, std::abs(v));
  return out;
}

Stress less(const Stress& a, const Stress& b) {
  Stress out;
  for (std::size_t c = 0; c < 6; ++c) out[c] = a[c] - b[c];
  return out;
}

/// A layer of saturated clay between stiffer ones.
SoilProfile clay_between(bool rock) {
  Medium top, clay, stiff, below;
  top.beta = 0.02;
  clay.mu = 0.4;
  clay.nu = 0.49;
  clay.beta = 0.03;
  stiff.mu = 3;
  stiff.nu = 0.2;
  stiff.rho = 1.2;
  below.mu = 20;
  below.rho = 1.5;
  SoilProfile out;
  out.layers = {{top, 0.5}, {clay, 1}, {stiff, 0.6}};
  if (!rock) out.half_space = below;
  return out;
}

/// Displacement and stress at points of a profile under one force.
struct ForceWithin {
  const SoilProfile& profile;
  double omega, height, load;
  Vec3 force;

  [[nodiscard]] Stress stress(const Vec3& x) const {
    const BuriedCompliance f(profile, omega, -x[2], load);
    const Vec3 way{x[0], x[1], 0};
    return stress_of(stress_response(f, height, norm(way)), f, way, down, {force[0], force[1], force[2]});
  }
  [[nodiscard]] Complex3 displacement(const Vec3& x) const {
    const BuriedCompliance f(profile, omega, -x[2], load);
    const double r = std::hypot(x[0], x[1]), F = dot(down, force);
    const Vec3 e{x[0] / r, x[1] / r, 0};
    const auto [v, u, c, a, b] = depth_response(f, height, r);
    const double along = dot(e, force);
    Complex3 out{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double part = force[i] - F * down[i];
      out[i] = (F * (v * down[i] + u * e[i]) + a * part + b * (2 * e[i] * along - part) - c * along * down[i]) /
               (2 * std::numbers::pi * f.top().mu);
    }
    return out;
  }
};

/// ∂/∂x_d by differences of the sixth order.
template <class Function>
auto slope(const Function& at, const Vec3& x, std::size_t d, double step) {
  constexpr double weights[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  decltype(at(x)) out{};
  for (int n = 1; n <= 3; ++n) {
    Vec3 before = x, after = x;
    before[d] -= n * step;
    after[d] += n * step;
    const auto a = at(after), b = at(before);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += weights[n - 1] * (a[c] - b[c]) / step;
  }
  return out;
}

}  // namespace

std::array<double, 2> layered_stress_half_space_error(double beta, double omega) {
  Medium m;
  m.mu = 2;
  m.nu = 0.3;
  m.beta = beta;
  const SoilProfile profile = half_space_in_layers(m);
  const Harmonic h(m, omega);
  const double height = path_height(LayeredCompliance(profile, omega), 1);
  std::array<double, 2> out{};
  for (const auto& [depth, load] :
       {std::pair{0.1, 0.3}, {0.2, 0.9}, {0.9, 0.2}, {0.4, 1.9}, {2.5, 0.1}, {3.0, 4.0}, {0.7, 0.7}, {1.9, 1.9}}) {
    const double nearest = depth == load ? 0.01 : 0;
    const LayeredStresses table(profile, omega, height, depth, load, nearest, 20, 1);
    for (const double r : {0.01, 0.3, 1.1, 4.0, 12.0, 19.9}) {
      if (r < nearest) continue;
      const Vec3 x{0.6 * r, 0.8 * r, -depth}, way{x[0], x[1], 0};
      for (const Vec3& force : {Vec3{0, 0, -1}, Vec3{1, 0.3, 0}}) {
        const auto field = IncidentField::buried_force({0, 0, -load}, force, {0, 0, 1}, 0, h);
        const auto tx = field.traction(x, {1, 0, 0}), ty = field.traction(x, {0, 1, 0}),
                   tz = field.traction(x, {0, 0, 1});
        const Stress want{tx[0], ty[1], tz[2], tx[1], ty[2], tz[0]};
        const Complex3 f{force[0], force[1], force[2]};
        out[0] = std::max(
            out[0],
            largest(less(stress_of(stress_response(table.compliance(), height, r), table.compliance(), way, down, f),
                         want)) /
                largest(want));
        out[1] = std::max(
            out[1], largest(less(stress_of(table.at(r), table.compliance(), way, down, f), want)) / largest(want));
      }
    }
  }
  return out;
}

double boussinesq_stress_error() {
  // Force P down on the surface: radial stress and shear along the level plane of Boussinesq, σ·D = −3P z² R/(2π R⁵) in the direction of R, and
  // σ_rr, σ_θθ with 1 − 2ν.
  Medium m;
  m.nu = 0.37;
  const SoilProfile profile = half_space_in_layers(m);
  double worst = 0;
  for (const double z : {0.0, 0.3, 1.0, 2.5})
    for (const double r : {0.05, 0.4, 2.0, 7.0}) {
      const ForceWithin f{profile, 0, 0, 0, {0, 0, -1}};
      const double R = std::hypot(r, z), by = 1 / (2 * std::numbers::pi), free = 1 - 2 * m.nu,
                   turning = free / (R * (R + z));
      const Stress want{by * (turning - 3 * z * r * r / std::pow(R, 5)),
                        by * free * (z / std::pow(R, 3) - 1 / (R * (R + z))),
                        -by * 3 * z * z * z / std::pow(R, 5),
                        0,
                        0,
                        by * 3 * z * z * r / std::pow(R, 5)};
      worst = std::max(worst, largest(less(f.stress({r, 0, -z}), want)) / largest(want));
    }
  return worst;
}

std::array<double, 2> layered_stress_balance(double omega) {
  std::array<double, 2> out{};
  for (const bool rock : {false, true}) {
    const SoilProfile profile = clay_between(rock);
    const double height = path_height(LayeredCompliance(profile, omega), 1), step = 0.02;
    const double bottoms[] = {0.5, 1.5, 2.1, 1e9};
    for (const auto& [depth, load] : {std::pair{0.2, 1.1}, {0.9, 0.0}, {1.0, 1.9}, {1.8, 0.3}})
      for (const Vec3& force : {Vec3{0, 0, -1}, Vec3{1, 0.3, 0}}) {
        const ForceWithin f{profile, omega, height, load, force};
        const Vec3 x{0.7, 0.4, -depth};
        const auto layer = static_cast<std::size_t>(
            std::ranges::find_if(bottoms, [&, z = depth](double b) { return z <= b; }) - bottoms);
        const Harmonic h(profile.layers[layer].medium, omega);
        const auto stress = [&](const Vec3& at) { return f.stress(at); };
        const auto motion = [&](const Vec3& at) { return f.displacement(at); };
        const Stress here = f.stress(x), sx = slope(stress, x, 0, step), sy = slope(stress, x, 1, step),
                     sz = slope(stress, x, 2, step);
        const Complex3 u = f.displacement(x), ux = slope(motion, x, 0, step), uy = slope(motion, x, 1, step),
                       uz = slope(motion, x, 2, step);
        const double size = largest(here);
        const Complex inertia = h.rho * omega * omega;
        const Complex lack[3] = {sx[0] + sy[3] + sz[5] + inertia * u[0], sx[3] + sy[1] + sz[4] + inertia * u[1],
                                 sx[5] + sy[4] + sz[2] + inertia * u[2]};
        for (const Complex& v : lack) out[0] = std::max(out[0], std::abs(v) / size);
        const Complex swell = h.lambda * (ux[0] + uy[1] + uz[2]);
        const Stress hooke{swell + 2.0 * h.mu * ux[0], swell + 2.0 * h.mu * uy[1], swell + 2.0 * h.mu * uz[2],
                           h.mu * (ux[1] + uy[0]),     h.mu * (uy[2] + uz[1]),     h.mu * (uz[0] + ux[2])};
        out[1] = std::max(out[1], largest(less(here, hooke)) / size);
      }
  }
  return out;
}

std::array<double, 2> layered_stress_border_error() {
  std::array<double, 2> out{};
  for (const double omega : {0.0, 0.8, 4.0})
    for (const bool rock : {false, true}) {
      const SoilProfile profile = clay_between(rock);
      const double height = path_height(LayeredCompliance(profile, omega), 1);
      for (const double load : {0.0, 0.3, 1.1, 1.9})
        for (const double r : {0.05, 0.6, 3.0})
          for (const Vec3& force : {Vec3{0, 0, -1}, Vec3{1, 0.3, 0}}) {
            const ForceWithin f{profile, omega, height, load, force};
            const auto at = [&](double depth) { return f.stress({0.6 * r, 0.8 * r, -depth}); };
            if (load > 0) {
              const Stress free = at(0);
              for (const std::size_t c : {2, 4, 5})
                out[0] = std::max(out[0], std::abs(free[c]) / std::max(largest(free), 1 / (load * load)));
            }
            for (const double border : {0.5, 1.5}) {
              const Stress above = at(border), below = at(border * (1 + 1e-10));
              for (const std::size_t c : {2, 4, 5})
                out[1] = std::max(out[1], std::abs(above[c] - below[c]) / largest(above));
            }
          }
    }
  return out;
}

}  // namespace conoid::elastic_bem
