// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/matrix product on dense blocks (Bramas et al. 2015, §5.1): SIMD over rows, one broadcast past value a
// multiply-add.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/kernels/summation.hpp"

namespace conoid::acoustic_bem {

/// A block of b_r × b_c values in column-major order, cut from slice j at (row, column).
struct BlockPlace {
  std::int32_t slice = 0, row = 0, column = 0;
};

template <class Real>
struct FullBlockKernel {
  int steps = 8;
  /// sums[g·stride + row] += … for `count` blocks of `rows` (a multiple of 16) × `columns`; pasts[j] as in PanelView.
  void (*add)(const BlockPlace* places, const Real* values, std::size_t count, int rows, int columns,
              const Real* const* pasts, Real* sums, std::size_t stride) = nullptr;
};

/// n_g = 8, the paper's.
template <class Real>
[[nodiscard]] const FullBlockKernel<Real>& full_block_kernel(KernelLevel level = KernelLevel::avx512);

}  // namespace conoid::acoustic_bem
