// SPDX-License-Identifier: BSD-3-Clause
// Loops over a row of what is kept beside the levels, which the compiler vectorises (beside.hpp).
// isas: base avx2 avx512
#include "engine/solvers/acoustic_fd/kernels/beside.hpp"

namespace conoid::acoustic_fd {
namespace {

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

template <class T>
void relax(const RelaxRow<T>& t) {
  const T* __restrict u = t.u, * __restrict m = t.m, * __restrict sigma_z = t.sigma_z;
  T* __restrict o = t.o;
  const T sigma_xy = t.sigma_xy, pull = t.pull;
  for (Index z = t.z0; z < t.z1; ++z) {
    const T r = T(1) / (T(1) + (sigma_xy + sigma_z[z]));
    o[z] = fused(pull * r, u[z] - m[z], o[z]);
  }
}

template <class T>
void remember(const RelaxRow<T>& t) {
  const T* __restrict u = t.u, * __restrict o = t.o;
  T* __restrict m = t.m;
  const T keep = t.keep, add = t.add;
  for (Index z = t.z0; z < t.z1; ++z) m[z] = fused(add, o[z] + u[z], keep * m[z]);
}

template <class T>
void largest(const T* __restrict o, T* __restrict peak, Index z0, Index z1) {
  for (Index z = z0; z < z1; ++z) {
    const T size = o[z] < 0 ? -o[z] : o[z];
    peak[z] = size > peak[z] ? size : peak[z];
  }
}

template <class T>
void add_squares(const T* __restrict o, T* __restrict squares, Index z0, Index z1) {
  for (Index z = z0; z < z1; ++z) squares[z] = fused(o[z], o[z], squares[z]);
}

}  // namespace

extern const BesideKernels<float> CONOID_ISA_NAME(beside_float);
extern const BesideKernels<double> CONOID_ISA_NAME(beside_double);
const BesideKernels<float> CONOID_ISA_NAME(beside_float){relax<float>, remember<float>, largest<float>,
                                                         add_squares<float>};
const BesideKernels<double> CONOID_ISA_NAME(beside_double){relax<double>, remember<double>, largest<double>,
                                                           add_squares<double>};

}  // namespace conoid::acoustic_fd
