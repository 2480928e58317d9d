// SPDX-License-Identifier: BSD-3-Clause
// Which receiver kernels this processor runs.
#include "engine/solvers/acoustic_bem/kernels/receiver_lanes.hpp"

#include "engine/simd/instruction_set.hpp"

namespace conoid::acoustic_bem {

extern const ReceiverLanes receiver_lanes_base, receiver_lanes_avx2, receiver_lanes_avx512;

const ReceiverLanes& receiver_lanes(int widest) {
  return body_for(instruction_set_within(8 * widest), receiver_lanes_base, receiver_lanes_avx2, receiver_lanes_avx512);
}

}  // namespace conoid::acoustic_bem
