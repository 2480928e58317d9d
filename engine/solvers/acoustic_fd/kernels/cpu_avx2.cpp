// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernels for AVX2 and FMA.
#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CONOID_WIDE_BYTES 32
#define CONOID_WIDE(name) _mm256_##name

namespace conoid::acoustic_fd {
namespace {

#include "engine/solvers/acoustic_fd/kernels/cpu_wide.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ROW_TABLES(avx2, "avx2")

}  // namespace conoid::acoustic_fd
#endif
