// SPDX-License-Identifier: BSD-3-Clause
// Multi-vectors/vector kernels with registers of 32 bytes.
#define CONOID_BYTES 32
#include "engine/solvers/acoustic_bem/kernels/summation_body.hpp"

namespace conoid::acoustic_bem {

extern const SummationTable<float> summation_float_avx2;
extern const SummationTable<double> summation_double_avx2;
const SummationTable<float> summation_float_avx2 = make_table<float>();
const SummationTable<double> summation_double_avx2 = make_table<double>();

}  // namespace conoid::acoustic_bem
