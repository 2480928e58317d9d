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

const RadiationKernel& radiation_kernel(InstructionSet at_most) {
  return body_for(instruction_set(at_most), radiation_base, radiation_avx2, radiation_avx512);
}

}  // namespace conoid::maxwell_fem
