// SPDX-License-Identifier: BSD-3-Clause
// Compressed matrices at one frequency: Σ_{k ≥ 1} M_k e^{iωkΔt} of near clusters as dense blocks, of far ones between points, and their product with a
// vector. What walls remember follows from the pressure there, so that their series fold into those of the points.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

template <class Real>
class CompressedTransform {
 public:
  using Complex = std::complex<double>;
  /// The matrices, which are compressed, must outlive this. `omega` in rad/s. Of several ranks this one's own columns.
  CompressedTransform(const Matrices<Real>& matrices, double omega, Team& team);
  /// y = Σ M x, of this rank's columns.
  void multiply(Team& team, std::span<const Complex> x, std::span<Complex> y) const;

 private:
  /// Rows of a cluster, or of a band, and columns: [column][row].
  struct Block {
    Interval rows;
    std::vector<std::int32_t> columns;
    std::vector<std::complex<Real>> values;
  };
  void transform_near(Team& team, std::span<const Complex> turn);
  void transform_far(Team& team, std::span<const Complex> turn);
  static void add_block(const Block& block, std::span<const Complex> x, std::span<Complex> y);

  const Matrices<Real>& matrices_;
  std::vector<Block> near_;  ///< of each leaf's rows, all near columns
  std::vector<Block> far_;   ///< of each band; columns are points
};

extern template class CompressedTransform<float>;
extern template class CompressedTransform<double>;

}  // namespace conoid::acoustic_bem
