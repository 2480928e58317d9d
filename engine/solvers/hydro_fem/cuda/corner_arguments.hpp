// SPDX-License-Identifier: BSD-3-Clause
// What the kernels over corner matrices take (corner_matrices.cu). Matrices lie column by column, as libraries have them.
#pragma once

namespace conoid::hydro_fem {

/// Numbers of B that fit among the arguments, which a device reads as constants (of at most 32,764 bytes): 2D orders up to 5, 3D up to 2.
constexpr int constant_basis = 3200;
/// Columns of A_z that a block brings at a time where it does not hold all of them.
constexpr int corner_columns = 16;

/// `padded` is the count of columns of F_z up to a multiple of what threads keep in registers; B has zeros there.
struct CornerArguments {
  int dim, turns, nodes, points, energies, padded;
  int rows;     ///< of A_z and F_z: dim · nodes
  int leading;  ///< rows of A_z with what it is padded by
  int zones;
  long long all_nodes;
  const double* grad;   ///< [point][axis][node]
  const double* value;  ///< [point][node]
  const double* S;      ///< [zone][dim²][point]
  const double* hoop;   ///< [zone][point]
  const double* basis;  ///< [point][padded]: B
  double* A;            ///< [zone][point][leading]
  double* F;            ///< [zone][energy][rows]
  double* force;        ///< [zone][rows]: F·1
  const double* v;
  const int* map;       ///< [zone][node] → node
  double* power;        ///< [zone][energy]: F^T v
  const double* Meinv;  ///< [zone][energy][energy]
  double* de;           ///< [zone][energy]
};
/// With B beside them.
struct ConstantCornerArguments {
  CornerArguments plain;
  double basis[constant_basis];
};

}  // namespace conoid::hydro_fem
