// SPDX-License-Identifier: BSD-3-Clause
// Which direct solver takes a matrix.
#include "engine/linalg/sparse_direct.hpp"

#include "conoid/config.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"

#include <cmath>

namespace conoid {

void SymmetricMatrix::multiply(std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const {
  for (auto& v : y) v = 0;
  for (Index i = 0; i < size; ++i) {
    const auto row = static_cast<std::size_t>(i);
    std::complex<double> sum = 0;
    for (Index p = row_start[row]; p < row_start[row + 1]; ++p) {
      const auto at = static_cast<std::size_t>(p), j = static_cast<std::size_t>(columns[at]);
      sum += values[at] * x[j];
      if (j != row) y[j] += values[at] * x[row];
    }
    y[row] += sum;
  }
}

bool has_mumps() {
  return CONOID_HAVE_MUMPS != 0;
}

Bytes expected_factor_bytes(Index size, bool thin) {
  const auto n = static_cast<double>(size);
  return static_cast<Bytes>(20 * (thin ? 29 * std::pow(n, 1.17) : 13 * std::pow(n, 1.33)));
}

Result<std::unique_ptr<SparseDirect>> factorise(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (matrix.size < 1) return make_error(ErrorCode::internal, "a matrix without rows cannot be factored");
  if (options.method == DirectMethod::mumps && !has_mumps())
    return make_error(ErrorCode::resources, "this program was built without MUMPS",
                      "Install libmumps-dev and build again, or choose the built-in solver.");
  const bool mumps =
      options.method == DirectMethod::mumps || (options.method == DirectMethod::automatic && has_mumps());
  return mumps ? factorise_mumps(matrix, options) : factorise_eigen(matrix, options);
}

}  // namespace conoid
