// SPDX-License-Identifier: BSD-3-Clause
// Passes and what they leave.
#include "engine/linalg/refinement.hpp"

#include "engine/team/parallel_for.hpp"

#include <utility>
#include <vector>

#include <fmt/core.h>

namespace conoid {

namespace {

using Complex = std::complex<double>;

/// Residuals at which a solution is done, and beyond which the factors are of no use; passes at most, of which each must take away so much.
constexpr double refined = 1e-12, useless = 1e-10, least_gain = 0.5;
constexpr int most_passes = 20;

}  // namespace

double subtract_product(const SymmetricMatrix& matrix, int threads, std::span<const Complex> x, std::span<Complex> rest,
                        Index count, std::span<const double> norms) {
  const Index n = matrix.size;
  std::vector<double> left(static_cast<std::size_t>(count), 0);
  parallel_for(threads, {0, count}, 1, [&](Index c) {
    std::vector<Complex> product(static_cast<std::size_t>(n));
    matrix.multiply(x.subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n)), product);
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      rest[c * n + i] -= product[i];
      sum += std::norm(rest[c * n + i]);
    }
    if (!norms.empty() && norms[c] > 0) left[c] = std::sqrt(sum) / norms[c];
  });
  return *std::max_element(left.begin(), left.end());
}

Refinement refine_columns(const SymmetricMatrix& matrix, int threads, std::span<Complex> b, Index count,
                          const Pass& pass) {
  const Index n = matrix.size;
  std::vector<Complex> x(b.size(), 0), rest(b.begin(), b.end()), step;
  std::vector<double> norms(static_cast<std::size_t>(count), 0);
  for (Index c = 0; c < count; ++c) {
    for (Index i = 0; i < n; ++i) norms[c] += std::norm(b[c * n + i]);
    norms[c] = std::sqrt(norms[c]);
  }
  Refinement out;
  out.residual = 1;
  while (out.passes < most_passes && out.residual > refined) {
    step = rest;
    if (!pass(step, count)) return out;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
    rest.assign(b.begin(), b.end());
    const double before = std::exchange(out.residual, subtract_product(matrix, threads, x, rest, count, norms));
    ++out.passes;
    if (!(out.residual < least_gain * before)) break;
  }
  std::copy(x.begin(), x.end(), b.begin());
  out.good = out.residual < useless;
  return out;
}

Error refinement_failed(double residual) {
  return make_error(ErrorCode::not_converged,
                    fmt::format("factors in single precision leave a residual of {:.1e}", residual),
                    "Choose factors in double precision.");
}

}  // namespace conoid
