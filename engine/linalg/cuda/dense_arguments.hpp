// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels beside the libraries of dense linear algebra take.
#pragma once

#include <cstdint>

namespace conoid::dense {

/// Values of a matrix in single precision; `count` reals, two a complex value.
struct NarrowArguments {
  const double* from;
  float* to;
  long long count;
};

/// Σ |a_ij| of the columns of an n × n matrix, a block a column.
template <class Real>
struct ColumnNormArguments {
  const Real* matrix;  ///< complex
  double* norms;
  long long n;
};
inline constexpr int norm_threads = 128;

/// Rows k and pivots[k] − 1 of a matrix are exchanged for k = 0, 1, …, count − 1, a thread a column.
template <class Real>
struct SwapArguments {
  Real* matrix;  ///< complex
  const std::int64_t* pivots;
  long long leading;
  long long columns;
  long long count;
};
inline constexpr int swap_threads = 64;

}  // namespace conoid::dense
