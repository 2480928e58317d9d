// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernels for any machine (without a hardware fma it is correct but slow).
#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

namespace conoid::acoustic_fd {
namespace {

inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

#include "engine/solvers/acoustic_fd/kernels/cpu_rows.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ROW_TABLES(generic, "generic")

}  // namespace conoid::acoustic_fd
