// SPDX-License-Identifier: BSD-3-Clause
// The kernels for any machine (without a hardware fma they are correct but slow), included by the file of each order.

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

#include "engine/solvers/acoustic_fd/kernels/patch_loops.inl"

template <class T, int Radius, bool Unequal, Cells Kind>
void update(const Patch<T>& t) {
  const RowWeights<T> w = *t.weights;  // a copy: the compiler then knows that the stores to o leave it alone
  for (Index x = 0; x < t.nx; ++x)
    for (Index y = 0; y < t.ny; ++y) {
      const T* __restrict u = t.u + x * t.stride_x + y * t.stride_y;
      T* __restrict o = t.o + x * t.stride_x + y * t.stride_y;
      const T* __restrict a = t.a + x * t.a_stride_x + y * t.a_stride_y;
      const T* __restrict v = Kind == Cells::plain ? u : t.v + x * t.v_stride_x + y * t.v_stride_y;
      const T sigma_xy = Kind == Cells::damped || Kind == Cells::layer ? t.sigma_x[x] + t.sigma_y[y] : T(0);
#pragma GCC ivdep
      for (Index z = t.z0; z < t.z1; ++z) {
        T L = laplacian<T, Radius, Unequal>(u + z, t.stride_x, t.stride_y, w);
        if constexpr (Kind != Cells::plain) L = fused(-v[z], u[z], L);
        if constexpr (Kind == Cells::plain || Kind == Cells::dense) {
          o[z] = fused(a[z], L, (u[z] + u[z]) - o[z]);
        } else {
          T sigma = sigma_xy;
          if constexpr (Kind == Cells::layer) {
            L = L + t.extra[x * t.extra_stride_x + y * t.extra_stride_y + z];
            sigma = sigma + t.sigma_z[z];
          }
          const T r = T(1) / (T(1) + sigma);
          o[z] = fused(a[z], L, fused(sigma - T(1), o[z], u[z] + u[z])) * r;
        }
      }
    }
}
