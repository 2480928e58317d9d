// SPDX-License-Identifier: BSD-3-Clause
// Questions to the processor.
#include "engine/solvers/acoustic_bem/kernels/processor.hpp"

namespace conoid::acoustic_bem {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

}  // namespace conoid::acoustic_bem
