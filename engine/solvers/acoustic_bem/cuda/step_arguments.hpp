// SPDX-License-Identifier: BSD-3-Clause
// What the kernel takes that solves a group of steps on a device.
#pragma once

#include <cstdint>

namespace conoid::acoustic_bem {

/// Rows of a sparse matrix, or of several of the same rows one behind the other: entries begin[row] … begin[row + 1].
struct SparseOnDevice {
  const std::int64_t* begin;
  const std::int32_t* column;
  const void* value;
};

/// a[run][g] = M_0⁻¹ (right[run][g] − Σ_{1 ≤ k ≤ g} M_k a[run][g − k]) for all g < n_g, by conjugate gradients scaled with the diagonal of M_0.
/// A cooperative launch of teams · per_team blocks; team t takes the runs t, t + teams, …
struct StepArguments {
  SparseOnDevice instant;  ///< M_0, double
  const double* inverse_diagonal;
  SparseOnDevice near;  ///< M_1 … M_{n_g−1}, Real: begin[(k − 1)(rows + 1) + row]
  const double* right;  ///< [run][g][row]
  double* a;            ///< likewise
  double *r, *z, *q;    ///< [run][row]
  double* p;            ///< [2][run][row]
  double* partial;      ///< [4][run][block of the team]: r·z at the begin of even and odd steps, p·q, r·z
  std::int32_t* most_iterations;
  std::int32_t rows, runs, steps, teams, per_team;
  std::int32_t limit;  ///< of iterations
  double tolerance;    ///< of r·z over that at the begin
};
constexpr unsigned step_threads = 128;
/// Doubles of shared memory: r·z, p·q and r·z at the begin of each run, and a number a warp.
constexpr unsigned step_shared(unsigned runs) {
  return 3 * runs + step_threads / 32;
}

}  // namespace conoid::acoustic_bem
