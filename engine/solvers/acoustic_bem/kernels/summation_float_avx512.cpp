// SPDX-License-Identifier: BSD-3-Clause
// Multi-vectors/vector kernels with registers of 64 bytes, float.
#include "engine/solvers/acoustic_bem/kernels/summation_body.hpp"

namespace conoid::acoustic_bem {

extern const SummationTable<float> summation_float_avx512;
const SummationTable<float> summation_float_avx512 = make_table<float>();

}  // namespace conoid::acoustic_bem
