// SPDX-License-Identifier: BSD-3-Clause
// Instruction sets that kernels are compiled for, and which of them this processor has.
//
// A file <name>_isa.inl is compiled once for each set that it names (CONTRIBUTING.md). Whoever calls what came of it asks here which to take,
// so that all kernels of a run agree on what a set needs.
#pragma once

#include <cstdint>

namespace conoid {

/// In rising order: each has all of those before it. The names are those of `// isas:` and of CONOID_ISA.
enum class InstructionSet : std::uint8_t {
  base,   ///< what every processor has that the program runs on
  avx2,   ///< AVX2 and FMA
  avx512  ///< the parts F, VL, DQ and BW, and AVX2 and FMA
};

/// The widest that this processor has, but none beyond `at_most` (for tests, and for kernels that have no wider body).
[[nodiscard]] InstructionSet instruction_set(InstructionSet at_most = InstructionSet::avx512);

/// Bytes of a register, as CONOID_BYTES has it.
[[nodiscard]] constexpr int register_bytes(InstructionSet set) {
  return 16 << static_cast<int>(set);
}
/// The widest that this processor has whose registers have at most so many bytes; 0: any.
[[nodiscard]] inline InstructionSet instruction_set_within(int bytes) {
  return instruction_set(bytes <= 0 || bytes >= 64 ? InstructionSet::avx512
                         : bytes >= 32             ? InstructionSet::avx2
                                                   : InstructionSet::base);
}

/// Of the bodies of one kernel, that for this processor.
template <class Body>
[[nodiscard]] const Body& body_for(InstructionSet set, const Body& base, const Body& avx2, const Body& avx512) {
  return set == InstructionSet::avx512 ? avx512 : set == InstructionSet::avx2 ? avx2 : base;
}

}  // namespace conoid
