// SPDX-License-Identifier: BSD-3-Clause
// Radiation on a device: fused kernels that never store the operator, panels of the operator, near blocks.
//
// A thread owns a row; sources go through shared memory and are read by all threads of a warp at one address. Bound: instructions of
// double precision (radiation_body.hpp). Sums over blocks of sources are kept apart and added in one order, so that results repeat.
#include "engine/solvers/maxwell_fem/cuda/radiation_body.hpp"

namespace conoid::maxwell_fem {

template <int columns>
__global__ void __launch_bounds__(radiation_threads) radiation_fused(FusedArguments a) {
  constexpr int width = radiation_point + 8 * columns;
  double* const shared = dynamic_shared<double>();
  const int thread = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x) * radiation_threads + thread;
  const DeviceRow p = device_row(a.surfaces, a.first + min(row, a.rows - 1));
  const int sources = a.surfaces.sources, begin = static_cast<int>(blockIdx.y) * a.sources_a_block,
            end = min(begin + a.sources_a_block, sources);
  const double k = a.surfaces.k, inverse_k = 1.0 / k;
  const double* const f = reinterpret_cast<const double*>(a.f);
  double plus_re[columns], plus_im[columns], minus_re[columns], minus_im[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) plus_re[c] = plus_im[c] = minus_re[c] = minus_im[c] = 0;
  for (int from = begin; from < end; from += radiation_tile) {
    const int some = min(radiation_tile, end - from);
    __syncthreads();
    load_sources(a.surfaces, from, some, shared, width);
#pragma unroll
    for (int half = 0; half < 2 * columns; ++half)  // of column half / 2
      for (int i = thread; i < 4 * some; i += radiation_threads)
        shared[i / 4 * width + radiation_point + 4 * half + i % 4] =
            f[4 * (static_cast<long long>(half) * sources + from) + i];
    __syncthreads();
    for (int q = 0; q < some; ++q) {
      const double* const source = shared + q * width;
      const DevicePair pair = device_pair(p, source, k, inverse_k);
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        const double* const m = source + radiation_point + 8 * c;
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const double mr = m[2 * j], mi = m[2 * j + 1], ur = m[4 + 2 * j], ui = m[5 + 2 * j];
          plus_re[c] += pair.plus_re[j] * mr;
          plus_im[c] += pair.plus_im[j] * mr;
          minus_re[c] += pair.minus_re[j] * ur;
          minus_im[c] += pair.minus_im[j] * ur;
          plus_re[c] -= pair.plus_im[j] * mi;
          plus_im[c] += pair.plus_re[j] * mi;
          minus_re[c] -= pair.minus_im[j] * ui;
          minus_im[c] += pair.minus_re[j] * ui;
        }
      }
    }
  }
  if (row >= a.rows) return;
  DeviceComplex* const to = a.partial + static_cast<long long>(blockIdx.y) * 2 * columns * a.rows + row;
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    to[static_cast<long long>(2 * c) * a.rows] = {plus_re[c], plus_im[c]};
    to[static_cast<long long>(2 * c + 1) * a.rows] = {minus_re[c], minus_im[c]};
  }
}

__global__ void __launch_bounds__(radiation_threads) radiation_operator(OperatorArguments a) {
  double* const shared = dynamic_shared<double>();
  const int thread = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x) * radiation_threads + thread,
            at = a.first + min(row, a.rows - 1);
  const DeviceRow p = device_row(a.surfaces, at);
  const double scale = a.scale[at];
  const int sources = a.surfaces.sources, begin = static_cast<int>(blockIdx.y) * a.sources_a_block,
            end = min(begin + a.sources_a_block, sources);
  const double k = a.surfaces.k, inverse_k = 1.0 / k;
  const long long half = 2LL * sources * a.rows;
  for (int from = begin; from < end; from += radiation_tile) {
    const int some = min(radiation_tile, end - from);
    __syncthreads();
    load_sources(a.surfaces, from, some, shared, radiation_point);
    __syncthreads();
    if (row >= a.rows) continue;
    DeviceComplex* to = a.panel + 2LL * from * a.rows + row;
    for (int q = 0; q < some; ++q) {
      const DevicePair pair = device_pair(p, shared + q * radiation_point, k, inverse_k);
#pragma unroll
      for (int j = 0; j < 2; ++j, to += a.rows) {
        to[0] = {scale * pair.plus_re[j], scale * pair.plus_im[j]};
        to[half] = {scale * pair.minus_re[j], scale * pair.minus_im[j]};
      }
    }
  }
}

