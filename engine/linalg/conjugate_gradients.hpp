// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned conjugate gradients (Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 9.1) on vectors that the
// caller keeps, wherever they lie: here is the recurrence alone, of which only scalar products are seen.
#pragma once

#include <cmath>
#include <concepts>

#include "engine/core/types.hpp"

namespace conoid {

/// The passes over vectors x, r, z, p, q of A x = b with the preconditioner M. Where several threads, devices or ranks call
/// conjugate_gradients() together, each makes its part of a pass, and all get the same bits of the product (BlockSums).
template <class T>
concept ConjugatePasses = requires(T& passes, double factor) {
  { passes.start() } -> std::same_as<double>;         ///< r = b − A x, z = M⁻¹ r, p = z; r·z
  { passes.product() } -> std::same_as<double>;       ///< q = A p; p·q
  { passes.update(factor) } -> std::same_as<double>;  ///< x += αp, r −= αq, z = M⁻¹ r; r·z
  passes.direction(factor);                           ///< p = z + βp
};

struct ConjugateEnd {
  Index iterations = 0;
  bool converged =
      false;  ///< false: too many iterations, or a matrix that is not positive definite, or values that are no numbers
};

/// Iterates until r·z ≤ `share` of what it was at the start, at most `longest` times.
template <ConjugatePasses Passes>
[[nodiscard]] ConjugateEnd conjugate_gradients(Passes& passes, double share, Index longest) {
  double rz = passes.start();
  const double enough = share * rz;
  for (Index n = 0;; ++n) {
    if (rz == 0 || (rz > 0 && rz <= enough)) return {n, true};
    if (n == longest || !(rz > 0) || !std::isfinite(rz)) return {n, false};
    const double pq = passes.product();
    if (!(pq > 0)) return {n, false};
    const double next = passes.update(rz / pq);
    passes.direction(next / rz);
    rz = next;
  }
}

}  // namespace conoid
