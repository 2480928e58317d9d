// SPDX-License-Identifier: BSD-3-Clause
// The loops of J. M. Badía et al., "Parallel algorithms for a mesh truncation technique on CPU and GPU" (J. Supercomput.), as they
// stand there: cuda_S, a thread an element of S that goes through all of S' and all right-hand sides, its fields in device memory;
// cuda_rhs, the innermost loop alone. For comparison.
#include "engine/team/kernel.hpp"

#include "engine/solvers/maxwell_fem/cuda/radiation_arguments.hpp"

namespace conoid::maxwell_fem {

__device__ __forceinline__ DeviceComplex times(DeviceComplex a, DeviceComplex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ __forceinline__ DeviceComplex sum(DeviceComplex a, DeviceComplex b) {
  return {a.re + b.re, a.im + b.im};
}
__device__ __forceinline__ DeviceComplex apart(DeviceComplex a, DeviceComplex b) {
  return {a.re - b.re, a.im - b.im};
}

/// As radiate() of kernels/reference.cpp: E += G J − ∇g×M, ∇×E += −k² G M + ∇g×J.
__device__ __forceinline__ void radiate_one(const DeviceComplex* current, DeviceComplex* e, const DeviceComplex* g,
                                            const DeviceComplex* gradient, double k2) {
  const DeviceComplex* const m = current + 3;
  DeviceComplex* const curl = e + 3;
  const int rows[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    const int p = (d + 1) % 3, q = (d + 2) % 3;
    DeviceComplex gj{0, 0}, gm{0, 0};
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      gj = sum(gj, times(g[rows[d][i]], current[i]));
      gm = sum(gm, times(g[rows[d][i]], m[i]));
    }
    const DeviceComplex xm = apart(times(gradient[p], m[q]), times(gradient[q], m[p])),
                        xj = apart(times(gradient[p], current[q]), times(gradient[q], current[p]));
    e[d] = sum(e[d], apart(gj, xm));
    curl[d] = sum(curl[d], {xj.re - k2 * gm.re, xj.im - k2 * gm.im});
  }
}

__global__ void cuda_s(PaperArguments a) {
  const int element = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (element >= a.elements) return;
  for (int q = 0; q < a.sources; ++q)
    for (int p = element * a.samples; p < (element + 1) * a.samples; ++p) {
      double d[3], r2 = 0;
      for (int i = 0; i < 3; ++i) {
        d[i] = a.to[3 * p + i] - a.from[3 * q + i];
        r2 += d[i] * d[i];
      }
      const double r = sqrt(r2), kr = a.k * r, over = 1 / kr;
      double s, c;
      sincos(kr, &s, &c);
      const double size = 0.079577471545947667884 / r;  // 1/4πR
      const DeviceComplex w{size * c, -size * s};
      const DeviceComplex alpha = times(w, {1 - over * over, -over}), beta = times(w, {3 * over * over - 1, 3 * over}),
                          gamma = times(w, {-1 / r, -a.k});
      DeviceComplex g[6], gradient[3];
      const int x[6] = {0, 1, 2, 0, 0, 1}, y[6] = {0, 1, 2, 1, 2, 2};
      for (int i = 0; i < 6; ++i) {
        const double ee = d[x[i]] * d[y[i]] / r2;
        g[i] = {beta.re * ee, beta.im * ee};
        if (i < 3) g[i] = sum(g[i], alpha);
      }
      for (int i = 0; i < 3; ++i) gradient[i] = {gamma.re * d[i] / r, gamma.im * d[i] / r};
      for (int rhs = 0; rhs < a.rhs; ++rhs)
        radiate_one(a.currents + 6 * (static_cast<long long>(q) * a.rhs + rhs),
                    a.fields + 6 * (static_cast<long long>(p) * a.rhs + rhs), g, gradient, a.k * a.k);
    }
}

__global__ void cuda_rhs(PaperPairArguments a) {
  const int rhs = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (rhs < a.rhs) radiate_one(a.currents + 6LL * rhs, a.fields + 6LL * rhs, a.g, a.gradient, a.k2);
}

static const RegisterKernel cuda_s_kernel("maxwell-fem/cuda_S", cuda_s);
static const RegisterKernel cuda_rhs_kernel("maxwell-fem/cuda_rhs", cuda_rhs);

}  // namespace conoid::maxwell_fem
