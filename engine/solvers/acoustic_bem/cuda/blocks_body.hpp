// SPDX-License-Identifier: BSD-3-Clause
// The two cut-outs of Bramas et al. 2015, §5, as published: blocks padded with zeros, their width b_c known when they are
// compiled. Baselines of the ragged blocks, and what `conoid bench acoustic-bem` measures beside them.
//
// Both hold n_g sums a row in registers and past values in shared memory; both are limited by the memory's bandwidth, of
// which the zeros take their share.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {

/// Σ over the columns of one row of a block: value(c) meets past[g − start − c], c < columns. `newest` points at
/// past[−start] in shared memory.
template <class Real, int steps, int columns, class Value>
__device__ __forceinline__ void add_row(const Value& value, const Real* newest, Real* sum) {
  Real w[steps];
#pragma unroll
  for (int g = 1; g < steps; ++g) w[g] = newest[g];
  constexpr int unrolled = columns < 16 ? columns : 16;
  static_assert(columns % unrolled == 0 && unrolled % steps == 0, "whole rounds of the window");
#pragma unroll 1
  for (int c0 = 0; c0 < columns; c0 += unrolled) {
    Real v[unrolled];
#pragma unroll
    for (int k = 0; k < unrolled; ++k) v[k] = value(c0 + k);
#pragma unroll
    for (int k = 0; k < unrolled; ++k) {
      w[(steps - k % steps) % steps] = newest[-(c0 + k)];
#pragma unroll
      for (int g = 0; g < steps; ++g) sum[g] += v[k] * w[(g + steps - k % steps) % steps];
    }
  }
}

/// Full-Blocking: all rows of a block share b_c + n_g − 1 past values. blockDim.x = b_r; the sums of a part are added to
/// in memory, as its blocks lie at different rows.
template <class Real, int steps, int columns>
__global__ void full_blocks(FullBlockArguments a) {
  __shared__ Real window[columns + steps];
  const int rows_of_block = static_cast<int>(blockDim.x), t = static_cast<int>(threadIdx.x);
  Real* const sums = static_cast<Real*>(a.sums) + static_cast<std::int64_t>(blockIdx.x) * steps * a.rows;
  for (int p = a.part_begin[blockIdx.x]; p < a.part_begin[blockIdx.x + 1]; ++p) {
    const BlockPlaceOnDevice place = a.place[p];
    // window[i] is past[i − column − (b_c − 1)].
    const Real* const series = static_cast<const Real*>(a.past) + static_cast<std::int64_t>(place.slice) * a.ring;
    for (int i = t; i < columns + steps - 1; i += rows_of_block)
      window[i] = series[(a.now - place.column - (columns - 1) + i) & (a.ring - 1)];
    __syncthreads();
    const int row = place.row + t;
    if (row < a.rows) {
      Real sum[steps];
#pragma unroll
      for (int g = 0; g < steps; ++g) sum[g] = sums[static_cast<std::int64_t>(g) * a.rows + row];
      const Real* const values =
          static_cast<const Real*>(a.values) + static_cast<std::int64_t>(p) * rows_of_block * columns + t;
      add_row<Real, steps, columns>([&](int c) { return __ldcs(values + c * rows_of_block); }, window + columns - 1,
                                    sum);
#pragma unroll
      for (int g = 0; g < steps; ++g) sums[static_cast<std::int64_t>(g) * a.rows + row] = sum[g];
    }
    __syncthreads();
  }
}

/// Contiguous-Blocking: the past of a whole slice, K_max + n_g values, in (dynamic) shared memory; rows start where they
/// like. A thread keeps its row's sums through the slices of its part. Grid: rows / blockDim.x, parts.
template <class Real, int steps, int columns>
__global__ void contiguous_blocks(ContiguousArguments a) {
  Real* const window = dynamic_shared<Real>();
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), reach = a.columns + columns;
  Real sum[steps];
#pragma unroll
  for (int g = 0; g < steps; ++g) sum[g] = 0;
  for (int j = a.part_begin[blockIdx.y]; j < a.part_begin[blockIdx.y + 1]; ++j) {
    // window[i] is past[i − reach].
    const Real* const series = static_cast<const Real*>(a.past) + static_cast<std::int64_t>(j) * a.ring;
    for (int i = static_cast<int>(threadIdx.x); i < reach + steps; i += static_cast<int>(blockDim.x))
      window[i] = series[(a.now - reach + i) & (a.ring - 1)];
    __syncthreads();
    if (row < a.rows) {
      const std::int64_t slice = static_cast<std::int64_t>(j) * a.rows;
      const int start = a.start[slice + row];
      const Real* const values = static_cast<const Real*>(a.values) + slice * columns + row;
      add_row<Real, steps, columns>([&](int c) { return __ldcs(values + static_cast<std::int64_t>(c) * a.rows); },
                                    window + reach - start, sum);
    }
    __syncthreads();
  }
  if (row < a.rows) {
    Real* const out = static_cast<Real*>(a.partial) + static_cast<std::int64_t>(blockIdx.y) * steps * a.rows + row;
#pragma unroll
    for (int g = 0; g < steps; ++g) out[static_cast<std::int64_t>(g) * a.rows] = sum[g];
  }
}

}  // namespace conoid::acoustic_bem
