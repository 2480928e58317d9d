// SPDX-License-Identifier: BSD-3-Clause
// Which lane kernels this processor runs.
#include "engine/solvers/acoustic_bem/kernels/shell_lanes.hpp"

#include "engine/solvers/acoustic_bem/kernels/processor.hpp"

namespace conoid::acoustic_bem {

extern const LaneKernels lane_kernels_base, lane_kernels_avx2, lane_kernels_avx512;

const LaneKernels& lane_kernels(int widest) {
  const int lanes = widest > 0 ? widest : 8;
  if (lanes >= 8 && has_avx512()) return lane_kernels_avx512;
  if (lanes >= 4 && has_avx2()) return lane_kernels_avx2;
  return lane_kernels_base;
}

}  // namespace conoid::acoustic_bem