/// A block a row, a warp a column.
__global__ void near_sums(NearArguments a) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.y),
            lane = static_cast<int>(threadIdx.x);
  const int begin = a.start[a.first + row], entries = near_entries * (a.start[a.first + row + 1] - begin);
  const DeviceComplex* const f = a.f + 4LL * column * a.sources;
  double plus_re = 0, plus_im = 0, minus_re = 0, minus_im = 0;
  for (int e = lane; e < entries; e += 32) {
    const int block = begin + e / near_entries, i = e % near_entries;
    const DeviceComplex up = a.blocks[2LL * near_entries * block + i],
                        down = a.blocks[2LL * near_entries * block + near_entries + i];
    const long long at = static_cast<long long>(near_entries) * a.face[block] + i;
    const DeviceComplex m = f[at], u = f[2LL * a.sources + at];
    plus_re += up.re * m.re - up.im * m.im;
    plus_im += up.re * m.im + up.im * m.re;
    minus_re += down.re * u.re - down.im * u.im;
    minus_im += down.re * u.im + down.im * u.re;
  }
  for (int half = 16; half > 0; half /= 2) {
    plus_re += __shfl_down_sync(0xffffffffU, plus_re, half);
    plus_im += __shfl_down_sync(0xffffffffU, plus_im, half);
    minus_re += __shfl_down_sync(0xffffffffU, minus_re, half);
    minus_im += __shfl_down_sync(0xffffffffU, minus_im, half);
  }
  if (lane != 0) return;
  a.sums[2LL * column * a.rows + row] = {plus_re, plus_im};
  a.sums[(2LL * column + 1) * a.rows + row] = {minus_re, minus_im};
}

/// A warp a row: faces of a row's blocks differ, so that no two threads add to one place.
__global__ void near_panel(NearArguments a) {
  const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  if (row >= a.rows) return;
  const int begin = a.start[a.first + row], entries = near_entries * (a.start[a.first + row + 1] - begin);
  const double scale = a.scale[a.first + row];
  const long long half = 2LL * a.sources * a.rows;
  for (int e = static_cast<int>(threadIdx.x); e < entries; e += 32) {
    const int block = begin + e / near_entries, i = e % near_entries;
    const DeviceComplex up = a.blocks[2LL * near_entries * block + i],
                        down = a.blocks[2LL * near_entries * block + near_entries + i];
    DeviceComplex* const to = a.panel + (static_cast<long long>(near_entries) * a.face[block] + i) * a.rows + row;
    to[0] = {to[0].re + scale * up.re, to[0].im + scale * up.im};
    to[half] = {to[half].re + scale * down.re, to[half].im + scale * down.im};
  }
}

__global__ void radiation_finish(FinishArguments a) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= a.rows) return;
  const long long at = static_cast<long long>(blockIdx.y) * a.rows + row,
                  stride = static_cast<long long>(a.values) * a.rows;
  DeviceComplex sum = a.psi[at];
  for (int part = 0; part < a.parts; ++part) {
    const DeviceComplex more = a.partial[part * stride + at];
    sum.re += more.re;
    sum.im += more.im;
  }
  const double scale = a.scale[a.first + row];
  a.psi[at] = {scale * sum.re, scale * sum.im};
}

static const RegisterKernel fused_1("maxwell-fem/fused<1>", radiation_fused<1>);
static const RegisterKernel fused_2("maxwell-fem/fused<2>", radiation_fused<2>);
static const RegisterKernel fused_4("maxwell-fem/fused<4>", radiation_fused<4>);
static const RegisterKernel fused_8("maxwell-fem/fused<8>", radiation_fused<8>);
static const RegisterKernel operator_kernel("maxwell-fem/operator", radiation_operator);
static const RegisterKernel near_sums_kernel("maxwell-fem/near-sums", near_sums);
static const RegisterKernel near_panel_kernel("maxwell-fem/near-panel", near_panel);
static const RegisterKernel finish_kernel("maxwell-fem/finish", radiation_finish);

}  // namespace conoid::maxwell_fem
