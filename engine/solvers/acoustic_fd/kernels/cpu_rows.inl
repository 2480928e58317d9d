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

template <class T, int Radius, bool Unequal>
void energy(EnergyRow<T>& row) {
  const RowWeights<T> w = *row.weights;
  double kinetic[16]{}, potential[16]{};
  const T* __restrict u0 = row.u0;
  const T* __restrict u1 = row.u1;
  const T* __restrict a = row.a;
  const double* __restrict wz = row.wz;
  const Index sx = row.stride_x, sy = row.stride_y;
  const auto cell = [&](Index z, Index j) __attribute__((always_inline)) {
    const T L = laplacian<T, Radius, Unequal>(u0 + z, sx, sy, w);
    const double d = static_cast<double>(u1[z]) - static_cast<double>(u0[z]);
    const double e = a ? d / static_cast<double>(a[z]) : d;
    kinetic[j] = fused(d * wz[z], e, kinetic[j]);
    potential[j] = fused(wz[z] * static_cast<double>(u1[z]), static_cast<double>(L), potential[j]);
  };
  Index z = 0;
  for (; z + 16 <= row.nz; z += 16)
    for (Index j = 0; j < 16; ++j) cell(z + j, j);
  for (Index j = 0; z < row.nz; ++z, ++j) cell(z, j);
  row.kinetic = row.potential = 0;
  for (int j = 0; j < 16; ++j) {
    row.kinetic += kinetic[j];
    row.potential += potential[j];
  }
}
