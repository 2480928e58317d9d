// SPDX-License-Identifier: BSD-3-Clause
// Moduli, wave numbers, series coefficients.
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

#include <cmath>

namespace conoid::elastic_bem {

double Medium::shear_speed() const {
  return std::sqrt(mu / rho);
}
double Medium::pressure_speed() const {
  return std::sqrt(2 * (1 - nu) / (1 - 2 * nu) * mu / rho);
}

double Medium::rayleigh_speed() const {
  const double k2 = (1 - 2 * nu) / (2 * (1 - nu));
  const auto f = [&](double v) {
    const double v2 = v * v;
    return (2 - v2) * (2 - v2) - 4 * std::sqrt(1 - k2 * v2) * std::sqrt(1 - v2);
  };
  double low = 0.3, high = 1 - 1e-12;  // f < 0 below the root, > 0 above it
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (f(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high) * shear_speed();
}

Harmonic::Harmonic(const Medium& m, double omega_) : omega(omega_), nu(m.nu), rho(m.rho) {
  kappa = std::sqrt((1 - 2 * nu) / (2 * (1 - nu)));
  L = 1 / (kappa * kappa) - 2;
  mu = m.mu * Complex(1, 2 * m.beta);
  lambda = L * mu;
  kS = m.beta == 0 ? Complex(omega / m.shear_speed()) : omega / std::sqrt(mu / m.rho);
  kP = kappa * kS;
}

SeriesCoefficients::SeriesCoefficients(double kappa) {
  double inverse_factorial = 0.5, power = kappa * kappa;  // 1/(m+2)!, κ^{m+2}
  for (int m = 0; m < series_terms; ++m) {
    const auto k = static_cast<std::size_t>(m);
    a[k] = inverse_factorial * (m + 1) * ((m + 1) + power);
    b[k] = inverse_factorial * (m * m - 1) * (1 - power);
    inverse_factorial /= m + 3;
    power *= kappa;
  }
}

}  // namespace conoid::elastic_bem
