// SPDX-License-Identifier: BSD-3-Clause
// The block kernel for one register width CONOID_BYTES. n_g accumulators of one register stay in registers over
// all columns; limited by the multiply-add rate in the cache, by the values' bandwidth (zeros included) from memory.
// isas: base avx2 avx512
#include "engine/solvers/acoustic_bem/kernels/full_blocks.hpp"

namespace conoid::acoustic_bem {
namespace {

template <class Real>
void add_blocks(const BlockPlace* places, const Real* values, std::size_t count, int rows, int columns,
                const Real* const* pasts, Real* sums, std::size_t stride) {
  constexpr int steps = 8;
  constexpr int lanes = CONOID_BYTES / static_cast<int>(sizeof(Real));
  typedef Real vr __attribute__((vector_size(CONOID_BYTES)));
  for (std::size_t b = 0; b < count;
       ++b, values += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {
    const Real* const past = pasts[places[b].slice] - places[b].column;
    for (int strip = 0; strip < rows; strip += lanes) {
      vr acc[steps] = {};
      const Real* v = values + strip;
      for (int c = 0; c < columns; ++c, v += rows) {
        vr m;
        __builtin_memcpy(&m, v, sizeof m);
        for (int g = 0; g < steps; ++g) acc[g] += m * past[g - c];
      }
      for (int g = 0; g < steps; ++g) {
        Real* const to = sums + static_cast<std::size_t>(g) * stride + static_cast<std::size_t>(places[b].row + strip);
        vr s;
        __builtin_memcpy(&s, to, sizeof s);
        s += acc[g];
        __builtin_memcpy(to, &s, sizeof s);
      }
    }
  }
}

}  // namespace

extern const FullBlockKernel<float> CONOID_ISA_NAME(full_blocks_float);
extern const FullBlockKernel<double> CONOID_ISA_NAME(full_blocks_double);
const FullBlockKernel<float> CONOID_ISA_NAME(full_blocks_float){8, add_blocks<float>};
const FullBlockKernel<double> CONOID_ISA_NAME(full_blocks_double){8, add_blocks<double>};

}  // namespace conoid::acoustic_bem
