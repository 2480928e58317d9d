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

template <class T, int Radius, bool Varying>
void memory(const MemoryPatch<T>& r) {
  T curvature[Radius + 1], slope[Radius + 1];
  for (int i = 0; i <= Radius; ++i) {
    curvature[i] = r.curvature[i];
    slope[i] = r.slope[i];
  }
  const Index stride = Varying ? 1 : r.stride, z0 = r.z0, z1 = r.z1;
  for (Index x = 0; x < r.nx; ++x)
    for (Index y = 0; y < r.ny; ++y) {
      const T* __restrict u = r.u + x * r.stride_x + y * r.stride_y;
      const Index own = x * r.m_stride_x + y * r.m_stride_y;
      T* __restrict m1 = r.m1 + own;
      T* __restrict m2 = r.m2 + own;
      T* __restrict m3 = r.m3 + own;
      T* __restrict extra = r.extra + x * r.extra_stride_x + y * r.extra_stride_y;
      const Index row = x * r.factor_stride_x + y * r.factor_stride_y;
      const T *f0 = r.factor[0] + row, *f1 = r.factor[1] + row, *f2 = r.factor[2] + row, *f3 = r.factor[3] + row,
              *f4 = r.factor[4] + row, *f5 = r.factor[5] + row, *f6 = r.factor[6] + row;
      const T c0 = *f0, c1 = *f1, c2 = *f2, c3 = *f3, c4 = *f4, c5 = *f5, c6 = *f6;
#pragma GCC ivdep
      for (Index z = z0; z < z1; ++z) {
        T f = curvature[0] * u[z], g = 0;
#pragma GCC unroll 8
        for (int i = 1; i <= Radius; ++i) {
          f = fused(curvature[i], u[z - i * stride] + u[z + i * stride], f);
          g = fused(slope[i], u[z + i * stride] - u[z - i * stride], g);
        }
        const T E = Varying ? f0[z] : c0, G = Varying ? f1[z] : c1;
        const T n3 = fused(E, m3[z], (Varying ? f2[z] : c2) * g);
        const T a3 = T(0.5) * (n3 + m3[z]);
        const T n2 = fused(E, m2[z], fused(G, a3, fused(Varying ? f3[z] : c3, f, (Varying ? f4[z] : c4) * g)));
        const T a2 = T(0.5) * (n2 + m2[z]);
        const T n1 = fused(E, m1[z], fused(G, a2, fused(Varying ? f5[z] : c5, f, (Varying ? f6[z] : c6) * g)));
        extra[z] = fused(T(0.5), n1 + m1[z], extra[z]);
        m3[z] = n3;
        m2[z] = n2;
        m1[z] = n1;
      }
    }
}

/// Up to sixteen cells from z on; the lane of a cell is its place in the block.
template <class T, int Radius, bool Unequal>
inline __attribute__((always_inline)) void energy_block(const EnergyRow<T>& row, const RowWeights<T>& w, Index z, Index cells,
                                                        double* __restrict kinetic, double* __restrict potential) {
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
