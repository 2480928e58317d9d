// SPDX-License-Identifier: BSD-3-Clause
// Which receiver kernels this processor runs.
#include "engine/solvers/acoustic_bem/kernels/receiver_lanes.hpp"

#include "engine/solvers/acoustic_bem/kernels/processor.hpp"

namespace conoid::acoustic_bem {

extern const ReceiverLanes receiver_lanes_base, receiver_lanes_avx2, receiver_lanes_avx512;

const ReceiverLanes& receiver_lanes(int widest) {
  const int lanes = widest > 0 ? widest : 8;
  if (lanes >= 8 && has_avx512()) return receiver_lanes_avx512;
  if (lanes >= 4 && has_avx2()) return receiver_lanes_avx2;
  return receiver_lanes_base;
}

}  // namespace conoid::acoustic_bem
