// SPDX-License-Identifier: BSD-3-Clause
// Full- and Contiguous-Blocking in double precision: n_g of 4, 8 and 16, the widths of the paper's tables.
#include "engine/solvers/acoustic_bem/cuda/blocks_body.hpp"

namespace conoid::acoustic_bem {

static const RegisterKernel full_blocks_4_16("acoustic-bem/full_blocks<double,4,16>", full_blocks<double, 4, 16>);
static const RegisterKernel full_blocks_4_32("acoustic-bem/full_blocks<double,4,32>", full_blocks<double, 4, 32>);
static const RegisterKernel full_blocks_4_64("acoustic-bem/full_blocks<double,4,64>", full_blocks<double, 4, 64>);
static const RegisterKernel full_blocks_4_128("acoustic-bem/full_blocks<double,4,128>", full_blocks<double, 4, 128>);
static const RegisterKernel full_blocks_8_16("acoustic-bem/full_blocks<double,8,16>", full_blocks<double, 8, 16>);
static const RegisterKernel full_blocks_8_32("acoustic-bem/full_blocks<double,8,32>", full_blocks<double, 8, 32>);
static const RegisterKernel full_blocks_8_64("acoustic-bem/full_blocks<double,8,64>", full_blocks<double, 8, 64>);
static const RegisterKernel full_blocks_8_128("acoustic-bem/full_blocks<double,8,128>", full_blocks<double, 8, 128>);
static const RegisterKernel full_blocks_16_16("acoustic-bem/full_blocks<double,16,16>", full_blocks<double, 16, 16>);
static const RegisterKernel full_blocks_16_32("acoustic-bem/full_blocks<double,16,32>", full_blocks<double, 16, 32>);
static const RegisterKernel full_blocks_16_64("acoustic-bem/full_blocks<double,16,64>", full_blocks<double, 16, 64>);
static const RegisterKernel full_blocks_16_128("acoustic-bem/full_blocks<double,16,128>", full_blocks<double, 16, 128>);
static const RegisterKernel contiguous_blocks_4_16("acoustic-bem/contiguous_blocks<double,4,16>",
                                                   contiguous_blocks<double, 4, 16>);
static const RegisterKernel contiguous_blocks_4_32("acoustic-bem/contiguous_blocks<double,4,32>",
                                                   contiguous_blocks<double, 4, 32>);
static const RegisterKernel contiguous_blocks_4_64("acoustic-bem/contiguous_blocks<double,4,64>",
                                                   contiguous_blocks<double, 4, 64>);
static const RegisterKernel contiguous_blocks_4_128("acoustic-bem/contiguous_blocks<double,4,128>",
                                                    contiguous_blocks<double, 4, 128>);
static const RegisterKernel contiguous_blocks_8_16("acoustic-bem/contiguous_blocks<double,8,16>",
                                                   contiguous_blocks<double, 8, 16>);
static const RegisterKernel contiguous_blocks_8_32("acoustic-bem/contiguous_blocks<double,8,32>",
                                                   contiguous_blocks<double, 8, 32>);
static const RegisterKernel contiguous_blocks_8_64("acoustic-bem/contiguous_blocks<double,8,64>",
                                                   contiguous_blocks<double, 8, 64>);
static const RegisterKernel contiguous_blocks_8_128("acoustic-bem/contiguous_blocks<double,8,128>",
                                                    contiguous_blocks<double, 8, 128>);
static const RegisterKernel contiguous_blocks_16_16("acoustic-bem/contiguous_blocks<double,16,16>",
                                                    contiguous_blocks<double, 16, 16>);
static const RegisterKernel contiguous_blocks_16_32("acoustic-bem/contiguous_blocks<double,16,32>",
                                                    contiguous_blocks<double, 16, 32>);
static const RegisterKernel contiguous_blocks_16_64("acoustic-bem/contiguous_blocks<double,16,64>",
                                                    contiguous_blocks<double, 16, 64>);
static const RegisterKernel contiguous_blocks_16_128("acoustic-bem/contiguous_blocks<double,16,128>",
                                                     contiguous_blocks<double, 16, 128>);

}  // namespace conoid::acoustic_bem
