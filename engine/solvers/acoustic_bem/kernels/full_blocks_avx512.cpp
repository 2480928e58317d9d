// SPDX-License-Identifier: BSD-3-Clause
// Block kernels with registers of 64 bytes.
#define CONOID_BYTES 64
#include "engine/solvers/acoustic_bem/kernels/full_blocks_body.hpp"

namespace conoid::acoustic_bem {

extern const FullBlockKernel<float> full_blocks_float_avx512;
extern const FullBlockKernel<double> full_blocks_double_avx512;
const FullBlockKernel<float> full_blocks_float_avx512{8, add_blocks<float>};
const FullBlockKernel<double> full_blocks_double_avx512{8, add_blocks<double>};

}  // namespace conoid::acoustic_bem
