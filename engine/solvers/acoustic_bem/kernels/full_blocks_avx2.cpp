// SPDX-License-Identifier: BSD-3-Clause
// Block kernels with registers of 32 bytes.
#define CONOID_BYTES 32
#include "engine/solvers/acoustic_bem/kernels/full_blocks_body.hpp"

namespace conoid::acoustic_bem {

extern const FullBlockKernel<float> full_blocks_float_avx2;
extern const FullBlockKernel<double> full_blocks_double_avx2;
const FullBlockKernel<float> full_blocks_float_avx2{8, add_blocks<float>};
const FullBlockKernel<double> full_blocks_double_avx2{8, add_blocks<double>};

}  // namespace conoid::acoustic_bem
