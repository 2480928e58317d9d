// SPDX-License-Identifier: BSD-3-Clause
// The march's answer at one frequency, without the march: Σ_k M_k e^{iωkΔt} â = l̂, by GMRES.
//
// â = Σ_n aⁿ e^{iωnΔt} over all steps for ever obeys this equation exactly, l̂ = Σ_n lⁿ e^{iωnΔt} ends with the pulse: what a resonator
// would ring for tens of thousands of steps is one solution a frequency. The slices are transformed to a dense complex matrix (a
// fifth of their memory; compressed ones: compressed_transform.hpp), M_0 is the preconditioner. (Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856.)
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/stepping/compressed_transform.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

/// Bytes a pair of unknowns, of all ranks.
template <class Real>
constexpr std::size_t transform_bytes = 2 * sizeof(Real);

template <class Real>
class FrequencySolver {
 public:
  using Complex = std::complex<double>;
  /// The matrices must outlive this. Collective on several ranks, each with the columns of its own slices.
  FrequencySolver(const Matrices<Real>& matrices, InstantSolver& instant, Communicator* cluster);
  /// Transforms the slices to a frequency, rad/s, unless they are there already.
  void set(Team& team, double omega);
  /// â from l̂; the number of iterations, 0 where they did not converge (residual 1e-10 of l̂, 1e-6 in single precision).
  [[nodiscard]] Index solve(Team& team, std::span<const Complex> l, std::span<Complex> a);

 private:
  void multiply(Team& team, std::span<const Complex> x, std::span<Complex> y);
  /// This rank's columns of whole matrices, without M_0.
  void multiply_whole(Team& team, std::span<const Complex> x, std::span<Complex> y) const;
  void precondition(std::span<const Complex> x, std::span<Complex> y);

  const Matrices<Real>& matrices_;
  InstantSolver& instant_;
  Communicator* cluster_;
  double omega_ = -1;                        ///< of the columns; negative: none yet
  std::vector<std::complex<Real>> columns_;  ///< column j of this rank's slices at j · N; whole matrices
  std::optional<CompressedTransform<Real>> compressed_;
};

/// Of a frequency (Hz) at which iterations did not converge.
[[nodiscard]] Error not_solved(double frequency);

extern template class FrequencySolver<float>;
extern template class FrequencySolver<double>;

}  // namespace conoid::acoustic_bem
