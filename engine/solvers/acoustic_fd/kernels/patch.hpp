// SPDX-License-Identifier: BSD-3-Clause
// The innermost unit of work: one time step of a rectangular patch of rows along z. Every way of ordering the cells
// (stepwise, diamonds, towers) calls the same kernels.
//
// Association order, binding for every body of the kernel, so that all agree bit for bit:
//   equal spacings    S_i = ((x_-i + x_+i) + (y_-i + y_+i)) + (z_-i + z_+i),  L = C_0 u;  L = fma(C_i, S_i, L), i = 1..s
//   unequal spacings  L = C_0 u;  per i: L = fma(X_i, x pair, L), fma(Y_i, y pair, L), fma(Z_i, z pair, L)
//   plain cell        o = fma(a, L, (u + u) − o)                          a = c² dt² / h_x²
//   dense cell        L = fma(−V, u, L) first                             V = h_x² √ρ Δ_h(1/√ρ), see medium.hpp
//   damped cell       σ = σ_xy + σ_z, r = 1/(1+σ);  o = fma(a, L, fma(σ − 1, o, u + u)) r
//                     also the cells of plain and dense patches outside [core0, core1), where σ_xy = 0
//   matched layers    then o = fma(a r, extra, o), axis after axis, from the stencils f of u'' and g of u' along the axis:
//     m2⁺ = fma(E, m2, fma(k2f, f, k2g g)),  m1⁺ = fma(E, m1, (m2⁺ + m2) + fma(k1f, f, k1g g)),
//     extra = (m1⁺ + m1) + fma(k0f, f, k0g g)
//   dense layers      f = fma(−V_a, u, f), g = fma(−W_a, u, g) first    the axis's part of V, and W: density_stretch of medium.hpp
// (u + u) is exact, so fma(2, u, −o) gives the bits of (u + u) − o. No product is ever added outside an explicit fma, so
// a compiler that contracts a·b + c has nothing to contract. With σ = 0, V = 0, extra = 0 all give the bits of the plain
// cell (up to the sign of a zero).
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/discretization/stencil.hpp"
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

/// Pieces of memory that a tile will need soon. Kernels ask for one a row, a few lines at a time while they compute: a burst would
/// fill the queue of the first cache, and the processor's own prefetching ends with each short row. One thread's.
struct Ahead {
  static constexpr Index bytes = 2048;  ///< of a piece
  std::vector<const void*> pieces;
  std::size_t next = 0;
  /// Null when nothing is left.
  [[nodiscard]] const void* take() { return next < pieces.size() ? pieces[next++] : nullptr; }
  void clear() {
    pieces.clear();
    next = 0;
  }
};

/// Memory of the matched layers of one axis, of the rows of a patch; see MemoryPatch.
template <class T>
struct LayerRows {
  T* m1 = nullptr;  ///< at the patch's first row, z = 0; null where the patch lies outside
  T* m2 = nullptr;
  Index stride_x = 0, stride_y = 0;
};

/// What the layered kernel takes along. The whole patch lies in one layer of x, or in none; likewise of y.
template <class T>
struct PatchLayers {
  LayerRows<T> x, y, z;
  const T* factor_x[7]{};  ///< of plane x0 and on
  const T* factor_y[7]{};  ///< of row y0 and on
  static constexpr Index block = 16;
  const T* factors_z =
      nullptr;        ///< those of a block of cells along z, then of the next: [z / block][factor][z % block]
  Index to_high = 0;  ///< along z what lies at and behind core1 is that many values further on
  const T* curvature = nullptr;
  const T* slope = nullptr;
};
/// nx × ny rows, cells z0 ≤ z < z1 of each. Pointers are at (x0, y0, z = 0) of the patch, where they are aligned to 64
/// bytes; a stride of zero repeats one row.
template <class T>
struct Patch {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k−1 on entry, k+1 on return
  Index stride_x = 0, stride_y = 0;
  const T* a = nullptr;  ///< c² dt²/h_x²
  Index a_stride_x = 0, a_stride_y = 0;
  const T* v = nullptr;  ///< V; a row of zeros where the density is constant (not read by the plain kernel)
  Index v_stride_x = 0, v_stride_y = 0;
  Index nx = 0, ny = 0, z0 = 0, z1 = 0;  ///< z0: a multiple of 16
  /// Cells z < core0 and z ≥ core1 have σ_z: multiples of 16, or beyond the patch.
  Index core0 = 0, core1 = 0;
  const T* sigma_x = nullptr;              ///< σ of plane x0 and on; damped kernel
  const T* sigma_y = nullptr;              ///< σ of row y0 and on
  const T* sigma_z = nullptr;              ///< σ along z, from z = 0, where there is any
  const T* inverse_z = nullptr;            ///< 1/(1 + σ_z)
  const PatchLayers<T>* layers = nullptr;  ///< layered kernel; those of z have the cells outside [core0, core1)
  const RowWeights<T>* weights = nullptr;
  Ahead* ahead = nullptr;  ///< may be null
};

