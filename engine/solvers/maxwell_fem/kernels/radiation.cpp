// SPDX-License-Identifier: BSD-3-Clause
// Which radiation kernel this processor runs.
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"

#include <algorithm>
#include <cstring>

namespace conoid::maxwell_fem {

extern const RadiationKernel radiation_base, radiation_avx2, radiation_avx512;

AlignedDoubles::AlignedDoubles(std::size_t count) : count_(count) {
  const std::size_t bytes = (count * sizeof(double) + 63) / 64 * 64;
  memory_.reset(static_cast<double*>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64))));
  if (!memory_) throw std::bad_alloc();
  std::memset(memory_.get(), 0, bytes);
}

Level best_level() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return avx512 ? Level::avx512 : avx2 ? Level::avx2 : Level::base;
}

const RadiationKernel& radiation_kernel(Level at_most) {
  const Level level = std::min(at_most, best_level());
  return level == Level::avx512 ? radiation_avx512 : level == Level::avx2 ? radiation_avx2 : radiation_base;
}

}  // namespace conoid::maxwell_fem
