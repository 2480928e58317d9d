// SPDX-License-Identifier: BSD-3-Clause
// Multiply-adds with registers of 16 bytes, nothing else.
#define CONOID_BYTES 16
#include "engine/solvers/acoustic_bem/verify/fma_body.hpp"

namespace conoid::acoustic_bem {

extern const FmaLoops fma_loops_base;
const FmaLoops fma_loops_base{loop<float>, loop<double>};

}  // namespace conoid::acoustic_bem
