// SPDX-License-Identifier: BSD-3-Clause
// A pass over a window of a banded system, a thread a block. A solver's .cu file registers it for its equation:
//
//     static const conoid::RegisterKernel step_kernel("my-solver/step", conoid::pass_over_blocks<Equation>);
#pragma once

#include "engine/linalg/band_passes.hpp"
#include "engine/team/kernel.hpp"

namespace conoid {

template <class Equation>
__global__ void pass_over_blocks(BandWindow<Equation> a) {
  const int block = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (block * Equation::block < a.count) run_block(a, block);
}

}  // namespace conoid
