// SPDX-License-Identifier: BSD-3-Clause
// Solves with M_0: sparse, symmetric positive definite, nearly diagonal.
#define EIGEN_MPL2_ONLY
#include <cmath>
#include <vector>

#include <Eigen/SparseCholesky>

#include "engine/solvers/acoustic_bem/march.hpp"

namespace conoid::acoustic_bem {

struct InstantSolver::Parts {
  using Columns = Eigen::SparseMatrix<double>;
  bool iterate = false;
  bool ok = false;
  Index iterations = 0;
  Eigen::SimplicialLLT<Columns, Eigen::Lower, Eigen::AMDOrdering<int>> factors;
  // Rows of M_0 for the gradients.
  std::vector<std::size_t> begin;
  std::vector<std::size_t> column;
  std::vector<double> value, inverse_diagonal, r, z, p, q;

  void multiply(const std::vector<double>& x, std::vector<double>& out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      double s = 0;
      for (std::size_t e = begin[i]; e < begin[i + 1]; ++e) s += value[e] * x[column[e]];
      out[i] = s;
    }
  }
};

InstantSolver::InstantSolver(const SparseMatrix& M0, bool conjugate_gradients) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.iterate = conjugate_gradients;
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
}
InstantSolver::~InstantSolver() = default;
InstantSolver::InstantSolver(InstantSolver&&) noexcept = default;

bool InstantSolver::ok() const {
  return parts_->ok;
}

void InstantSolver::solve(std::span<const double> s, std::span<double> y) {
  Parts& p = *parts_;
  const std::size_t n = s.size();
  if (!p.iterate) {
    const Eigen::Map<const Eigen::VectorXd> in(s.data(), static_cast<Eigen::Index>(n));
    Eigen::Map<Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(n)) = p.factors.solve(in);
    return;
  }
  // Conjugate gradients from zero, scaled by the diagonal (condition about 3.5 whatever the mesh).
  double rz = 0, first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = 0;
    p.r[i] = s[i];
    p.p[i] = p.z[i] = p.inverse_diagonal[i] * s[i];
    rz += p.r[i] * p.z[i];
  }
  first = rz;
  for (p.iterations = 0; p.iterations < 500 && rz > 1e-26 * first; ++p.iterations) {
    p.multiply(p.p, p.q);
    double pq = 0;
    for (std::size_t i = 0; i < n; ++i) pq += p.p[i] * p.q[i];
    const double alpha = rz / pq;
    double next = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] += alpha * p.p[i];
      p.r[i] -= alpha * p.q[i];
      p.z[i] = p.inverse_diagonal[i] * p.r[i];
      next += p.r[i] * p.z[i];
    }
    for (std::size_t i = 0; i < n; ++i) p.p[i] = p.z[i] + next / rz * p.p[i];
    rz = next;
  }
}

Index InstantSolver::factor_nonzeros() const {
  if (parts_->iterate) return 0;
  const auto& factor = parts_->factors.matrixL().nestedExpression();
  return static_cast<Index>(factor.outerIndexPtr()[factor.outerSize()]);
}
Index InstantSolver::iterations() const {
  return parts_->iterations;
}

}  // namespace conoid::acoustic_bem
