// SPDX-License-Identifier: BSD-3-Clause
// Questions to the processor.
#include "engine/solvers/acoustic_bem/kernels/processor.hpp"

#include <immintrin.h>

namespace conoid::acoustic_bem {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

namespace {
constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
}

FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) {
  _mm_setcsr(before_ | flush_to_zero | denormals_are_zero);
}
FlushDenormals::~FlushDenormals() {
  _mm_setcsr(before_);
}

}  // namespace conoid::acoustic_bem
