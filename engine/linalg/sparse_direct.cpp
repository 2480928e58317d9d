// SPDX-License-Identifier: BSD-3-Clause
// Which direct solver takes a matrix.
#include "engine/linalg/sparse_direct.hpp"

#include "conoid/config.hpp"
#include "engine/core/log.hpp"
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

bool own_fronts(const DirectOptions& options) {
  return options.method == DirectMethod::tree ||
         (options.method == DirectMethod::automatic && !options.on_disk && has_tree());
}

ExpectedFactors expected_factors(Index size, int rows, const DirectOptions& options, int ranks) {
  const auto n = static_cast<double>(size);
  const bool own = own_fronts(options);
  const double plane = rows * n * std::log2(std::max(2.0, n / std::max(1, rows)));
  const double thin = (own ? 6.9 : 6.2) * plane, solid = own ? 9.26 * std::pow(n, 1.36) : 13 * std::pow(n, 1.33);
  ExpectedFactors out;
  out.entries = rows > 0 ? std::min(thin, solid) : solid;
  if (!own) {
    out.bytes = static_cast<Bytes>(20 * out.entries);
    return out;
  }
  const double waits = 118 * std::pow(n, 4.0 / 3), share = 0.2 + 0.8 / std::max(1, ranks),
               size_of = options.single ? 0.5 : 1,
               doubled = std::log2(static_cast<double>(std::max(1, options.threads)));
  // The law is that of one thread. Of several: roots of all their subtrees, and what each of them is within, as counted for layers of
  // 12,168 to 41,052 unknowns and balls of 21,196 and 58,596 on 2 to 32 threads; with the factors within a fifth of DirectFacts::bytes.
  const double by_threads = doubled == 0 ? 1 : rows > 0 ? 2 + 0.23 * doubled : 1.45 + 0.18 * doubled;
  out.bytes = static_cast<Bytes>(18.7 * out.entries * share * size_of);
  out.waiting =
      static_cast<Bytes>((rows > 0 ? std::min(700.0 * rows * n, waits) : waits) * by_threads * share * size_of);
  return out;
}

double relative_residual(const SymmetricMatrix& matrix, std::span<const std::complex<double>> x,
                         std::span<const std::complex<double>> b) {
  std::vector<std::complex<double>> back(b.size());
  matrix.multiply(x, back);
  double off = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    off += std::norm(back[i] - b[i]);
    size += std::norm(b[i]);
  }
  return size > 0 ? std::sqrt(off / size) : 0;
}

namespace {

template <class Factorise>
Result<std::unique_ptr<SparseDirect>> doubles_where_single_fail(const DirectOptions& options,
                                                                const Factorise& factorise) {
  auto made = factorise(options);
  if (made || !options.single || made.error().code != ErrorCode::not_converged) return made;
  log::warning("{}; double precision is taken instead", made.error().text);
  DirectOptions doubles = options;
  doubles.single = false;
  return factorise(doubles);
}

}  // namespace

Result<std::unique_ptr<SparseDirect>> factorise(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (matrix.size < 1) return make_error(ErrorCode::internal, "a matrix without rows cannot be factored");
  if (options.method == DirectMethod::mumps && !has_mumps())
    return make_error(ErrorCode::resources, "this program was built without MUMPS",
                      "Install libmumps-dev and build again, or choose the built-in solver.");
  if (options.method == DirectMethod::device ||
      (options.method == DirectMethod::automatic && options.device != nullptr)) {
    auto made = doubles_where_single_fail(options, [&](const DirectOptions& o) { return factorise_device(matrix, o); });
    if (made || options.method == DirectMethod::device || made.error().code == ErrorCode::stopped) return made;
    log::warning("{}: processors factorise instead", made.error().text);
  }
  // Fronts of our own, whatever the number of threads, so that results do not depend on it. What they cannot do (pivots that have to be
  // exchanged, factors on disk) the library does.
  if (own_fronts(options)) {
    auto made = doubles_where_single_fail(options, [&](const DirectOptions& o) { return factorise_tree(matrix, o); });
    if (made || options.method == DirectMethod::tree || made.error().code == ErrorCode::stopped) return made;
  }
  const bool mumps =
      options.method == DirectMethod::mumps || (options.method == DirectMethod::automatic && has_mumps());
  return mumps ? factorise_mumps(matrix, options) : factorise_eigen(matrix, options);
}

}  // namespace conoid
