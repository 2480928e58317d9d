// SPDX-License-Identifier: BSD-3-Clause
// Roots of Legendre polynomials by Newton's method from Chebyshev's guess.
#include "engine/numerics/gauss_legendre.hpp"

#include <cmath>
#include <numbers>

#include "engine/core/error.hpp"

namespace conoid {

std::pair<double, double> legendre(int n, double x) {
  double p0 = 1;
  double p1 = x;
  if (n == 0) return {1, 0};
  for (int j = 2; j <= n; ++j) {
    const double p2 = ((2 * j - 1) * x * p1 - (j - 1) * p0) / j;
    p0 = p1;
    p1 = p2;
  }
  return {p1, n * (x * p1 - p0) / (x * x - 1)};
}

LineRule gauss_legendre(int n) {
  verify(n >= 1, "a Gauss-Legendre rule has at least one point");
  LineRule rule;
  rule.points.resize(static_cast<std::size_t>(n));
  rule.weights.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    for (int it = 0; it < 100; ++it) {
      const auto [p, dp] = legendre(n, x);
      const double dx = p / dp;
      x -= dx;
      if (std::abs(dx) < 1e-16) break;
    }
    // The slope at the root itself: a step before it the weight is off by what Newton's last step was.
    const double dp = legendre(n, x).second;
    rule.points[static_cast<std::size_t>(i)] = 0.5 * (x + 1);
    rule.weights[static_cast<std::size_t>(i)] = 1 / ((1 - x * x) * dp * dp);
  }
  return rule;
}

}  // namespace conoid
