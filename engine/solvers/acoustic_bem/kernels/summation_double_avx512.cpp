// SPDX-License-Identifier: BSD-3-Clause
// Multi-vectors/vector kernels with registers of 64 bytes, double.
#include "engine/solvers/acoustic_bem/kernels/summation_body.hpp"

namespace conoid::acoustic_bem {

extern const SummationTable<double> summation_double_avx512;
const SummationTable<double> summation_double_avx512 = make_table<double>();

}  // namespace conoid::acoustic_bem
