// SPDX-License-Identifier: BSD-3-Clause
// Straight lines through real and imaginary parts.
#include "engine/solvers/elastic_bem/solving/lumped.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace conoid::elastic_bem {
namespace {

struct Line {
  double at_zero = 0, slope = 0;
};

Line through_all(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean_x += x[k] / n;
    mean_y += y[k] / n;
  }
  double xx = 0, xy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - mean_x) * (x[k] - mean_x);
    xy += (x[k] - mean_x) * (y[k] - mean_y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {mean_y - slope * mean_x, slope};
}

Line through_zero(std::span<const double> x, std::span<const double> y) {
  double xx = 0, xy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += x[k] * x[k];
    xy += x[k] * y[k];
  }
  return {0, xx > 0 ? xy / xx : 0};
}

}  // namespace

Lumped fit_lumped(std::span<const double> omega, std::span<const Complex> stiffness, bool damping) {
  std::vector<double> squares, real, imaginary;
  for (std::size_t k = 0; k < omega.size(); ++k) {
    squares.push_back(omega[k] * omega[k]);
    real.push_back(stiffness[k].real());
    imaginary.push_back(stiffness[k].imag());
  }
  const Line spring = through_all(squares, real);
  Line dashpot = damping ? through_all(omega, imaginary) : through_zero(omega, imaginary);
  if (dashpot.at_zero * spring.at_zero < 0) dashpot = through_zero(omega, imaginary);
  Lumped out{spring.at_zero, -spring.slope, dashpot.slope, dashpot.at_zero, 0};
  double largest = 0;
  for (std::size_t k = 0; k < omega.size(); ++k) {
    const Complex fitted(out.stiffness - squares[k] * out.mass, out.hysteresis + omega[k] * out.damping);
    out.error = std::max(out.error, std::abs(stiffness[k] - fitted));
    largest = std::max(largest, std::abs(stiffness[k]));
  }
  out.error = largest > 0 ? out.error / largest : 0;
  return out;
}

}  // namespace conoid::elastic_bem
