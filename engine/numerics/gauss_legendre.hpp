// SPDX-License-Identifier: BSD-3-Clause
// Legendre polynomials and the quadrature rules of Gauss on their roots, for any solver and for meshes.
#pragma once

#include <utility>
#include <vector>

namespace conoid {

/// P_n(x) and P_n'(x) by the three-term recurrence (Abramowitz & Stegun 8.5.3, 8.5.4); n ≥ 0, |x| < 1 where n > 0 (the slope divides by
/// x² − 1). Any thread.
[[nodiscard]] std::pair<double, double> legendre(int n, double x);

/// A rule on [0, 1].
struct LineRule {
  std::vector<double> points;   ///< ascending
  std::vector<double> weights;  ///< their sum is 1
};

/// n ≥ 1 points, exact for polynomials of degree 2n − 1: the roots of P_n by Newton's method, weights 2 / ((1 − x²) P_n'(x)²) halved
/// (Abramowitz & Stegun 25.4.29). Points are right to some 1e-16, weights to some n 1e-15 (tested to n = 40). Costs n² steps of the
/// recurrence a turn: rules that are asked for often are kept by those who ask. Any thread.
[[nodiscard]] LineRule gauss_legendre(int n);

}  // namespace conoid
