// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernel, included once per instruction set into an unnamed namespace: the radius is a template
// parameter, so the loops over i vanish and the compiler vectorises over z (the contiguous axis).
//
// What limits it: memory. In place it moves 12 B (constant c) or 16 B (c²dt²/h² array) a cell in single precision at
// every order, provided that 2s+1 planes of the block of rows stay in the second-level cache (see march.cpp).
// Order 8 in the cache is limited by the 9 unaligned loads along z and 16 neighbour rows. The association order is
// that of row.hpp. Rates: README.md of the solver.

template <class T, int Radius, bool Unequal>
inline __attribute__((always_inline)) T laplacian(const T* __restrict u, Index sx, Index sy, const RowWeights<T>& w) {
  T L = w.centre * u[0];
#pragma GCC unroll 4
  for (int i = 1; i <= Radius; ++i) {
    const T x = u[-i * sx] + u[i * sx];
    const T y = u[-i * sy] + u[i * sy];
    const T z = u[-i] + u[i];
    if constexpr (Unequal) {
      L = fused(w.x[i], x, L);
      L = fused(w.y[i], y, L);
      L = fused(w.z[i], z, L);
    } else {
      L = fused(w.equal[i], (x + y) + z, L);
    }
  }
  return L;
}

template <class T, int Radius, bool Unequal, bool Varying>
void sponge_cells(const Row<T>& row, const RowWeights<T>& w, Index begin, Index end) {
  const T* __restrict u = row.u;
  T* __restrict o = row.o;
  const T* __restrict a = row.a;
  const T* __restrict sigma_z = row.sigma_z;
  const T sigma_xy = row.sigma_xy, a_constant = row.a_constant;
  const Index sx = row.stride_x, sy = row.stride_y;
#pragma GCC ivdep
  for (Index z = begin; z < end; ++z) {
    const T L = laplacian<T, Radius, Unequal>(u + z, sx, sy, w);
    const T sigma = sigma_xy + sigma_z[z];
    o[z] = fused(Varying ? a[z] : a_constant, L, fused(sigma - T(1), o[z], u[z] + u[z])) / (T(1) + sigma);
  }
}

template <class T, int Radius, bool Unequal, bool Varying>
void update(const Row<T>& row) {
  const RowWeights<T> w = *row.weights;  // a copy: the compiler then knows that the stores to o leave it alone
  if (row.plain_begin > 0) sponge_cells<T, Radius, Unequal, Varying>(row, w, 0, row.plain_begin);
  const T* __restrict u = row.u;
  T* __restrict o = row.o;
  const T* __restrict a = row.a;
  const T a_constant = row.a_constant;
  const Index sx = row.stride_x, sy = row.stride_y, end = row.plain_end;
#pragma GCC ivdep
  for (Index z = row.plain_begin; z < end; ++z) {
    const T L = laplacian<T, Radius, Unequal>(u + z, sx, sy, w);
    o[z] = fused(Varying ? a[z] : a_constant, L, (u[z] + u[z]) - o[z]);
  }
  if (row.plain_end < row.nz) sponge_cells<T, Radius, Unequal, Varying>(row, w, row.plain_end, row.nz);
}

/// Up to sixteen cells from z on; the lane of a cell is its place in the block.
template <class T, int Radius, bool Unequal, bool Varying>
inline __attribute__((always_inline)) void energy_block(const EnergyRow<T>& row, const RowWeights<T>& w, Index z, Index cells,
                                                        double* __restrict kinetic, double* __restrict potential) {
  const T* __restrict u0 = row.u0 + z;
  const T* __restrict u1 = row.u1 + z;
  const T* __restrict a = row.a + (Varying ? z : 0);
  const double* __restrict wz = row.wz + z;
  const Index sx = row.stride_x, sy = row.stride_y;
  T L[16];
  for (Index j = 0; j < cells; ++j) L[j] = laplacian<T, Radius, Unequal>(u0 + j, sx, sy, w);
  for (Index j = 0; j < cells; ++j) {
    const double d = static_cast<double>(u1[j]) - static_cast<double>(u0[j]);
    const double e = Varying ? d / static_cast<double>(a[j]) : d;
    kinetic[j] = fused(d * wz[j], e, kinetic[j]);
    potential[j] = fused(wz[j] * static_cast<double>(u1[j]), static_cast<double>(L[j]), potential[j]);
  }
}

template <class T, int Radius, bool Unequal, bool Varying>
void energy_sums(EnergyRow<T>& row) {
  const RowWeights<T> w = *row.weights;
  double kinetic[16]{}, potential[16]{};
  Index z = 0;
  for (; z + 16 <= row.nz; z += 16) energy_block<T, Radius, Unequal, Varying>(row, w, z, 16, kinetic, potential);
  energy_block<T, Radius, Unequal, Varying>(row, w, z, row.nz - z, kinetic, potential);
  row.kinetic = row.potential = 0;
  for (int j = 0; j < 16; ++j) {
    row.kinetic += kinetic[j];
    row.potential += potential[j];
  }
}

template <class T, int Radius, bool Unequal>
void energy(EnergyRow<T>& row) {
  if (row.a)
    energy_sums<T, Radius, Unequal, true>(row);
  else
    energy_sums<T, Radius, Unequal, false>(row);
}
