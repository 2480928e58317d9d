// SPDX-License-Identifier: BSD-3-Clause
// The fast row kernels for AVX-512.
#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CONOID_WIDE_BYTES 64
#define CONOID_WIDE(name) _mm512_##name

namespace conoid::acoustic_fd {
namespace {

#include "engine/solvers/acoustic_fd/kernels/cpu_wide.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ROW_TABLES(avx512, "avx512")

}  // namespace conoid::acoustic_fd
#endif
