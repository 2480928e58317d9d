// SPDX-License-Identifier: BSD-3-Clause
// Solves with M_0: sparse, nearly diagonal, symmetric positive definite unless walls differ (surface.hpp).
#define EIGEN_MPL2_ONLY
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "engine/linalg/conjugate_gradients.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/team/together.hpp"

namespace conoid::acoustic_bem {

struct InstantSolver::Parts {
  using Columns = Eigen::SparseMatrix<double>;
  bool iterate = false, symmetric = true;
  bool ok = false;
  Index iterations = 0;
  Eigen::SimplicialLLT<Columns, Eigen::Lower, Eigen::AMDOrdering<int>> factors;
  // Where M_0 is not symmetric.
  Eigen::SparseLU<Columns> lu;
  SparseMatrix rows;
  Eigen::BiCGSTAB<SparseMatrix, Eigen::DiagonalPreconditioner<double>> gradients;
  // Rows of M_0 for the gradients.
  std::vector<std::size_t> begin;
  std::vector<std::size_t> column;
  std::vector<double> value, inverse_diagonal, r, z, p, q;
  std::array<std::vector<double>, 2> sums;  ///< of blocks of rows, in turn
  struct Passes;
};

/// One thread's blocks of rows. Sums go block by block, however many threads there are.
struct InstantSolver::Parts::Passes {
  static constexpr std::size_t block = 512;  // rows
  Parts& v;
  std::span<const double> s;
  std::span<double> y;
  Together& together;
  std::size_t first, last;  ///< blocks
  std::size_t turn = 0;

  template <class F>
  double sum_of(const F& row) {
    std::vector<double>& sums = v.sums[turn];
    for (std::size_t b = first; b < last; ++b) {
      double sum = 0;
      for (std::size_t i = b * block; i < std::min((b + 1) * block, s.size()); ++i) sum += row(i);
      sums[b] = sum;
    }
    together.wait();
    turn = 1 - turn;  // these are read while the next ones are written
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  double start() {
    return sum_of([&](std::size_t i) {
      y[i] = 0;
      v.r[i] = s[i];
      v.p[i] = v.z[i] = v.inverse_diagonal[i] * s[i];
      return v.r[i] * v.z[i];
    });
  }
  double product() {
    together.wait();  // all of p is there
    return sum_of([&](std::size_t i) {
      double q = 0;
      for (std::size_t e = v.begin[i]; e < v.begin[i + 1]; ++e) q += v.value[e] * v.p[v.column[e]];
      v.q[i] = q;
      return v.p[i] * q;
    });
  }
  double update(double alpha) {
    return sum_of([&](std::size_t i) {
      y[i] += alpha * v.p[i];
      v.r[i] -= alpha * v.q[i];
      v.z[i] = v.inverse_diagonal[i] * v.r[i];
      return v.r[i] * v.z[i];
    });
  }
  void direction(double beta) {
    for (std::size_t i = first * block; i < std::min(last * block, s.size()); ++i) v.p[i] = v.z[i] + beta * v.p[i];
  }
};

InstantSolver::InstantSolver(const SparseMatrix& M0, bool conjugate_gradients) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.iterate = conjugate_gradients;
  p.symmetric = SparseMatrix(M0 - SparseMatrix(M0.transpose())).norm() <= 1e-10 * M0.norm();
  if (!p.symmetric && p.iterate) {
    p.rows = M0;
    p.gradients.setTolerance(1e-13);
    p.gradients.compute(p.rows);
    p.ok = p.gradients.info() == Eigen::Success;
    return;
  }
  if (!p.symmetric) {
    p.lu.compute(Parts::Columns(M0));
    p.ok = p.lu.info() == Eigen::Success;
    return;
  }
  if (!p.iterate) {
    p.factors.compute(Parts::Columns(M0));
    p.ok = p.factors.info() == Eigen::Success;
    return;
  }
  const auto n = static_cast<std::size_t>(M0.rows());
  p.inverse_diagonal.assign(n, -1);
  p.begin.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    for (SparseMatrix::InnerIterator e(M0, static_cast<int>(i)); e; ++e) {
      p.column.push_back(static_cast<std::size_t>(e.col()));
      p.value.push_back(e.value());
      if (static_cast<std::size_t>(e.col()) == i) p.inverse_diagonal[i] = 1 / e.value();
    }
    p.begin.push_back(p.value.size());
  }
  p.ok = true;
  for (double d : p.inverse_diagonal) p.ok = p.ok && d > 0;
  for (auto* v : {&p.r, &p.z, &p.p, &p.q}) v->assign(n, 0);
  for (auto& v : p.sums) v.assign((n + Parts::Passes::block - 1) / Parts::Passes::block, 0);
}
InstantSolver::~InstantSolver() = default;
InstantSolver::InstantSolver(InstantSolver&&) noexcept = default;

bool InstantSolver::ok() const {
  return parts_->ok;
}
bool InstantSolver::symmetric() const {
  return parts_->symmetric;
}

void InstantSolver::solve(std::span<const double> s, std::span<double> y, int threads) {
  Parts& p = *parts_;
  const std::size_t n = s.size();
  if (!p.iterate || !p.symmetric) {
    const Eigen::Map<const Eigen::VectorXd> in(s.data(), static_cast<Eigen::Index>(n));
    Eigen::Map<Eigen::VectorXd> out(y.data(), static_cast<Eigen::Index>(n));
    if (p.symmetric)
      out = p.factors.solve(in);
    else if (p.iterate)
      out = p.gradients.solve(in);
    else
      out = p.lu.solve(in);
    p.iterations = !p.symmetric && p.iterate ? static_cast<Index>(p.gradients.iterations()) : 0;
    return;
  }
  // From zero, scaled by the diagonal (condition about 3.5 whatever the mesh).
  const std::size_t blocks = p.sums[0].size();
  const auto most = static_cast<int>(std::min<std::size_t>(blocks, 1024));
  run_together(CpuWorker(threads), std::min(threads, most), [&](Together& together, int thread) {
    const auto t = static_cast<std::size_t>(thread), all = static_cast<std::size_t>(together.threads());
    Parts::Passes passes{p, s, y, together, t * blocks / all, (t + 1) * blocks / all};
    const ConjugateEnd end = conjugate_gradients(passes, 1e-26, 500);
    if (thread == 0) p.iterations = end.iterations;
  });
}

Index InstantSolver::factor_nonzeros() const {
  if (parts_->iterate) return 0;
  if (!parts_->symmetric) return static_cast<Index>(parts_->lu.nnzL() + parts_->lu.nnzU());
  const auto& factor = parts_->factors.matrixL().nestedExpression();
  return static_cast<Index>(factor.outerIndexPtr()[factor.outerSize()]);
}
Index InstantSolver::iterations() const {
  return parts_->iterations;
}

}  // namespace conoid::acoustic_bem
