// SPDX-License-Identifier: BSD-3-Clause
// Equations solved by iterations, and solved again for what these leave.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

/// The norm of n values.
[[nodiscard]] inline double length(const Complex* v, Index n) {
  double s = 0;
  for (Index k = 0; k < n; ++k) s += std::norm(v[k]);
  return std::sqrt(s);
}

/// Adds to x, which begins as nothing, what `solve` finds, until no relative residual is larger than `aim` or another pass does not halve it.
/// Products round what they are given, so that what is left in truth may be more than the iterations make of it. `residual`: the largest of x.
/// `solve(tolerance, more)` -> Status: columns for what is left, to a relative tolerance of that. `left()` -> double: the largest relative residual
/// of x as it is; what the next solve() is for.
template <class Solve, class Left>
[[nodiscard]] Status solve_in_passes(double aim, std::vector<Complex>& x, double& residual, const Solve& solve,
                                     const Left& left) {
  constexpr int most_passes = 3;
  std::vector<Complex> more(x.size()), kept;
  residual = 1;
  for (int pass = 0; pass < most_passes; ++pass) {
    const double before = residual;
    if (Status s = solve(std::min(0.5, aim / before), more); !s) return s;
    if (pass > 0) kept = x;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += more[k];
    residual = left();
    if (pass > 0 && !(residual < before)) {
      x = std::move(kept);
      residual = before;
      break;
    }
    if (residual <= aim || !(residual < 0.5 * before)) break;
  }
  return {};
}

}  // namespace conoid::elastic_bem
