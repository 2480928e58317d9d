// SPDX-License-Identifier: BSD-3-Clause
// Passes over big matrices of a device; limited by its memory.
#include "engine/team/kernel.hpp"

#include "engine/linalg/cuda/dense_arguments.hpp"

namespace conoid::dense {

__global__ void narrow(NarrowArguments a) {
  const long long all = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < a.count; k += all)
    a.to[k] = static_cast<float>(a.from[k]);
}

template <class Real>
__global__ void column_norms(ColumnNormArguments<Real> a) {
  __shared__ double parts[norm_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const Real* const column = a.matrix + 2 * a.n * static_cast<long long>(blockIdx.x);
  double sum = 0;
  for (long long i = thread; i < a.n; i += norm_threads) {
    const double re = static_cast<double>(column[2 * i]), im = static_cast<double>(column[2 * i + 1]);
    sum += sqrt(re * re + im * im);
  }
  parts[thread] = sum;
  __syncthreads();
  for (int half = norm_threads / 2; half > 0; half /= 2) {
    if (thread < half) parts[thread] += parts[thread + half];
    __syncthreads();
  }
  if (thread == 0) a.norms[blockIdx.x] = parts[0];
}

template <class Real>
__global__ void swap_rows(SwapArguments<Real> a) {
  const long long column = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= a.columns) return;
  Real* const values = a.matrix + 2 * a.leading * column;
  for (long long k = 0; k < a.count; ++k) {
    const long long other = a.pivots[k] - 1;
    if (other == k) continue;
    const Real re = values[2 * k], im = values[2 * k + 1];
    values[2 * k] = values[2 * other];
    values[2 * k + 1] = values[2 * other + 1];
    values[2 * other] = re;
    values[2 * other + 1] = im;
  }
}

static const RegisterKernel narrow_kernel("linalg/narrow", narrow);
static const RegisterKernel norms_float("linalg/column_norms<float>", column_norms<float>);
static const RegisterKernel norms_double("linalg/column_norms<double>", column_norms<double>);
static const RegisterKernel swap_float("linalg/swap_rows<float>", swap_rows<float>);
static const RegisterKernel swap_double("linalg/swap_rows<double>", swap_rows<double>);

}  // namespace conoid::dense
