// SPDX-License-Identifier: BSD-3-Clause
// The only questions to the processor about the registers of kernels.
#include "engine/simd/instruction_set.hpp"

#include <algorithm>

namespace conoid {
namespace {

InstructionSet widest() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return InstructionSet::base;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
             ? InstructionSet::avx512
             : InstructionSet::avx2;
#else
  return InstructionSet::base;
#endif
}

}  // namespace

InstructionSet instruction_set(InstructionSet at_most) {
  static const InstructionSet found = widest();
  return std::min(found, at_most);
}

}  // namespace conoid
