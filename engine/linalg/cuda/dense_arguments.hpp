// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels beside the libraries of dense linear algebra take.
#pragma once

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

}  // namespace conoid::dense
