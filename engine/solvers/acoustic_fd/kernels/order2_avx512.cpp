// SPDX-License-Identifier: BSD-3-Clause
// The kernels of order 2 for AVX-512.
#include "engine/solvers/acoustic_fd/kernels/patch_tables.hpp"

#if defined(__x86_64__)
#include <algorithm>

#include <immintrin.h>

#define CONOID_WIDE_BYTES 64
#define CONOID_WIDE(name) _mm512_##name

namespace conoid::acoustic_fd {
namespace {

#include "engine/solvers/acoustic_fd/kernels/patch_wide.inl"

}  // namespace

CONOID_ACOUSTIC_FD_ORDER(avx512, 1)

}  // namespace conoid::acoustic_fd
#endif
