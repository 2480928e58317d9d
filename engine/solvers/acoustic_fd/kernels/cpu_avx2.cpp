// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernels for AVX2 and FMA.
#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

#if defined(__x86_64__)
namespace conoid::acoustic_fd {
namespace {

inline __attribute__((always_inline)) float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline __attribute__((always_inline)) double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

#include "engine/solvers/acoustic_fd/kernels/cpu_rows.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ROW_TABLES(avx2, "avx2")

}  // namespace conoid::acoustic_fd
#endif
