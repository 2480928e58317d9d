// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernels on vectors of CONOID_WIDE_BYTES bytes whose intrinsics are CONOID_WIDE(name); included inside an
// anonymous namespace by the file of each instruction set, which defines both.

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

using WideFloat = float __attribute__((vector_size(CONOID_WIDE_BYTES)));
using WideDouble = double __attribute__((vector_size(CONOID_WIDE_BYTES)));
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
  return CONOID_WIDE(set1_ps)(v);
}
inline __attribute__((always_inline)) WideDouble wide_all(double v) {
  return CONOID_WIDE(set1_pd)(v);
}
inline __attribute__((always_inline)) WideFloat fused(WideFloat a, WideFloat b, WideFloat c) {
  return CONOID_WIDE(fmadd_ps)(a, b, c);
}
inline __attribute__((always_inline)) WideDouble fused(WideDouble a, WideDouble b, WideDouble c) {
  return CONOID_WIDE(fmadd_pd)(a, b, c);
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
