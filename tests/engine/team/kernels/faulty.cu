// SPDX-License-Identifier: BSD-3-Clause
// Kernels that are wrong on purpose, each in one way that the checked mode must name. The lines that tests expect in
// messages carry a comment with their name.
#include "engine/team/kernel.hpp"
#include "tests/engine/team/kernels/arguments.hpp"

namespace conoid::device_test {

__global__ void out_of_bounds(ScaleArguments a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  a.y[i] = a.factor * a.x[i];  // place: bounds
}
static const RegisterKernel out_of_bounds_kernel("test/out_of_bounds", out_of_bounds);

__global__ void missing_barrier(ScaleArguments a) {
  __shared__ float s[64];
  const int t = static_cast<int>(threadIdx.x);
  s[t] = a.x[t];             // place: race-write
  a.y[t] = s[(t + 1) % 64];  // place: race-read
}
static const RegisterKernel missing_barrier_kernel("test/missing_barrier", missing_barrier);

/// Reads the neighbour, then overwrites the own value too early.
__global__ void early_overwrite(ScaleArguments a) {
  float* const s = dynamic_shared<float>();
  const int t = static_cast<int>(threadIdx.x);
  s[t] = a.x[t];
  __syncthreads();
  const float v = s[(t + 63) % 64];  // place: read-before
  s[t] = 2 * v;                      // place: overwrite
  __syncthreads();
  a.y[t] = s[t];
}
static const RegisterKernel early_overwrite_kernel("test/early_overwrite", early_overwrite);

__global__ void writes_half(ScaleArguments a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < a.count / 2) a.y[i] = a.factor * a.x[i];
}
static const RegisterKernel writes_half_kernel("test/writes_half", writes_half);

__global__ void reads_unwritten_shared(ScaleArguments a) {
  __shared__ float s[64];
  const int t = static_cast<int>(threadIdx.x);
  if (t != 17) s[t] = a.x[t];
  __syncthreads();
  a.y[t] = s[t];  // place: unwritten
}
static const RegisterKernel reads_unwritten_shared_kernel("test/reads_unwritten_shared", reads_unwritten_shared);

__global__ void static_index(ScaleArguments a) {
  __shared__ float s[64];
  const int t = static_cast<int>(threadIdx.x);
  s[t + a.count] = a.x[t];  // place: index
  __syncthreads();
  a.y[t] = s[t];
}
static const RegisterKernel static_index_kernel("test/static_index", static_index);

__global__ void dynamic_index(ScaleArguments a) {
  float* const s = dynamic_shared<float>();
  const int t = static_cast<int>(threadIdx.x);
  s[t] = a.x[t];  // place: dynamic
  a.y[t] = s[t];
}
static const RegisterKernel dynamic_index_kernel("test/dynamic_index", dynamic_index);

__global__ void blocks_share(ScaleArguments a) {
  if (threadIdx.x == 0) a.y[0] = static_cast<float>(blockIdx.x);  // place: blocks
}
static const RegisterKernel blocks_share_kernel("test/blocks_share", blocks_share);

__global__ void split_barrier(ScaleArguments a) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  a.y[threadIdx.x] = 1;
}
static const RegisterKernel split_barrier_kernel("test/split_barrier", split_barrier);

__global__ void half_warp_waits(ScaleArguments a) {
  if (threadIdx.x < 16) a.y[threadIdx.x] = __shfl_sync(0xffffffffU, a.x[threadIdx.x], 0);
  __syncthreads();
}
static const RegisterKernel half_warp_waits_kernel("test/half_warp_waits", half_warp_waits);

__global__ void forgets_to_wait(ScaleArguments a) {
  float* const s = dynamic_shared<float>();
  const int t = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(s + t, a.x + t, sizeof(float));
  __pipeline_commit();
  a.y[t] = s[t];  // place: too-early
  __pipeline_wait_prior(0);
}
static const RegisterKernel forgets_to_wait_kernel("test/forgets_to_wait", forgets_to_wait);

}  // namespace conoid::device_test
