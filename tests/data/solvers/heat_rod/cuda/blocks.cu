// SPDX-License-Identifier: BSD-3-Clause
// A thread a block of points.
#include "engine/team/kernel.hpp"
#include "tests/data/solvers/heat_rod/cuda/blocks.hpp"

namespace conoid::heat_rod {

__global__ void pass_over_blocks(WindowArguments a) {
  const int block = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (block * block_points < a.points) run_block(a, block);
}
static const RegisterKernel pass_kernel("heat-rod/pass", pass_over_blocks);

}  // namespace conoid::heat_rod
