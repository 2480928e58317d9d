// SPDX-License-Identifier: BSD-3-Clause
// Loops over z that the compiler vectorises, included once per instruction set and order into an unnamed namespace that
// has fused(): memory of the matched layers, energy, and the last cells of rows. Association order: patch.hpp.

template <class T, int Radius, bool Unequal>
inline __attribute__((always_inline)) T laplacian(const T* __restrict u, Index sx, Index sy, const RowWeights<T>& w) {
  T L = w.centre * u[0];
#pragma GCC unroll 8
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

/// One cell of the memory: the stencils of the axis, the two variables, the correction; `c` are the seven factors. `v` and `w` are
/// read where the density varies.
template <class T, int Radius, bool Damped, bool Dense>
inline __attribute__((always_inline)) void memory_cell(const T* __restrict u, T* __restrict o, const T* __restrict a,
                                                       T* __restrict m1, T* __restrict m2, const T* __restrict v,
                                                       const T* __restrict w, const T* curvature, const T* slope,
                                                       Index stride, T sigma, T c0, T c1, T c2, T c3, T c4, T c5,
                                                       T c6) {
  T f = curvature[0] * u[0], g = 0;
#pragma GCC unroll 8
  for (int i = 1; i <= Radius; ++i) {
    f = fused(curvature[i], u[-i * stride] + u[i * stride], f);
    g = fused(slope[i], u[i * stride] - u[-i * stride], g);
  }
  if constexpr (Dense) {
    f = fused(-*v, u[0], f);
    g = fused(-*w, u[0], g);
  }
  const T n2 = fused(c0, *m2, fused(c1, f, c2 * g));
  const T n1 = fused(c0, *m1, (n2 + *m2) + fused(c3, f, c4 * g));
  const T extra = (n1 + *m1) + fused(c5, f, c6 * g);
  T factor = *a;
  if constexpr (Damped) factor = factor * (T(1) / (T(1) + sigma));
  *o = fused(factor, extra, *o);
  *m2 = n2;
  *m1 = n1;
}

template <class T, int Radius, bool Varying, bool Damped, bool Dense>
void memory_rows(const MemoryPatch<T>& r) {
  T curvature[Radius + 1], slope[Radius + 1];
  for (int i = 0; i <= Radius; ++i) {
    curvature[i] = r.curvature[i];
    slope[i] = r.slope[i];
  }
  constexpr Index block = 16;
  const Index stride = Varying ? 1 : r.stride;
  // Along z few cells belong to the layer, so that rows pass below the factors of a block of them.
  for (Index z0 = r.z0; z0 < r.z1; z0 = Varying ? z0 + block : r.z1) {
    const Index count = Varying ? (r.z1 - z0 < block ? r.z1 - z0 : block) : r.z1 - z0;
    T table[7][block]{};
    if constexpr (Varying)
      for (int n = 0; n < 7; ++n)
        for (Index j = 0; j < count; ++j) table[n][j] = r.factor[n][z0 + j];
    for (Index p = 0; p < r.slow; ++p)
      for (Index q = 0; q < r.fast; ++q) {
        const T* u = r.u + p * r.stride_slow + q * r.stride_fast + z0;
        T* o = r.o + p * r.stride_slow + q * r.stride_fast + z0;
        const T* a = r.a + p * r.a_stride_slow + q * r.a_stride_fast + z0;
        const Index own = p * r.m_stride_slow + q * r.m_stride_fast + z0;
        T *m1 = r.m1 + own, *m2 = r.m2 + own;
        const T *v = Dense ? r.v + own : u, *w = Dense ? r.w + own : u;
        const T sigma = Damped ? r.sigma_slow[p] + r.sigma_fast[q] : T(0);
        if constexpr (Varying) {
          const auto cell = [&](Index j) __attribute__((always_inline)) {
            memory_cell<T, Radius, Damped, Dense>(u + j, o + j, a + j, m1 + j, m2 + j, v + j, w + j, curvature, slope,
                                                  1, Damped ? sigma + r.sigma_z[z0 + j] : T(0), table[0][j],
                                                  table[1][j], table[2][j], table[3][j], table[4][j], table[5][j],
                                                  table[6][j]);
          };
          if (count == block) {
#pragma GCC ivdep
            for (Index j = 0; j < block; ++j) cell(j);
          } else {
            for (Index j = 0; j < count; ++j) cell(j);
          }
        } else {
          const Index row = p * r.factor_stride_slow + q * r.factor_stride_fast;
          const T c0 = r.factor[0][row], c1 = r.factor[1][row], c2 = r.factor[2][row], c3 = r.factor[3][row],
                  c4 = r.factor[4][row], c5 = r.factor[5][row], c6 = r.factor[6][row];
#pragma GCC ivdep
          for (Index j = 0; j < count; ++j)
            memory_cell<T, Radius, Damped, Dense>(u + j, o + j, a + j, m1 + j, m2 + j, v + j, w + j, curvature, slope,
                                                  stride, Damped ? sigma + r.sigma_z[z0 + j] : T(0), c0, c1, c2, c3, c4,
                                                  c5, c6);
        }
      }
  }
}

template <class T, int Radius, bool Varying>
void memory(const MemoryPatch<T>& r) {
  if (r.v) {
    if (r.sigma_z)
      memory_rows<T, Radius, Varying, true, true>(r);
    else
      memory_rows<T, Radius, Varying, false, true>(r);
  } else if (r.sigma_z) {
    memory_rows<T, Radius, Varying, true, false>(r);
  } else {
    memory_rows<T, Radius, Varying, false, false>(r);
  }
}

/// Up to sixteen cells from z on; the lane of a cell is its place in the block.
template <class T, int Radius, bool Unequal>
inline __attribute__((always_inline)) void energy_block(const EnergyRow<T>& row, const RowWeights<T>& w, Index z,
                                                        Index cells, double* __restrict kinetic,
                                                        double* __restrict potential) {
  const T* __restrict u0 = row.u0 + z;
  const T* __restrict u1 = row.u1 + z;
  const T* __restrict a = row.a + z;
  const double* __restrict wz = row.wz + z;
  const Index sx = row.stride_x, sy = row.stride_y;
  T L[16];
  for (Index j = 0; j < cells; ++j) L[j] = laplacian<T, Radius, Unequal>(u0 + j, sx, sy, w);
  if (row.v) {
    const T* __restrict v = row.v + z;
    for (Index j = 0; j < cells; ++j) L[j] = fused(-v[j], u0[j], L[j]);
  }
  for (Index j = 0; j < cells; ++j) {
    const double d = static_cast<double>(u1[j]) - static_cast<double>(u0[j]);
    const double e = d / static_cast<double>(a[j]);
    kinetic[j] = fused(d * wz[j], e, kinetic[j]);
    potential[j] = fused(wz[j] * static_cast<double>(u1[j]), static_cast<double>(L[j]), potential[j]);
  }
}

template <class T, int Radius, bool Unequal>
void energy(EnergyRow<T>& row) {
  const RowWeights<T> w = *row.weights;
  double kinetic[16]{}, potential[16]{};
  Index z = 0;
  for (; z + 16 <= row.nz; z += 16) energy_block<T, Radius, Unequal>(row, w, z, 16, kinetic, potential);
  energy_block<T, Radius, Unequal>(row, w, z, row.nz - z, kinetic, potential);
  row.kinetic = row.potential = 0;
  for (int j = 0; j < 16; ++j) {
    row.kinetic += kinetic[j];
    row.potential += potential[j];
  }
}
