// SPDX-License-Identifier: BSD-3-Clause
// An estimate of the norm of an inverse from a few solutions, for reciprocal condition numbers where no library gives them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace conoid::dense {

/// About ‖A⁻¹‖₁ of n > 0 equations, from below (N. J. Higham, ACM TOMS 14 (1988) 381, algorithm 2.4, complex). `solve(v, adjoint)` replaces
/// a std::vector<T> v by A⁻¹ v or A⁻ᴴ v; it is called at most ten times.
template <class T, class Solve>
[[nodiscard]] double inverse_norm1(std::size_t n, const Solve& solve) {
  using Real = typename T::value_type;
  std::vector<T> x(n, T(static_cast<Real>(1.0 / static_cast<double>(n))));
  double estimate = 0;
  std::size_t last = n;
  for (int round = 0; round < 5; ++round) {
    std::vector<T> v = x;
    solve(v, false);
    double norm = 0;
    for (const T& e : v) norm += std::abs(e);
    if (round > 0 && norm <= estimate) break;
    estimate = norm;
    for (T& e : v) e = std::abs(e) > 0 ? e / std::abs(e) : T(1);
    solve(v, true);
    std::size_t at = 0;
    for (std::size_t k = 0; k < v.size(); ++k)
      if (std::abs(v[k].real()) > std::abs(v[at].real())) at = k;
    if (at == last) break;
    last = at;
    std::fill(x.begin(), x.end(), T(0));
    x[at] = T(1);
  }
  return estimate;
}

}  // namespace conoid::dense
