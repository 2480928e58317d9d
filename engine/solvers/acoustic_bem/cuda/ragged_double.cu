// SPDX-License-Identifier: BSD-3-Clause
// The product over ragged blocks in double precision, one instance a group of steps.
#include "engine/solvers/acoustic_bem/cuda/ragged_body.hpp"

namespace conoid::acoustic_bem {

static const RegisterKernel ragged_1("acoustic-bem/ragged<double,1>", ragged<double, 1>);
static const RegisterKernel ragged_2("acoustic-bem/ragged<double,2>", ragged<double, 2>);
static const RegisterKernel ragged_4("acoustic-bem/ragged<double,4>", ragged<double, 4>);
static const RegisterKernel ragged_8("acoustic-bem/ragged<double,8>", ragged<double, 8>);
static const RegisterKernel ragged_16("acoustic-bem/ragged<double,16>", ragged<double, 16>);
static const RegisterKernel ragged_32("acoustic-bem/ragged<double,32>", ragged<double, 32>);

}  // namespace conoid::acoustic_bem
