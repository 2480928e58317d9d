// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernels for AVX2 and FMA.
#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace conoid::acoustic_fd {
namespace {

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

using WideFloat = float __attribute__((vector_size(32)));
using WideDouble = double __attribute__((vector_size(32)));
template <class T>
struct WideType;
template <>
struct WideType<float> {
  using type = WideFloat;
};
template <>
struct WideType<double> {
  using type = WideDouble;
};
template <class T>
using WideOf = typename WideType<T>::type;

inline __attribute__((always_inline)) WideFloat wide_all(float v) {
  return _mm256_set1_ps(v);
}
inline __attribute__((always_inline)) WideDouble wide_all(double v) {
  return _mm256_set1_pd(v);
}
inline __attribute__((always_inline)) WideFloat fused(WideFloat a, WideFloat b, WideFloat c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline __attribute__((always_inline)) WideDouble fused(WideDouble a, WideDouble b, WideDouble c) {
  return _mm256_fmadd_pd(a, b, c);
}
template <class T>
inline __attribute__((always_inline)) WideOf<T> wide_load(const char* p) {
  WideOf<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline __attribute__((always_inline)) void wide_store(char* p, WideOf<T> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

#define CONOID_ACOUSTIC_FD_WIDE
#include "engine/solvers/acoustic_fd/kernels/cpu_rows.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ROW_TABLES(avx2, "avx2")

}  // namespace conoid::acoustic_fd
#endif
