// SPDX-License-Identifier: BSD-3-Clause
// Sparse LU by Eigen. Its L D Lᴴ is for Hermitian matrices, not for complex symmetric ones; so the whole matrix is factored.
#include "engine/linalg/sparse_direct_bodies.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>

#include <Eigen/OrderingMethods>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>

#include <fmt/core.h>

namespace conoid {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::SparseMatrix<Complex, Eigen::ColMajor, int>;

constexpr double diagonal_threshold = 0.01;
/// Right-hand sides that pass the factors at once, on one thread.
constexpr Index at_once = 8;

/// Minimum degree of a symmetric pattern. AMDOrdering says which old row comes at each new place, as SimplicialLDLT wants it; SparseLU wants
/// the new place of each old column, and with the former its factors fill up.
struct MinimumDegree {
  template <class Pattern, class Permutation>
  void operator()(const Pattern& pattern, Permutation& places) const {
    Permutation order;
    Eigen::AMDOrdering<int>()(pattern, order);
    places = order.inverse();
  }
};

class EigenDirect final : public SparseDirect {
 public:
  explicit EigenDirect(int threads) : threads_(std::max(1, threads)) {}
  Status factor(const SymmetricMatrix& m) {
    Matrix full(m.size, m.size);
    std::vector<Eigen::Triplet<Complex, int>> entries;
    entries.reserve(2 * m.columns.size());
    for (Index i = 0; i < m.size; ++i)
      for (Index p = m.row_start[static_cast<std::size_t>(i)]; p < m.row_start[static_cast<std::size_t>(i) + 1]; ++p) {
        const auto at = static_cast<std::size_t>(p);
        entries.emplace_back(static_cast<int>(i), m.columns[at], m.values[at]);
        if (m.columns[at] != i) entries.emplace_back(m.columns[at], static_cast<int>(i), m.values[at]);
      }
    full.setFromTriplets(entries.begin(), entries.end());
    entries = {};
    lu_.isSymmetric(true);
    // The order that keeps the factors sparse is that of a symmetric matrix: it is worth little once rows are exchanged. So the diagonal is
    // taken unless it is far smaller than another entry of its column.
    lu_.setPivotThreshold(diagonal_threshold);
    lu_.compute(full);
    if (lu_.info() != Eigen::Success)
      return make_error(ErrorCode::invalid_input, "the system of equations is singular: " + lu_.lastErrorMessage(),
                        "Two unknowns may coincide, or a part of the mesh has no boundary condition at a resonance.");
    facts_.method = "Eigen sparse LU";
    facts_.entries = static_cast<Index>(lu_.nnzL()) + static_cast<Index>(lu_.nnzU());
    facts_.bytes = static_cast<Bytes>(facts_.entries) * 20;
    return {};
  }
  Status solve(std::vector<Complex>& columns, Index count) override {
    const auto n = lu_.rows();
    in_chunks(threads_, {0, count}, at_once, [&](Interval chunk, int) {
      Eigen::Map<Eigen::MatrixXcd> x(columns.data() + chunk.begin * n, n, chunk.size());
      const Eigen::MatrixXcd b = x;
      x = lu_.solve(b);
    });
    return {};
  }
  [[nodiscard]] const DirectFacts& facts() const override { return facts_; }

 private:
  Eigen::SparseLU<Matrix, MinimumDegree> lu_;
  int threads_;
  DirectFacts facts_;
};

}  // namespace

Result<std::unique_ptr<SparseDirect>> factorise_eigen(const SymmetricMatrix& matrix, const DirectOptions& options) {
  if (options.on_disk)
    return make_error(ErrorCode::resources, "only MUMPS keeps factors on disk",
                      "Build with libmumps-dev, or leave the factors in memory.");
  try {
    auto out = std::make_unique<EigenDirect>(options.threads);
    if (Status s = out->factor(matrix); !s) return s.error();
    return std::unique_ptr<SparseDirect>(std::move(out));
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::resources, fmt::format("no memory for the factors of {} unknowns", matrix.size),
                      "Coarsen the mesh, or build with MUMPS, which keeps factors on disk.");
  }
}

}  // namespace conoid
