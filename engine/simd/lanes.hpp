// SPDX-License-Identifier: BSD-3-Clause
// Numbers that advance together: registers of 16, 32 or 64 bytes as GCC's vector types, and what the language has no operator for.
//
// For files that are compiled for one instruction set (CONTRIBUTING.md) with registers no wider than its own. Every function is inlined
// always, so that no two sets share one. V is one of the types below, M what a comparison of two of them gives: a lane is −1 or 0.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace conoid::simd {

/// `v`: lanes of Real in a register; `i`: whole numbers of the same size in one. A specialisation each: GCC 12 does not apply a vector_size
/// that depends on a template parameter, and `using` would lose the attribute.
template <class Real, int bytes>
struct Lanes;
// NOLINTBEGIN(modernize-use-using)
template <>
struct Lanes<double, 16> {
  typedef double v __attribute__((vector_size(16)));
  typedef long long i __attribute__((vector_size(16)));
};
template <>
struct Lanes<double, 32> {
  typedef double v __attribute__((vector_size(32)));
  typedef long long i __attribute__((vector_size(32)));
};
template <>
struct Lanes<double, 64> {
  typedef double v __attribute__((vector_size(64)));
  typedef long long i __attribute__((vector_size(64)));
};
template <>
struct Lanes<float, 16> {
  typedef float v __attribute__((vector_size(16)));
  typedef int i __attribute__((vector_size(16)));
};
template <>
struct Lanes<float, 32> {
  typedef float v __attribute__((vector_size(32)));
  typedef int i __attribute__((vector_size(32)));
};
template <>
struct Lanes<float, 64> {
  typedef float v __attribute__((vector_size(64)));
  typedef int i __attribute__((vector_size(64)));
};
// NOLINTEND(modernize-use-using)

template <class V>
using NumberOf = std::remove_cvref_t<decltype(V{}[0])>;
template <class V>
constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(NumberOf<V>));

/// From and to memory on any border.
template <class V>
[[gnu::always_inline]] inline V load(const void* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
[[gnu::always_inline]] inline void store(void* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
/// One number in all lanes. x − 0 is x for every x, so this is a plain broadcast; 0 + x would be an addition.
template <class V>
[[gnu::always_inline]] inline V splat(NumberOf<V> x) {
  return x - V{};
}
/// One lane (a vector may alias its element type).
template <class V>
[[gnu::always_inline]] inline NumberOf<V>& lane(V& x, int l) {
  return reinterpret_cast<NumberOf<V>*>(&x)[l];
}

template <class V>
[[gnu::always_inline]] inline V vmin(V a, V b) {
  return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V vmax(V a, V b) {
  return a > b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V vabs(V a) {
  using Bits = typename Lanes<NumberOf<V>, sizeof(V)>::i;
  using Number = NumberOf<Bits>;
  return (V)((Bits)a & std::numeric_limits<Number>::max());
}

/// Square roots of doubles, correctly rounded.
template <class V>
[[gnu::always_inline]] inline V vsqrt(V x) {
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
/// The next whole number below (above), of doubles far below 2^63.
template <class V>
[[gnu::always_inline]] inline V vfloor(V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return (V)_mm512_maskz_roundscale_pd(0xff, (__m512d)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) return (V)_mm256_floor_pd((__m256d)x);
#endif
  for (int l = 0; l < lanes_of<V>; ++l) {
    const double whole = static_cast<double>(static_cast<long long>(lane(x, l)));
    lane(x, l) = whole > lane(x, l) ? whole - 1 : whole;
  }
  return x;
}
template <class V>
[[gnu::always_inline]] inline V vceil(V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return (V)_mm512_maskz_roundscale_pd(0xff, (__m512d)x, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) return (V)_mm256_ceil_pd((__m256d)x);
#endif
  for (int l = 0; l < lanes_of<V>; ++l) {
    const double whole = static_cast<double>(static_cast<long long>(lane(x, l)));
    lane(x, l) = whole < lane(x, l) ? whole + 1 : whole;
  }
  return x;
}
/// base[index[l]] of doubles for each lane; the indices lie one after the other.
template <class V>
[[gnu::always_inline]] inline V gather(const double* base, const int* index) {
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

/// A bit a lane, set where the comparison holds.
template <class M>
[[gnu::always_inline]] inline unsigned bits_of(M mask) {
  constexpr bool wide = sizeof(NumberOf<M>) == 8;
#if defined(__AVX512F__)
  if constexpr (sizeof(M) == 64 && wide) return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
  if constexpr (sizeof(M) == 64 && !wide) return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(M) == 32 && wide) return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
  if constexpr (sizeof(M) == 32 && !wide) return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(M) == 16 && wide) return static_cast<unsigned>(_mm_movemask_pd((__m128d)mask));
  if constexpr (sizeof(M) == 16 && !wide) return static_cast<unsigned>(_mm_movemask_ps((__m128)mask));
#endif
  unsigned bits = 0;
  for (int l = 0; l < lanes_of<M>; ++l) bits |= (lane(mask, l) != 0 ? 1U : 0U) << l;
  return bits;
}
/// Whether a comparison holds in any lane, in all.
template <class M>
[[gnu::always_inline]] inline bool any(M mask) {
  return bits_of(mask) != 0;
}
template <class M>
[[gnu::always_inline]] inline bool every(M mask) {
  return bits_of(mask) == (1U << lanes_of<M>)-1;
}

}  // namespace conoid::simd
