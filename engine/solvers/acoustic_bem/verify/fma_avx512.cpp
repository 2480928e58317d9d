// SPDX-License-Identifier: BSD-3-Clause
// Multiply-adds with registers of 64 bytes, nothing else.
#define CONOID_BYTES 64
#include "engine/solvers/acoustic_bem/verify/fma_body.hpp"

namespace conoid::acoustic_bem {

extern const FmaLoops fma_loops_avx512;
const FmaLoops fma_loops_avx512{loop<float>, loop<double>};

}  // namespace conoid::acoustic_bem
