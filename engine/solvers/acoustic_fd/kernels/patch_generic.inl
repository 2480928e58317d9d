// SPDX-License-Identifier: BSD-3-Clause
// The kernels for any machine (without a hardware fma they are correct but slow), included by the file of each order.

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

#include "engine/solvers/acoustic_fd/kernels/patch_loops.inl"

/// Cells z0 ≤ z < z1 of one row; End: σ_z is added.
template <class T, int Radius, bool Unequal, Cells Kind, bool End>
inline __attribute__((always_inline)) void row_piece(const Patch<T>& t, const RowWeights<T>& w, Index x, Index y,
                                                     Index z0, Index z1) {
  const T* __restrict u = t.u + x * t.stride_x + y * t.stride_y;
  T* __restrict o = t.o + x * t.stride_x + y * t.stride_y;
  const T* __restrict a = t.a + x * t.a_stride_x + y * t.a_stride_y;
  const T* __restrict v = Kind == Cells::plain ? u : t.v + x * t.v_stride_x + y * t.v_stride_y;
  constexpr bool rows_damped = Kind == Cells::damped;
  const T sigma_xy = rows_damped ? t.sigma_x[x] + t.sigma_y[y] : T(0);
  const T r_xy = T(1) / (T(1) + sigma_xy);
#pragma GCC ivdep
  for (Index z = z0; z < z1; ++z) {
    T L = laplacian<T, Radius, Unequal>(u + z, t.stride_x, t.stride_y, w);
    if constexpr (Kind != Cells::plain) L = fused(-v[z], u[z], L);
    if constexpr (!rows_damped && !End) {
      o[z] = fused(a[z], L, (u[z] + u[z]) - o[z]);
    } else {
      T sigma = sigma_xy, r = r_xy;
      if constexpr (End) {
        sigma = sigma_xy + t.sigma_z[z];
        r = T(1) / (T(1) + sigma);
      }
      o[z] = fused(a[z], L, fused(sigma - T(1), o[z], u[z] + u[z])) * r;
    }
  }
}

template <class T, int Radius, bool Unequal, Cells Kind>
void update(const Patch<T>& t) {
  const RowWeights<T> w = *t.weights;  // a copy: the compiler then knows that the stores to o leave it alone
  const Index low = t.core0 < t.z0 ? t.z0 : t.core0 < t.z1 ? t.core0 : t.z1;
  const Index high = t.core1 < low ? low : t.core1 < t.z1 ? t.core1 : t.z1;
  for (Index x = 0; x < t.nx; ++x)
    for (Index y = 0; y < t.ny; ++y) {
      if (t.z0 < low) row_piece<T, Radius, Unequal, Kind, true>(t, w, x, y, t.z0, low);
      row_piece<T, Radius, Unequal, Kind, false>(t, w, x, y, low, high);
      if (high < t.z1) row_piece<T, Radius, Unequal, Kind, true>(t, w, x, y, high, t.z1);
    }
}

/// Not here: layers are computed by themselves.
template <class T, int Radius, bool Unequal>
constexpr PatchFunction<T> layered = nullptr;
