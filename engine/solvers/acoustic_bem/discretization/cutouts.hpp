// SPDX-License-Identifier: BSD-3-Clause
// Cut-outs of slices into blocks (Bramas et al. 2015, §5), their statistics (Table 4), and the CSR baseline.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/slices.hpp"
#include "engine/solvers/acoustic_bem/kernels/full_blocks.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"

namespace conoid::acoustic_bem {

/// First and last column (last < first: none) of each row of each slice, slice by slice, rows in their numbering.
struct RowSpans {
  Index rows = 0, slices = 0;
  std::vector<std::uint16_t> first, last;
  template <class Real>
  [[nodiscard]] static RowSpans of(const Slices<Real>& slices);
};

/// Quality of a numbering (§7.4.1): the mean over all pairs of consecutive row-vectors of a slice of the square of the
/// number of columns they share.
[[nodiscard]] double ordering_score(const RowSpans& spans);

/// Full-Blocking: blocks of b_r × b_c that keep the place of their values, found greedily row by row.
struct FullBlocking {
  int rows = 32, columns = 16;
  std::vector<BlockPlace> places;
  Index nonzeros = 0;
  [[nodiscard]] double fill() const {
    return static_cast<double>(nonzeros) / (static_cast<double>(places.size()) * rows * columns);
  }
};
/// b_c must be at least the longest row-vector; else the result is empty.
[[nodiscard]] FullBlocking full_blocking(const RowSpans& spans, int rows, int columns);
/// The blocks' values, block after block, column-major, padded with zeros.
template <class Real>
[[nodiscard]] AlignedVector<Real> full_block_values(const Slices<Real>& slices, const FullBlocking& blocks);

/// M_k as compressed sparse rows: the product a user would write first.
template <class Real>
struct CsrMatrices {
  struct Matrix {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> column;
    std::vector<Real> value;
  };
  std::vector<Matrix> M;  ///< k = 1 … K_max
  /// s += Σ_k M_k a^{n−k}; a[k−1] is a^{n−k}. Plain loops.
  void add(const std::vector<std::vector<Real>>& a, std::vector<Real>& s) const;
};
template <class Real>
[[nodiscard]] CsrMatrices<Real> csr_matrices(const Slices<Real>& slices);

}  // namespace conoid::acoustic_bem
