// SPDX-License-Identifier: BSD-3-Clause
// W doubles that advance together, on GCC's vector types; and the small linear algebra of one quadrature point.
#pragma once

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace conoid::hydro_fem {

// One specialisation a width: GCC 12 does not apply a vector_size that depends on a template parameter.
template <int W>
struct LaneType;
template <>
struct LaneType<2> {
  typedef double Real __attribute__((vector_size(16)));  // NOLINT(modernize-use-using): `using` loses the attribute
};
template <>
struct LaneType<4> {
  typedef double Real __attribute__((vector_size(32)));  // NOLINT
};
template <>
struct LaneType<8> {
  typedef double Real __attribute__((vector_size(64)));  // NOLINT
};

template <class V>
constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(double));

template <class V>
inline V splat(double x) {
  return V{} + x;
}
/// One lane (GCC lets a vector alias its element type).
template <class V>
inline double& lane(V& x, int l) {
  return reinterpret_cast<double*>(&x)[l];
}
template <class V>
inline V vsqrt(V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return (V)_mm512_maskz_sqrt_pd(0xff, (__m512d)x);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) return (V)_mm256_sqrt_pd((__m256d)x);
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16) return (V)_mm_sqrt_pd((__m128d)x);
#endif
  V r{};
  for (int l = 0; l < lanes_of<V>; ++l) lane(r, l) = std::sqrt(lane(x, l));
  return r;
}
/// base[index[l]] for each lane; indices are 32-bit, one lane after the other.
template <class V>
inline V gather(const double* base, const int* index) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return (V)_mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, _mm256_loadu_si256((const __m256i*)index), base, 8);
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32)
    return (V)_mm256_mask_i32gather_pd(_mm256_setzero_pd(), base, _mm_loadu_si128((const __m128i*)index),
                                       _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), 8);
#endif
  V r{};
  for (int l = 0; l < lanes_of<V>; ++l) lane(r, l) = base[index[l]];
  return r;
}
/// True if a mask (the result of a comparison) holds in any lane.
template <class V, class M>
inline bool any_lane(M mask) {
  V flags = mask ? splat<V>(1) : V{};
  bool any = false;
  for (int l = 0; l < lanes_of<V>; ++l) any = any || lane(flags, l) != 0;
  return any;
}
template <class V>
inline V vmax(V a, V b) {
  return a > b ? a : b;
}
template <class V>
inline V vmin(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline V vabs(V a) {
  return a < 0 ? -a : a;
}

/// Smallest eigenvalue mu of the symmetric [a b; b c] and its eigenvector (not normalised, never zero).
template <class V>
inline void smallest_eigen2(V a, V b, V c, V& mu, V& sx, V& sy) {
  const V mean = 0.5 * (a + c);
  const V half = 0.5 * (a - c);
  const V radius = vsqrt(half * half + b * b);
  mu = mean - radius;
  // (A - mu) s = 0 by the row that does not cancel.
  sx = half >= 0 ? -b : radius - half;
  sy = half >= 0 ? half + radius : -b;
  const auto isotropic = (sx == 0) & (sy == 0);
  sx = isotropic ? splat<V>(1) : sx;
}

/// One Jacobi rotation that zeroes a[p][q]; written without dividing by a[p][q], so that it is safe when that is zero.
template <class V>
inline void rotate(V& app, V& aqq, V& apq, V& arp, V& arq, V& t, V& c, V& s) {
  const V d = aqq - app;
  const V root = vsqrt(d * d + 4.0 * apq * apq);
  const V sign = d < 0 ? splat<V>(-1) : splat<V>(1);
  t = 2.0 * apq * sign / (vabs(d) + root + 1e-300);
  c = 1.0 / vsqrt(1.0 + t * t);
  s = t * c;
  app = app - t * apq;
  aqq = aqq + t * apq;
  apq = V{};
  const V p = arp;
  arp = c * p - s * arq;
  arq = s * p + c * arq;
}

/// Eigenvalues d[3] of a symmetric 3×3 (a[0..5] = xx yy zz yz xz xy) by cyclic Jacobi; with `vectors` also the columns
/// of v[3][3]. Stops when every lane's off-diagonal part is below round-off of its diagonal (5 sweeps at most).
template <class V, bool vectors>
inline void jacobi3(V a[6], V v[3][3]) {
  if constexpr (vectors)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) v[i][j] = splat<V>(i == j ? 1.0 : 0.0);
  for (int sweep = 0; sweep < 6; ++sweep) {
    const V off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
    const V diagonal = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const auto rough = off > 1e-32 * diagonal;
    if (!any_lane<V>(rough)) break;
    V t, c, s;
    auto turn = [&](int p, int q) {
      if constexpr (vectors) {
        for (int i = 0; i < 3; ++i) {
          const V x = v[i][p];
          v[i][p] = c * x - s * v[i][q];
          v[i][q] = s * x + c * v[i][q];
        }
      }
    };
    rotate(a[0], a[1], a[5], a[4], a[3], t, c, s);  // (x,y): third is z, a_zx = a[4], a_zy = a[3]
    turn(0, 1);
    rotate(a[0], a[2], a[4], a[5], a[3], t, c, s);  // (x,z): third is y, a_yx = a[5], a_yz = a[3]
    turn(0, 2);
    rotate(a[1], a[2], a[3], a[5], a[4], t, c, s);  // (y,z): third is x, a_xy = a[5], a_xz = a[4]
    turn(1, 2);
  }
}

}  // namespace conoid::hydro_fem
