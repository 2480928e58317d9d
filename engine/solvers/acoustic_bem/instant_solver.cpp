// SPDX-License-Identifier: BSD-3-Clause
// Solves with M_0: sparse, symmetric positive definite, nearly diagonal.
#define EIGEN_MPL2_ONLY
#include <cmath>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>

#include "engine/solvers/acoustic_bem/march.hpp"

namespace conoid::acoustic_bem {

struct InstantSolver::Parts {
  using Columns = Eigen::SparseMatrix<double>;
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  bool iterate = false;
  bool ok = false;
  Eigen::SimplicialLLT<Columns, Eigen::Lower, Eigen::AMDOrdering<int>> factors;
  Rows matrix;
  Eigen::ConjugateGradient<Rows, Eigen::Lower | Eigen::Upper, Eigen::DiagonalPreconditioner<double>> gradients;
};

InstantSolver::InstantSolver(const SparseMatrix& M0, bool conjugate_gradients) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.iterate = conjugate_gradients;
  if (p.iterate) {
    p.matrix = M0;
    p.gradients.setTolerance(1e-13);
    p.gradients.compute(p.matrix);
    p.ok = p.gradients.info() == Eigen::Success;
    for (int i = 0; i < p.matrix.outerSize(); ++i)
      for (Parts::Rows::InnerIterator entry(p.matrix, i); entry; ++entry)
        if (entry.col() == i && !(entry.value() > 0)) p.ok = false;
  } else {
    p.factors.compute(Parts::Columns(M0));
    p.ok = p.factors.info() == Eigen::Success;
  }
}
InstantSolver::~InstantSolver() = default;
InstantSolver::InstantSolver(InstantSolver&&) noexcept = default;

bool InstantSolver::ok() const { return parts_->ok; }

void InstantSolver::solve(std::span<const double> s, std::span<double> y) {
  Parts& p = *parts_;
  const auto n = static_cast<Eigen::Index>(s.size());
  const Eigen::Map<const Eigen::VectorXd> in(s.data(), n);
  Eigen::Map<Eigen::VectorXd> out(y.data(), n);
  if (p.iterate)
    out = p.gradients.solve(in);
  else
    out = p.factors.solve(in);
}

Index InstantSolver::factor_nonzeros() const {
  if (parts_->iterate) return 0;
  const auto& factor = parts_->factors.matrixL().nestedExpression();
  return static_cast<Index>(factor.outerIndexPtr()[factor.outerSize()]);
}
Index InstantSolver::iterations() const { return parts_->iterate ? static_cast<Index>(parts_->gradients.iterations()) : 0; }

}  // namespace conoid::acoustic_bem
