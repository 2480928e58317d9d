// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one order, whose stencil has the radius CONOID_EACH: for any machine, and on the vectors of AVX2 and AVX-512.
// isas: base avx2 avx512
// each: 1 2 3 4 5 6
#include "engine/solvers/acoustic_fd/kernels/patch_tables.hpp"

#if CONOID_BYTES > 16
#include <algorithm>

#include <immintrin.h>

#define CONOID_WIDE_BYTES CONOID_BYTES
#if CONOID_BYTES == 64
#define CONOID_WIDE(name) _mm512_##name
#else
#define CONOID_WIDE(name) _mm256_##name
#endif
#endif

namespace conoid::acoustic_fd {
namespace {

#if CONOID_BYTES > 16
#include "engine/solvers/acoustic_fd/kernels/patch_wide.inl"
#else
#include "engine/solvers/acoustic_fd/kernels/patch_generic.inl"
#endif

}  // namespace

CONOID_ACOUSTIC_FD_ORDER(CONOID_ISA, CONOID_EACH)

}  // namespace conoid::acoustic_fd
