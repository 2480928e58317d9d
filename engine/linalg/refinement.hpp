// SPDX-License-Identifier: BSD-3-Clause
// Solutions in double by factors in single precision: what they leave is formed in double and solved again.
//
// J. H. Wilkinson, Rounding Errors in Algebraic Processes, 1963; as long as the condition number is well below 1e7 each pass takes away
// the same factor of the residual.
#pragma once

#include "engine/linalg/sparse_direct.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace conoid {

/// rest −= A x of `count` columns, a thread each; the largest of the columns' norms of what is left over `norms`, where these are given.
double subtract_product(const SymmetricMatrix& matrix, int threads, std::span<const std::complex<double>> x,
                        std::span<std::complex<double>> rest, Index count, std::span<const double> norms = {});

struct Refinement {
  double residual = 0;  ///< the largest of the columns', relative
  Index passes = 0;
  bool good = false;  ///< below 1e-10
};

/// Columns overwritten with what factors of lower precision make of them; false: stopped, and the columns are of no use.
using Pass = std::function<bool(std::span<std::complex<double>>, Index)>;

/// Columns b become solutions: passes until residuals are 1e-12, or fall by less than half (rounding of the double numbers, or factors of
/// no use), 20 at most.
[[nodiscard]] Refinement refine_columns(const SymmetricMatrix& matrix, int threads, std::span<std::complex<double>> b,
                                        Index count, const Pass& pass);
[[nodiscard]] Error refinement_failed(double residual);

/// The largest part of each column, 1 where it is nothing: single numbers have few exponents, so a column is passed as if that were one.
[[nodiscard]] inline double largest_part(std::span<const std::complex<double>> column) {
  double most = 0;
  for (const std::complex<double>& v : column) most = std::max({most, std::abs(v.real()), std::abs(v.imag())});
  return most > 0 ? most : 1;
}

}  // namespace conoid
