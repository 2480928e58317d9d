// SPDX-License-Identifier: BSD-3-Clause
// Multiply-adds and nothing else, for the roof over the kernels of a device.
#include "engine/team/kernel.hpp"
#include "engine/team/cuda/rates_arguments.hpp"

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

}  // namespace conoid
