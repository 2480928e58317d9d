// SPDX-License-Identifier: BSD-3-Clause
// Lane kernels of 2 lanes.
#define CONOID_LANES 2
#include "engine/solvers/acoustic_bem/kernels/shell_lanes_body.hpp"

namespace conoid::acoustic_bem {

extern const LaneKernels lane_kernels_base;
const LaneKernels lane_kernels_base{CONOID_LANES, range_lanes, pair_lanes};

}  // namespace conoid::acoustic_bem
