// SPDX-License-Identifier: BSD-3-Clause
// Which block kernel this processor runs.
#include "engine/solvers/acoustic_bem/kernels/full_blocks.hpp"

namespace conoid::acoustic_bem {

extern const FullBlockKernel<float> full_blocks_float_base, full_blocks_float_avx2, full_blocks_float_avx512;
extern const FullBlockKernel<double> full_blocks_double_base, full_blocks_double_avx2, full_blocks_double_avx512;

template <>
const FullBlockKernel<float>& full_block_kernel(KernelLevel level) {
  const KernelLevel best = best_level(level);
  return best == KernelLevel::avx512 ? full_blocks_float_avx512
         : best == KernelLevel::avx2 ? full_blocks_float_avx2
                                     : full_blocks_float_base;
}
template <>
const FullBlockKernel<double>& full_block_kernel(KernelLevel level) {
  const KernelLevel best = best_level(level);
  return best == KernelLevel::avx512 ? full_blocks_double_avx512
         : best == KernelLevel::avx2 ? full_blocks_double_avx2
                                     : full_blocks_double_base;
}

}  // namespace conoid::acoustic_bem
