// SPDX-License-Identifier: BSD-3-Clause
// Which lane kernels this processor runs.
#include "engine/solvers/acoustic_bem/kernels/shell_lanes.hpp"

#include "engine/simd/instruction_set.hpp"

namespace conoid::acoustic_bem {

extern const LaneKernels lane_kernels_base, lane_kernels_avx2, lane_kernels_avx512;

const LaneKernels& lane_kernels(int widest) {
  return body_for(instruction_set_within(8 * widest), lane_kernels_base, lane_kernels_avx2, lane_kernels_avx512);
}

}  // namespace conoid::acoustic_bem
