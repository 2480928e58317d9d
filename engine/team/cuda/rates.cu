// SPDX-License-Identifier: BSD-3-Clause
// Multiply-adds and nothing else, for the roof over the kernels of a device; barriers and little else, for what an emulated one costs.
#include "engine/team/cuda/rates_arguments.hpp"
#include "engine/team/kernel.hpp"

namespace conoid {

/// The chains multiply by 1 − 2⁻²⁰ and add a little, so that they stay finite and no compiler can know the result.
template <class Real>
__global__ void multiply_adds(RateArguments a) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const Real factor = Real(1) - Real(0x1p-20), little = Real(0x1p-21) * Real(1 + i % 7);
  Real x[rate_chains];
  for (int c = 0; c < rate_chains; ++c) x[c] = Real(1 + c);
  for (int r = 0; r < a.rounds; ++r)
    for (int c = 0; c < rate_chains; ++c) x[c] = x[c] * factor + little;
  Real sum = 0;
  for (int c = 0; c < rate_chains; ++c) sum += x[c];
  static_cast<Real*>(a.out)[i] = sum;
}
static const RegisterKernel multiply_adds_single("team/multiply-adds<float>", multiply_adds<float>);
static const RegisterKernel multiply_adds_double("team/multiply-adds<double>", multiply_adds<double>);

/// Little but barriers: what it costs to emulate them.
__global__ void phases(PhasesArguments a) {
  __shared__ double partial[phase_threads];
  const int t = static_cast<int>(threadIdx.x);
  partial[t] = t;
  for (int half = phase_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  if (t == 0) static_cast<double*>(a.sums)[blockIdx.x] = partial[0];
}
static const RegisterKernel phases_kernel("team/phases", phases);

}  // namespace conoid
