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

#if defined(CONOID_ACOUSTIC_FD_WIDE)
/// h_x² times the Laplacian of one vector of cells. Left to itself the compiler keeps a pointer for each of the 16
/// neighbour rows and spills them; one moving pointer and four strides an axis (s, 3s, −s, −3s; 2s and 4s are scaled
/// indices) fit in the registers.
struct Strides {
  Index one, three, minus_one, minus_three;  // bytes
  explicit Strides(Index bytes) : one(bytes), three(3 * bytes), minus_one(-bytes), minus_three(-3 * bytes) {
    asm("" : "+r"(one), "+r"(three), "+r"(minus_one), "+r"(minus_three));  // or they are folded into 16 sums again
  }
};

template <class T, int Radius, bool Unequal>
inline __attribute__((always_inline)) WideOf<T> wide_laplacian(const char* p, const Strides& x, const Strides& y,
                                                               const RowWeights<T>& w) {
  using Wide = WideOf<T>;
  const auto at = [p](Index offset) __attribute__((always_inline)) { return wide_load<T>(p + offset); };
  constexpr Index size = sizeof(T);
  Wide L = wide_all(w.centre) * at(0);
  const auto add = [&](int i, Wide px, Wide py, Wide pz) __attribute__((always_inline)) {
    if constexpr (Unequal) {
      L = fused(wide_all(w.x[i]), px, L);
      L = fused(wide_all(w.y[i]), py, L);
      L = fused(wide_all(w.z[i]), pz, L);
    } else {
      L = fused(wide_all(w.equal[i]), (px + py) + pz, L);
    }
  };
  add(1, at(x.minus_one) + at(x.one), at(y.minus_one) + at(y.one), at(-size) + at(size));
  if constexpr (Radius >= 2)
    add(2, at(2 * x.minus_one) + at(2 * x.one), at(2 * y.minus_one) + at(2 * y.one), at(-2 * size) + at(2 * size));
  if constexpr (Radius >= 3)
    add(3, at(x.minus_three) + at(x.three), at(y.minus_three) + at(y.three), at(-3 * size) + at(3 * size));
  if constexpr (Radius >= 4)
    add(4, at(4 * x.minus_one) + at(4 * x.one), at(4 * y.minus_one) + at(4 * y.one), at(-4 * size) + at(4 * size));
  return L;
}

/// Whole vectors of plain cells from `begin` on; returns where it stopped.
template <class T, int Radius, bool Unequal, bool Varying>
inline __attribute__((always_inline)) Index wide_cells(const Row<T>& row, const RowWeights<T>& w, Index begin, Index end) {
  using Wide = WideOf<T>;
  constexpr Index lanes = sizeof(Wide) / sizeof(T);
  const Strides x(row.stride_x * static_cast<Index>(sizeof(T))), y(row.stride_y * static_cast<Index>(sizeof(T)));
  const char* p = reinterpret_cast<const char*>(row.u + begin);
  char* o = reinterpret_cast<char*>(row.o + begin);
  const char* a = reinterpret_cast<const char*>(Varying ? row.a + begin : nullptr);
  const Wide a_constant = wide_all(row.a_constant);
  for (Index left = (end - begin) / lanes; left > 0; --left) {
    asm("" : "+r"(p));  // not an induction variable: addresses stay p + stride
    const Wide L = wide_laplacian<T, Radius, Unequal>(p, x, y, w);
    const Wide u = wide_load<T>(p);
    wide_store<T>(o, fused(Varying ? wide_load<T>(a) : a_constant, L, (u + u) - wide_load<T>(o)));
    p += sizeof(Wide);
    o += sizeof(Wide);
    if (Varying) a += sizeof(Wide);
  }
  return end - (end - begin) % lanes;
}
#endif

template <class T, int Radius, bool Unequal, bool Varying>
void update(const Row<T>& row) {
  const RowWeights<T> w = *row.weights;  // a copy: the compiler then knows that the stores to o leave it alone
  if (row.plain_begin > 0) sponge_cells<T, Radius, Unequal, Varying>(row, w, 0, row.plain_begin);
  const Index end = row.plain_end;
  Index begin = row.plain_begin;
#if defined(CONOID_ACOUSTIC_FD_WIDE)
  if (begin < end) begin = wide_cells<T, Radius, Unequal, Varying>(row, w, begin, end);
#endif
  const T* __restrict u = row.u;
  T* __restrict o = row.o;
  const T* __restrict a = row.a;
  const T a_constant = row.a_constant;
  const Index sx = row.stride_x, sy = row.stride_y;
#pragma GCC ivdep
  for (Index z = begin; z < end; ++z) {
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
