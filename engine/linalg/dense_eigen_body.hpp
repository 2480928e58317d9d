// SPDX-License-Identifier: BSD-3-Clause
// Dense algebra by Eigen; included by one source a precision, which has defined CONOID_SCALAR.
#include <Eigen/Dense>

#include "engine/linalg/dense_backends.hpp"

namespace conoid::dense::eigen {

namespace {
using T = CONOID_SCALAR;
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
}  // namespace

template <>
int factorise<T>(T* a, Index n, std::vector<int>& pivots) {
  Eigen::Map<Matrix> A(a, n, n);
  Eigen::PartialPivLU<Eigen::Ref<Matrix>> lu(A);
  // Eigen gives the permutation as a whole; LAPACK's list of swaps follows by replaying it.
  const auto& p = lu.permutationP().indices();  // row k of A becomes row p[k]
  std::vector<int> at(static_cast<std::size_t>(n)), where(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) at[static_cast<std::size_t>(p[k])] = static_cast<int>(k);  // final row → old row
  std::vector<int> now(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k)
    now[static_cast<std::size_t>(k)] = where[static_cast<std::size_t>(k)] = static_cast<int>(k);
  pivots.assign(static_cast<std::size_t>(n), 0);
  int singular = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
    const auto wanted = static_cast<std::size_t>(at[k]), from = static_cast<std::size_t>(where[wanted]);
    pivots[k] = static_cast<int>(from) + 1;
    std::swap(now[k], now[from]);
    where[static_cast<std::size_t>(now[k])] = static_cast<int>(k);
    where[static_cast<std::size_t>(now[from])] = static_cast<int>(from);
    if (singular == 0 && A(static_cast<Index>(k), static_cast<Index>(k)) == T(0)) singular = static_cast<int>(k) + 1;
  }
  return singular;
}

template <>
void solve<T>(const T* lu, Index n, const std::vector<int>& pivots, T* rhs, Index columns) {
  const Eigen::Map<const Matrix> A(lu, n, n);
  Eigen::Map<Matrix> B(rhs, n, columns);
  for (Index k = 0; k < n; ++k) B.row(k).swap(B.row(pivots[static_cast<std::size_t>(k)] - 1));
  A.triangularView<Eigen::UnitLower>().solveInPlace(B);
  A.triangularView<Eigen::Upper>().solveInPlace(B);
}

template <>
void solve_adjoint<T>(const T* lu, Index n, const std::vector<int>& pivots, T* rhs) {
  const Eigen::Map<const Matrix> A(lu, n, n);
  Eigen::Map<Matrix> B(rhs, n, 1);
  A.triangularView<Eigen::Upper>().adjoint().solveInPlace(B);
  A.triangularView<Eigen::UnitLower>().adjoint().solveInPlace(B);
  for (Index k = n; k-- > 0;) B.row(k).swap(B.row(pivots[static_cast<std::size_t>(k)] - 1));
}

template <>
void multiply<T>(const T* a, Index rows, Index cols, const T* x, Index columns, T beta, T* y) {
  const Eigen::Map<const Matrix> A(a, rows, cols), X(x, cols, columns);
  Eigen::Map<Matrix> Y(y, rows, columns);
  if (beta == T(0))
    Y.setZero();
  else
    Y *= beta;
  Y.noalias() += A * X;
}

template <>
void multiply_adjoint<T>(const T* a, Index rows, Index cols, const T* x, Index columns, T* y) {
  const Eigen::Map<const Matrix> A(a, rows, cols), X(x, rows, columns);
  Eigen::Map<Matrix>(y, cols, columns).noalias() = A.adjoint() * X;
}

template <>
void least_squares<T>(T* a, Index rows, Index cols, T* b, Index columns) {
  Eigen::Map<Matrix> A(a, rows, cols), B(b, rows, columns);
  Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(A);
  const Matrix x = qr.solve(B);
  B.topRows(cols) = x;
}

}  // namespace conoid::dense::eigen
