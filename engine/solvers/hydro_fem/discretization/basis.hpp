// SPDX-License-Identifier: BSD-3-Clause
// One-dimensional points and bases on [0,1], and the tables that tensor products are made of.
#pragma once

#include "engine/core/types.hpp"
#include "engine/numerics/gauss_legendre.hpp"

#include <vector>

namespace conoid::hydro_fem {

[[nodiscard]] std::vector<double> gauss_lobatto(int n);  ///< n >= 2 points, ends included

/// Dense row-major matrix of a table: rows = evaluation points, columns = basis functions.
struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<double> a;
  [[nodiscard]] double operator()(int r, int c) const { return a[static_cast<std::size_t>(r * cols + c)]; }
  double& operator()(int r, int c) { return a[static_cast<std::size_t>(r * cols + c)]; }
};

/// Lagrange polynomials on `nodes` evaluated at `at` (barycentric form), and their derivatives.
[[nodiscard]] Matrix lagrange(const std::vector<double>& nodes, const std::vector<double>& at);
[[nodiscard]] Matrix lagrange_derivative(const std::vector<double>& nodes, const std::vector<double>& at);

/// Inverse by Gauss–Jordan with pivoting; for small well-conditioned tables.
[[nodiscard]] Matrix inverse(Matrix m);

/// Largest eigenvalue of ∫ w_i' w_j' over ∫ w_i w_j for polynomials of degree k on [0,1], free at both ends.
[[nodiscard]] double largest_stiffness(int k);

/// All tables of one order k: H1 of degree k on Gauss–Lobatto nodes, L2 of degree k-1 on Gauss–Legendre nodes, 2k
/// Gauss points a direction (Dong et al.; 81×64 and 8×64 for 3D Q2-Q1).
struct Tables {
  explicit Tables(int k);
  int k;
  int h1;  ///< nodes a direction: k+1
  int l2;  ///< nodes a direction: k
  int q;   ///< quadrature points a direction: 2k
  std::vector<double> h1_nodes, l2_nodes;
  LineRule rule;
  Matrix B;  ///< q × h1 values
  Matrix G;  ///< q × h1 derivatives
  Matrix L;  ///< q × l2 values
  Matrix M;  ///< h1 × h1: ∫ w_i w_j, the mass of a zone of density 1 along one axis
  /// h1 × h1: d M^-1 d, d the diagonal of M: along one axis what a zone adds to the preconditioner of the velocity mass.
  Matrix C;
  Matrix P;  ///< k × h1: ∫ w_i P_j, P_j the orthonormal Legendre polynomials of degrees 1 to k
};

}  // namespace conoid::hydro_fem
