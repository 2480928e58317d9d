// SPDX-License-Identifier: BSD-3-Clause
// Kernels that use each part of CUDA's model once.
#include "engine/team/kernel.hpp"
#include "tests/engine/team/kernels/arguments.hpp"

namespace conoid::device_test {

__global__ void scale(ScaleArguments a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < a.count) a.y[i] = a.factor * a.x[i];
}
static const RegisterKernel scale_kernel("test/scale", scale);

/// A tree in static shared memory.
template <int threads>
__global__ void tree_sum(SumArguments a) {
  __shared__ double partial[threads];
  const int t = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x) * threads + t;
  partial[t] = i < a.count ? a.x[i] : 0.0;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  if (t == 0) a.sums[blockIdx.x] = partial[0];
}
static const RegisterKernel tree_sum_kernel("test/tree_sum<128>", tree_sum<128>);

/// Warps add by shuffles, their sums by dynamic shared memory.
__global__ void shuffle_sum(SumArguments a) {
  double* const of_warp = dynamic_shared<double>();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  double v = i < a.count ? a.x[i] : 0.0;
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffffU, v, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warp[w];
    a.sums[blockIdx.x] = sum;
  }
}
static const RegisterKernel shuffle_sum_kernel("test/shuffle_sum", shuffle_sum);

}  // namespace conoid::device_test
