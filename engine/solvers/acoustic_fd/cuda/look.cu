// SPDX-License-Identifier: BSD-3-Clause
// Device kernels that look at a level: the values of a frame, the largest pressure. What they find is some megabytes at most, so that a level of
// gigabytes need not come to the host.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/look_arguments.hpp"

#include <limits>

namespace conoid::acoustic_fd {

/// A thread a value. Limited by the 32 bytes that memory gives at a time where the steps are wide.
template <class T>
__global__ void gather(GatherArguments<T> t) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * look_threads + static_cast<int>(threadIdx.x);
  if (n >= t.count) return;
  const std::int64_t row = n / t.nz, z = n - row * t.nz, x = row / t.ny, y = row - x * t.ny;
  t.to[n] = t.from[x * t.step_x + y * t.step_y + z * t.step_z];
}

/// A block has look_rows rows of a plane, a warp one of them at a time. Limited by memory, one value a cell.
template <class T>
__global__ void largest(LargestArguments<T> t) {
  __shared__ T found[look_threads];
  constexpr T infinite = std::numeric_limits<T>::infinity();
  const int id = static_cast<int>(threadIdx.x), lane = id % 32, group = static_cast<int>(blockIdx.x) % t.groups,
            end = (group + 1) * look_rows < t.ny ? (group + 1) * look_rows : t.ny;
  const T* const plane = t.from + static_cast<int>(blockIdx.x) / t.groups * t.stride_x;
  T most = 0, odd = 0;  // v − v is zero, or no number where v is not finite
  for (int y = group * look_rows + id / 32; y < end; y += look_threads / 32) {
    const T* const row = plane + y * t.stride_y;
    for (int z = lane; z < t.nz; z += 32) {
      const T v = row[z] < 0 ? -row[z] : row[z];
      most = v > most ? v : most;
      odd += v - v;
    }
  }
  found[id] = odd == 0 ? most : infinite;
  __syncthreads();
  for (int half = look_threads / 2; half > 0; half /= 2) {
    if (id < half && found[id + half] > found[id]) found[id] = found[id + half];
    __syncthreads();
  }
  if (id == 0) t.most[blockIdx.x] = found[0];
}

static const RegisterKernel gather_kernel("acoustic-fd/gather", gather<float>);
static const RegisterKernel gather_double_kernel("acoustic-fd/gather<double>", gather<double>);
static const RegisterKernel largest_kernel("acoustic-fd/largest", largest<float>);
static const RegisterKernel largest_double_kernel("acoustic-fd/largest<double>", largest<double>);

}  // namespace conoid::acoustic_fd
