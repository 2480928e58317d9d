// SPDX-License-Identifier: BSD-3-Clause
// Weights of the cross stencils, their stability limit and dispersion relation.
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::acoustic_fd {

Stencil stencil_of_order(int order) {
  verify(order >= 2 && order <= 2 * max_radius && order % 2 == 0, "the order of the stencil is 2, 4, … 12");
  Stencil st;
  st.order = order;
  st.radius = order / 2;
  // Lagrange interpolation through −s … s: the slope's weights are (−1)^(i+1) s!² / (i (s−i)! (s+i)!), those of the second
  // derivative 2/i times that. Up to radius 6 all numerators and denominators are exact in double precision.
  double factorial[2 * max_radius + 1]{1};
  for (int i = 1; i <= order; ++i) factorial[i] = factorial[i - 1] * i;
  const auto s = static_cast<std::size_t>(st.radius);
  for (std::size_t i = 1; i <= s; ++i) {
    const double sign = i % 2 == 1 ? 1 : -1;
    const double square = factorial[s] * factorial[s], below = factorial[s - i] * factorial[s + i];
    const auto n = static_cast<double>(i);
    st.slope[i] = sign * square / (n * below);
    st.weight[i] = sign * 2 * square / (n * n * below);
  }
  for (std::size_t i = s; i > 0; --i) st.weight[0] -= 2 * st.weight[i];
  return st;
}

double spectral_radius(const Stencil& stencil) {
  double sum = std::abs(stencil.weight[0]);
  for (int i = 1; i <= stencil.radius; ++i) sum += 2 * std::abs(stencil.weight[static_cast<std::size_t>(i)]);
  return sum;
}

double largest_time_step(const Stencil& stencil, const Vec3& spacing, double speed) {
  double inverse = 0;
  for (const double h : spacing) inverse += 1 / (h * h);
  return 2 / (speed * std::sqrt(spectral_radius(stencil) * inverse));
}

double discrete_wavenumber_squared(const Stencil& stencil, double wavenumber, double spacing) {
  // With the weights' sum of zero taken out, so that long waves keep their digits.
  double sum = 0;
  for (int i = 1; i <= stencil.radius; ++i) {
    const double half = std::sin(0.5 * i * wavenumber * spacing);
    sum += 4 * stencil.weight[static_cast<std::size_t>(i)] * half * half;
  }
  return sum / (spacing * spacing);
}

double phase_speed_error(const Stencil& stencil, double points, double courant) {
  const double kh = 2 * std::numbers::pi / points;
  const double half = 0.5 * courant * std::sqrt(discrete_wavenumber_squared(stencil, kh, 1));
  return std::asin(std::min(1.0, half)) / (0.5 * courant * kh) - 1;
}

double worst_phase_speed_error(const Stencil& stencil, double points, double courant) {
  double worst = 0;
  for (int i = 1; i <= 16; ++i) {
    const double error = phase_speed_error(stencil, points * 16 / i, courant);
    if (std::abs(error) > std::abs(worst)) worst = error;
  }
  return worst;
}

}  // namespace conoid::acoustic_fd
