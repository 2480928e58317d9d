// SPDX-License-Identifier: BSD-3-Clause
// Four neighbouring cells along z at a time.
#pragma once

#include "engine/team/kernel.hpp"

namespace conoid::acoustic_fd {

/// Four of double precision: two loads and stores of sixteen bytes.
struct alignas(16) DoubleFour {
  double x, y, z, w;
};
template <class T>
struct FourOf {
  using type = float4;
};
template <>
struct FourOf<double> {
  using type = DoubleFour;
};
template <class T>
using Four = typename FourOf<T>::type;

__device__ __forceinline__ float fused_one(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ __forceinline__ double fused_one(double a, double b, double c) {
  return fma(a, b, c);
}
/// Of memory that the kernel does not change.
__device__ __forceinline__ float4 load_four(const float* p) {
  return __ldg(reinterpret_cast<const float4*>(p));
}
__device__ __forceinline__ DoubleFour load_four(const double* p) {
  const double2 a = __ldg(reinterpret_cast<const double2*>(p)), b = __ldg(reinterpret_cast<const double2*>(p) + 1);
  return {a.x, a.y, b.x, b.y};
}
template <class T>
__device__ __forceinline__ Four<T> load_changing_four(const T* p) {
  return *reinterpret_cast<const Four<T>*>(p);
}
/// The first `cells` of four.
template <class T>
__device__ __forceinline__ void store_fours(T* p, Four<T> v, int cells) {
  if (cells >= 4) {
    *reinterpret_cast<Four<T>*>(p) = v;
    return;
  }
  p[0] = v.x;
  if (cells > 1) p[1] = v.y;
  if (cells > 2) p[2] = v.z;
}
template <class F>
__device__ __forceinline__ F sum(F a, F b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
template <class T, class F>
__device__ __forceinline__ F scaled(T w, F a) {
  return {w * a.x, w * a.y, w * a.z, w * a.w};
}
template <class T, class F>
__device__ __forceinline__ F fused(T w, F a, F b) {
  return {fused_one(w, a.x, b.x), fused_one(w, a.y, b.y), fused_one(w, a.z, b.z), fused_one(w, a.w, b.w)};
}
/// c − a b
template <class F>
__device__ __forceinline__ F minus_product(F a, F b, F c) {
  return {fused_one(-a.x, b.x, c.x), fused_one(-a.y, b.y, c.y), fused_one(-a.z, b.z, c.z), fused_one(-a.w, b.w, c.w)};
}

/// A damped cell of kernels/patch.hpp; σ = 0 gives the bits of a plain one.
template <class T>
__device__ __forceinline__ T damped(T a, T L, T u, T old, T sigma) {
  return fused_one(a, L, fused_one(sigma - T{1}, old, u + u)) * (T{1} / (T{1} + sigma));
}
/// Apart from the cells of the core: four divisions in line would cost registers everywhere.
template <class T, class F>
__device__ __noinline__ static F damped_four(F a, F L, F u, F old, T s_xy, F s_z) {
  return {damped(a.x, L.x, u.x, old.x, s_xy + s_z.x), damped(a.y, L.y, u.y, old.y, s_xy + s_z.y),
          damped(a.z, L.z, u.z, old.z, s_xy + s_z.z), damped(a.w, L.w, u.w, old.w, s_xy + s_z.w)};
}
template <class T, class F>
__device__ __forceinline__ F updated(F a, F L, F u, F old, T s_xy, F s_z) {
  if (s_xy != 0 || s_z.x != 0 || s_z.y != 0 || s_z.z != 0 || s_z.w != 0) return damped_four(a, L, u, old, s_xy, s_z);
  return {fused_one(a.x, L.x, (u.x + u.x) - old.x), fused_one(a.y, L.y, (u.y + u.y) - old.y),
          fused_one(a.z, L.z, (u.z + u.z) - old.z), fused_one(a.w, L.w, (u.w + u.w) - old.w)};
}

/// The neighbours along z of a thread's four within radius R.
template <int R, class T = float>
struct LineOfFours {
  static constexpr int fours = (R + 3) / 4;  ///< on either side
  T value[8 * fours + 4];

  __device__ __forceinline__ void put(int at, Four<T> f) {
    value[at] = f.x;
    value[at + 1] = f.y;
    value[at + 2] = f.z;
    value[at + 3] = f.w;
  }
  /// at(f): the four that lies f fours away.
  template <class At>
  __device__ __forceinline__ void take(Four<T> middle, At at) {
#pragma unroll
    for (int f = 1; f <= fours; ++f) {
      put(4 * (fours - f), at(-f));
      put(4 * (fours + f), at(f));
    }
    put(4 * fours, middle);
  }
  __device__ __forceinline__ void load(const T* u, Four<T> middle) {
    take(middle, [u](int f) { return load_four(u + 4 * f); });
  }
  [[nodiscard]] __device__ __forceinline__ Four<T> pair(int i) const {
    constexpr int c = 4 * fours;
    return {value[c - i] + value[c + i], value[c + 1 - i] + value[c + 1 + i], value[c + 2 - i] + value[c + 2 + i],
            value[c + 3 - i] + value[c + 3 + i]};
  }
};

}  // namespace conoid::acoustic_fd
