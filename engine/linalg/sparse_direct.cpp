// SPDX-License-Identifier: BSD-3-Clause
// Which direct solver takes a matrix.
#include "engine/linalg/sparse_direct.hpp"

#include "conoid/config.hpp"
#include "engine/linalg/sparse_direct_bodies.hpp"

#include <algorithm>
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

Bytes expected_factor_bytes(Index size, int rows) {
  const auto n = static_cast<double>(size);
  const double solid = 13 * std::pow(n, 1.33), thin = 6.2 * rows * n * std::log2(std::max(2.0, n / std::max(1, rows)));
  return static_cast<Bytes>(20 * (rows > 0 ? std::min(thin, solid) : solid));
}

Result<std::unique_ptr<SparseDirect>> factorise(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (matrix.size < 1) return make_error(ErrorCode::internal, "a matrix without rows cannot be factored");
  if (options.method == DirectMethod::mumps && !has_mumps())
    return make_error(ErrorCode::resources, "this program was built without MUMPS",
                      "Install libmumps-dev and build again, or choose the built-in solver.");
  // Fronts of our own, whatever the number of threads, so that results do not depend on it. What they cannot do (pivots that have to be
  // exchanged, factors on disk) the library does.
  if (options.method == DirectMethod::tree ||
      (options.method == DirectMethod::automatic && !options.on_disk && has_tree())) {
    auto made = factorise_tree(matrix, options);
    if (made || options.method == DirectMethod::tree || made.error().code == ErrorCode::stopped) return made;
  }
  const bool mumps =
      options.method == DirectMethod::mumps || (options.method == DirectMethod::automatic && has_mumps());
  return mumps ? factorise_mumps(matrix, options) : factorise_eigen(matrix, options);
}

}  // namespace conoid