/// Layered: plain, and the memory of matched layers at once.
enum class Cells { plain, dense, damped, layered };
inline constexpr std::size_t cell_kinds = 4;

/// Memory of the perfectly matched layer of one axis in a patch that has been updated, cells z0 ≤ z < z1; see layers.hpp for the
/// cascade. Pointers are at the patch's first row, z = 0; `slow` and `fast` are x and y or y and x, whichever keeps the neighbours of
/// the axis near. Cells whose factors are zero keep their values.
template <class T>
struct MemoryPatch {
  const T* u = nullptr;  ///< level k
  T* o = nullptr;        ///< level k+1
  Index stride = 1;      ///< of the axis
  Index stride_slow = 0, stride_fast = 0;
  const T* a = nullptr;  ///< c² dt²/h_x²
  Index a_stride_slow = 0, a_stride_fast = 0;
  T* m1 = nullptr;
  T* m2 = nullptr;
  const T* v = nullptr;  ///< V_a and W_a, as m1 and m2 lie; null where the density is constant
  const T* w = nullptr;
  Index m_stride_slow = 0, m_stride_fast = 0;
  /// E, k2f, k2g, k1f, k1g, k0f, k0g: tables along z (the z axis), or along x or y with these strides.
  const T* factor[7]{};
  Index factor_stride_slow = 0, factor_stride_fast = 0;
  const T* curvature = nullptr;  ///< C_0 … C_s of one axis
  const T* slope = nullptr;      ///< D_1 … D_s at [1..s]
  /// Sponges: σ of the first slow and fast row and on, and along z from z = 0; null where the grid has none.
  const T* sigma_slow = nullptr;
  const T* sigma_fast = nullptr;
  const T* sigma_z = nullptr;
  Index slow = 0, fast = 0, z0 = 0, z1 = 0;
};

/// Energy of one row, see energy() in march.hpp: sums over z of wz (u1−u0)²/a and of wz u1 (L(u0) − V u0), without the
/// factors that are the same for all rows. Sixteen partial sums by z mod 16, joined in a fixed order.
template <class T>
struct EnergyRow {
  const T* u0 = nullptr;  ///< level k
  const T* u1 = nullptr;  ///< level k+1
  const T* a = nullptr;
  const T* v = nullptr;  ///< null: V = 0
  const double* wz = nullptr;
  Index stride_x = 0, stride_y = 0;
  Index nz = 0;
  const RowWeights<T>* weights = nullptr;
  double kinetic = 0;
  double potential = 0;
};

template <class T>
using PatchFunction = void (*)(const Patch<T>&);
template <class T>
using MemoryFunction = void (*)(const MemoryPatch<T>&);
template <class T>
using EnergyFunction = void (*)(EnergyRow<T>&);

/// The kernels of one order.
template <class T>
struct OrderKernels {
  PatchFunction<T> update[2][cell_kinds];  ///< [unequal][Cells]; layered: may be null
  MemoryFunction<T> memory[2];             ///< [factors vary along z]
  EnergyFunction<T> energy[2];             ///< [unequal]
};

/// One body of the kernels, by order/2 − 1.
template <class T>
struct PatchKernels {
  std::string_view name;
  const OrderKernels<T>* order[max_radius]{};
};

/// "reference" (plain loops, the truth), "generic", "avx2", "avx512" or "auto": the widest that the machine has.
/// Null when the machine lacks the instruction set or the name is unknown.
template <class T>
[[nodiscard]] const PatchKernels<T>* patch_kernels(std::string_view name, const Machine& machine);

/// Names that patch_kernels() accepts on this machine, best first, reference last.
[[nodiscard]] std::vector<std::string_view> patch_kernel_names(const Machine& machine);

template <class T>
[[nodiscard]] RowWeights<T> row_weights(const Stencil& stencil, const Vec3& spacing);
[[nodiscard]] bool equal_spacings(const Vec3& spacing);

}  // namespace conoid::acoustic_fd
