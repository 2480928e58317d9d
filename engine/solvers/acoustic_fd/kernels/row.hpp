// SPDX-License-Identifier: BSD-3-Clause
// The innermost unit of work: one row of cells along z, one time step. Every way of ordering the cells (stepwise now,
// time-skewed tilings later) calls the same row kernels.
//
// Association order, binding for every body of the kernel, so that all agree bit for bit:
//   equal spacings    S_i = ((x_-i + x_+i) + (y_-i + y_+i)) + (z_-i + z_+i),  L = C_0 u;  L = fma(C_i, S_i, L), i = 1..s
//   unequal spacings  L = C_0 u;  per i: L = fma(X_i, x pair, L), fma(Y_i, y pair, L), fma(Z_i, z pair, L)
//   plain cell        o = fma(a, L, (u + u) − o)                          a = c² dt² / h_x²
//   sponge cell       σ = σ_xy + σ_z;  o = fma(a, L, fma(σ − 1, o, u + u)) / (1 + σ)
// No product is ever added outside an explicit fma, so a compiler that contracts a·b + c has nothing to contract.
// With σ = 0 the sponge cell gives the bits of the plain cell.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/stencil.hpp"
#include "engine/team/machine.hpp"

#include <string_view>
#include <vector>

namespace conoid::acoustic_fd {

/// Weights as the kernels use them, in the precision of the field.
template <class T>
struct RowWeights {
  T centre = 0;                                                     ///< C_0 of all three axes
  T equal[max_radius + 1]{};                                        ///< C_i, used when spacings are equal
  T x[max_radius + 1]{}, y[max_radius + 1]{}, z[max_radius + 1]{};  ///< scaled by (h_x/h_a)²
};

/// What one row needs. `u` and `o` point at (x, y, z = 0); neighbours in x and y lie at multiples of the strides.
template <class T>
struct Row {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k−1 on entry, k+1 on return
  const T* a = nullptr;  ///< c² dt²/h_x² of the row, null when c is constant
  T a_constant = 0;
  T sigma_xy = 0;  ///< σ_x(x) + σ_y(y)
  const T* sigma_z = nullptr;
  Index stride_x = 0, stride_y = 0;
  Index nz = 0;
  Index plain_begin = 0,
        plain_end = 0;  ///< cells where σ is zero; [nz, nz) for a row that is sponge throughout
  const RowWeights<T>* weights = nullptr;
};

/// Energy of one row, see energy() in march.hpp: sums over z of wz (u1−u0)²/a and of wz u1 L(u0), without the
/// factors that are the same for all rows. Sixteen partial sums by z mod 16, joined in a fixed order.
template <class T>
struct EnergyRow {
  const T* u0 = nullptr;  ///< level k
  const T* u1 = nullptr;  ///< level k+1
  const T* a = nullptr;   ///< null: kinetic is summed without 1/a
  const double* wz = nullptr;
  Index stride_x = 0, stride_y = 0;
  Index nz = 0;
  const RowWeights<T>* weights = nullptr;
  double kinetic = 0;
  double potential = 0;
};

template <class T>
using RowFunction = void (*)(const Row<T>&);
template <class T>
using EnergyFunction = void (*)(EnergyRow<T>&);

/// One body of the kernels. `update[order/2 − 1][unequal][varying c]`, `energy[order/2 − 1][unequal]`.
template <class T>
struct RowKernels {
  std::string_view name;
  RowFunction<T> update[4][2][2];
  EnergyFunction<T> energy[4][2];
};

/// "reference" (plain loops, the truth), "generic", "avx2", "avx512" or "auto": the widest that the machine has.
/// Null when the machine lacks the instruction set or the name is unknown.
template <class T>
[[nodiscard]] const RowKernels<T>* row_kernels(std::string_view name, const Machine& machine);

/// Names that row_kernels() accepts on this machine, best first, reference last.
[[nodiscard]] std::vector<std::string_view> row_kernel_names(const Machine& machine);

template <class T>
[[nodiscard]] RowWeights<T> row_weights(const Stencil& stencil, const Vec3& spacing);
[[nodiscard]] bool equal_spacings(const Vec3& spacing);

}  // namespace conoid::acoustic_fd
