// SPDX-License-Identifier: BSD-3-Clause
// Multiply-adds with registers of 32 bytes, nothing else.
#define CONOID_BYTES 32
#include "engine/solvers/acoustic_bem/verify/fma_body.hpp"

namespace conoid::acoustic_bem {

extern const FmaLoops fma_loops_avx2;
const FmaLoops fma_loops_avx2{loop<float>, loop<double>};

}  // namespace conoid::acoustic_bem
