// SPDX-License-Identifier: BSD-3-Clause
// Four neighbouring cells along z at a time.
#pragma once

#include "engine/team/kernel.hpp"

namespace conoid::acoustic_fd {

/// Of memory that the kernel does not change.
__device__ __forceinline__ float4 load_four(const float* p) {
  return __ldg(reinterpret_cast<const float4*>(p));
}
__device__ __forceinline__ float4 load_changing_four(const float* p) {
  return *reinterpret_cast<const float4*>(p);
}
/// The first `cells` of four.
__device__ __forceinline__ void store_fours(float* p, float4 v, int cells) {
  if (cells >= 4) {
    *reinterpret_cast<float4*>(p) = v;
    return;
  }
  p[0] = v.x;
  if (cells > 1) p[1] = v.y;
  if (cells > 2) p[2] = v.z;
}
__device__ __forceinline__ float4 sum(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ __forceinline__ float4 scaled(float w, float4 a) {
  return make_float4(w * a.x, w * a.y, w * a.z, w * a.w);
}
__device__ __forceinline__ float4 fused(float w, float4 a, float4 b) {
  return make_float4(fmaf(w, a.x, b.x), fmaf(w, a.y, b.y), fmaf(w, a.z, b.z), fmaf(w, a.w, b.w));
}
/// c − a b
__device__ __forceinline__ float4 minus_product(float4 a, float4 b, float4 c) {
  return make_float4(fmaf(-a.x, b.x, c.x), fmaf(-a.y, b.y, c.y), fmaf(-a.z, b.z, c.z), fmaf(-a.w, b.w, c.w));
}

/// A damped cell of kernels/patch.hpp; σ = 0 gives the bits of a plain one.
__device__ __forceinline__ float damped(float a, float L, float u, float old, float sigma) {
  return fmaf(a, L, fmaf(sigma - 1.0F, old, u + u)) * (1.0F / (1.0F + sigma));
}
/// Apart from the cells of the core: four divisions in line would cost registers everywhere.
__device__ __noinline__ static float4 damped(float4 a, float4 L, float4 u, float4 old, float s_xy, float4 s_z) {
  return make_float4(damped(a.x, L.x, u.x, old.x, s_xy + s_z.x), damped(a.y, L.y, u.y, old.y, s_xy + s_z.y),
                     damped(a.z, L.z, u.z, old.z, s_xy + s_z.z), damped(a.w, L.w, u.w, old.w, s_xy + s_z.w));
}
__device__ __forceinline__ float4 updated(float4 a, float4 L, float4 u, float4 old, float s_xy, float4 s_z) {
  if (s_xy != 0.0F || s_z.x != 0.0F || s_z.y != 0.0F || s_z.z != 0.0F || s_z.w != 0.0F)
    return damped(a, L, u, old, s_xy, s_z);
  return make_float4(fmaf(a.x, L.x, (u.x + u.x) - old.x), fmaf(a.y, L.y, (u.y + u.y) - old.y),
                     fmaf(a.z, L.z, (u.z + u.z) - old.z), fmaf(a.w, L.w, (u.w + u.w) - old.w));
}

/// The neighbours along z of a thread's four within radius R.
template <int R>
struct LineOfFours {
  static constexpr int fours = (R + 3) / 4;  ///< on either side
  float value[8 * fours + 4];

  __device__ __forceinline__ void put(int at, float4 f) {
    value[at] = f.x;
    value[at + 1] = f.y;
    value[at + 2] = f.z;
    value[at + 3] = f.w;
  }
  /// at(f): the four that lies f fours away.
  template <class At>
  __device__ __forceinline__ void take(float4 middle, At at) {
#pragma unroll
    for (int f = 1; f <= fours; ++f) {
      put(4 * (fours - f), at(-f));
      put(4 * (fours + f), at(f));
    }
    put(4 * fours, middle);
  }
  __device__ __forceinline__ void load(const float* u, float4 middle) {
    take(middle, [u](int f) { return load_four(u + 4 * f); });
  }
  [[nodiscard]] __device__ __forceinline__ float4 pair(int i) const {
    constexpr int c = 4 * fours;
    return make_float4(value[c - i] + value[c + i], value[c + 1 - i] + value[c + 1 + i],
                       value[c + 2 - i] + value[c + 2 + i], value[c + 3 - i] + value[c + 3 + i]);
  }
};

}  // namespace conoid::acoustic_fd
