// SPDX-License-Identifier: BSD-3-Clause
// The product over ragged blocks in single precision, one instance a group of steps.
#include "engine/solvers/acoustic_bem/cuda/ragged_body.hpp"

namespace conoid::acoustic_bem {

static const RegisterKernel ragged_1("acoustic-bem/ragged<float,1>", ragged<float, 1>);
static const RegisterKernel ragged_2("acoustic-bem/ragged<float,2>", ragged<float, 2>);
static const RegisterKernel ragged_4("acoustic-bem/ragged<float,4>", ragged<float, 4>);
static const RegisterKernel ragged_8("acoustic-bem/ragged<float,8>", ragged<float, 8>);
static const RegisterKernel ragged_16("acoustic-bem/ragged<float,16>", ragged<float, 16>);
static const RegisterKernel ragged_32("acoustic-bem/ragged<float,32>", ragged<float, 32>);

}  // namespace conoid::acoustic_bem
