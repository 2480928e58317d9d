// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/matrix product over ragged blocks. Included by the files that instantiate it.
//
// Limited by the bandwidth of the device's memory up to n_g = 4 and by the issue of instructions beyond: each value is read
// once and meets n_g multiply-adds; of 616 instructions for 608 values at n_g = 8, 208 are multiply-adds. Pieces and past values travel to shared memory asynchronously while the piece before is
// summed. The columns of a row slide over its past values in registers: one new value a column serves n_g sums.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {

/// Keeps a value in its register: left alone, nvcc computes addresses anew at each use, and issue is what this kernel is
/// short of.
template <class T>
__device__ __forceinline__ void keep(T& value) {
#if defined(__CUDACC__)
  if constexpr (sizeof(T) == 8)
    asm volatile("" : "+l"(value));
  else
    asm volatile("" : "+r"(value));
#else
  (void)value;
#endif
}

template <class Real, int steps>
__global__ void __launch_bounds__(256) ragged(RaggedArguments a) {
  constexpr int per_lane = rows_per_lane(steps, sizeof(Real)), group_size = 32 * per_lane;
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  const int group = static_cast<int>(blockIdx.x * (blockDim.x >> 5)) + warp;
  if (group >= a.groups) return;
  const int stage_bytes = a.piece_bytes + (a.window_values * static_cast<int>(sizeof(Real)) + 15) / 16 * 16;
  int begin_of_warp = warp * ragged_stages * stage_bytes;
  keep(begin_of_warp);
  unsigned char* const mine = dynamic_shared<unsigned char>() + begin_of_warp;
  SharedAddress to_pieces = shared_address(mine + 16 * lane),
                to_windows = shared_address(mine + a.piece_bytes + static_cast<int>(sizeof(Real)) * lane);
  keep(to_pieces);
  keep(to_windows);
  const int now = static_cast<int>(a.now), ring_mask = a.ring - 1;
  const unsigned length_mask = (1U << a.length_bits) - 1U;
  // The words of a PieceHeader, in one load.
  struct Header {
    uint4 word;
    __device__ unsigned offset() const { return word.x; }
    __device__ int size() const { return static_cast<int>(word.y & 0xffffU); }
    __device__ int first() const { return static_cast<int>(word.y >> 16); }
    __device__ int span() const { return static_cast<int>(word.z & 0xffffU); }
    __device__ int longest() const { return static_cast<int>(word.z >> 16); }
    __device__ int shortest() const { return static_cast<int>(word.w & 0xffffU); }
  };

  Real sum[per_lane][steps];
#pragma unroll
  for (int r = 0; r < per_lane; ++r)
#pragma unroll
    for (int g = 0; g < steps; ++g) sum[r][g] = 0;

  const int last_slab = a.part_begin[blockIdx.y + 1];
  for (int q = a.part_begin[blockIdx.y]; q < last_slab; ++q) {
    const SlabView slab = a.slab[q];
    const uint4* const headers =
        reinterpret_cast<const uint4*>(slab.headers) + static_cast<std::int64_t>(group) * slab.slices;
    const Real* const past = static_cast<const Real*>(a.past) + static_cast<std::int64_t>(slab.first_slice) * a.ring;

    const auto fetch = [&](const Header& h, int slice, int stage) {
      const unsigned char* from = slab.pieces + 16 * static_cast<std::int64_t>(h.offset()) + 16 * lane;
      SharedAddress to = to_pieces + stage;
      keep(from);
      keep(to);
      int left = h.size() - lane;
      keep(left);
#pragma unroll
      for (int k = 0; k < 6; ++k)
        if (left > 32 * k) copy_async<16>(to + 512 * k, from + 512 * k);
#pragma unroll 1
      for (int k = 6; left > 32 * k; ++k) copy_async<16>(to + 512 * k, from + 512 * k);
      SharedAddress window = to_windows + stage;
      const Real* series = past + static_cast<std::int64_t>(slice) * a.ring;
      keep(window);
      keep(series);
      const int oldest = now - h.first() - h.span() + lane, values = h.span() + steps - lane;
      constexpr int line = 32 * static_cast<int>(sizeof(Real));
      if (values > 0) copy_async<sizeof(Real)>(window, series + (oldest & ring_mask));
      if (values > 32) copy_async<sizeof(Real)>(window + line, series + ((oldest + 32) & ring_mask));
#pragma unroll 1
      for (int k = 2; values > 32 * k; ++k)
        copy_async<sizeof(Real)>(window + line * k, series + ((oldest + 32 * k) & ring_mask));
      __pipeline_commit();
    };

    Header next{__ldg(headers + slab.begin)}, after = next;
    if (slab.begin + 1 < slab.end) after = Header{__ldg(headers + slab.begin + 1)};
    fetch(next, slab.begin, 0);
    int at = 0;
    for (int slice = slab.begin; slice < slab.end; ++slice) {
      const Header h = next;
      const unsigned char* const piece = mine + at;
      at = stage_bytes - at;
      if (slice + 1 < slab.end) {
        next = after;
        fetch(next, slice + 1, at);
        if (slice + 2 < slab.end) after = Header{__ldg(headers + slice + 2)};
        __pipeline_wait_prior(1);
      } else {
        __pipeline_wait_prior(0);
      }
      __syncwarp();

      // window[i] is past[i − first − span]; newest[r][g] is past[g − start] of row r.
      const Real* const window = reinterpret_cast<const Real*>(piece + a.piece_bytes) + h.span();
      const Real* values = reinterpret_cast<const Real*>(piece + (a.wide_marks != 0 ? 4 : 2) * group_size);
      const int longest = h.longest(), common = h.shortest();
      int length[per_lane];
      const Real *newest[per_lane], *rest[per_lane];
#pragma unroll
      for (int r = 0; r < per_lane; ++r) {
        const unsigned mark = a.wide_marks != 0 ? reinterpret_cast<const std::uint32_t*>(piece)[32 * r + lane]
                                                : reinterpret_cast<const std::uint16_t*>(piece)[32 * r + lane];
        length[r] = static_cast<int>(mark & length_mask);
        newest[r] = window - (mark >> a.length_bits);
      }
      {
        // Where the rests begin: sums over the rows before, both rows of a lane in one word.
        unsigned own = static_cast<unsigned>(length[0] - common);
        if constexpr (per_lane == 2) own |= static_cast<unsigned>(length[per_lane - 1] - common) << 16;
        unsigned upto = own;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
          const unsigned before = __shfl_up_sync(0xffffffffU, upto, step);
          if (lane >= step) upto += before;
        }
        const Real* const rests = values + common * group_size - common;
        rest[0] = rests + ((upto - own) & 0xffffU);
        if constexpr (per_lane == 2)
          rest[per_lane - 1] = rests + (__shfl_sync(0xffffffffU, upto, 31) & 0xffffU) + ((upto - own) >> 16);
      }
      values += lane;

      Real w[per_lane][steps];  // column d: past[g − start − d] lies in w[(g − d) mod n_g]
#pragma unroll
      for (int r = 0; r < per_lane; ++r)
#pragma unroll
        for (int g = 1; g < steps; ++g) w[r][g] = newest[r][g];
      constexpr int unrolled = steps < 8 ? 8 : steps;
      const auto multiply = [&](int k, const Real* v) {
#pragma unroll
        for (int r = 0; r < per_lane; ++r)
#pragma unroll
          for (int g = 0; g < steps; ++g) sum[r][g] += v[r] * w[r][(g + steps - k % steps) % steps];
      };
      const auto common_column = [&](int k) {
        Real v[per_lane];
#pragma unroll
        for (int r = 0; r < per_lane; ++r) {
          v[r] = values[k * group_size + 32 * r];
          w[r][(steps - k % steps) % steps] = newest[r][-k];
        }
        multiply(k, v);
      };
      const auto ragged_column = [&](int k, int c) {
        Real v[per_lane];
#pragma unroll
        for (int r = 0; r < per_lane; ++r) {
          const bool here = c < length[r];
          v[r] = here ? rest[r][k] : Real{0};
          w[r][(steps - k % steps) % steps] = here ? newest[r][-k] : Real{0};
        }
        multiply(k, v);
      };
      for (int c0 = 0; c0 < longest; c0 += unrolled) {
        bool over = false;
        // Four common columns at a time need one question only.
#pragma unroll
        for (int k0 = 0; k0 < unrolled; k0 += 4) {
          if (c0 + k0 + 4 <= common) {
#pragma unroll
            for (int k = k0; k < k0 + 4; ++k) common_column(k);
          } else {
#pragma unroll
            for (int k = k0; k < k0 + 4; ++k) {
              if (c0 + k >= longest) {
                over = true;
                break;
              }
              if (c0 + k < common)
                common_column(k);
              else
                ragged_column(k, c0 + k);
            }
            if (over) break;
          }
        }
        values += unrolled * group_size;
#pragma unroll
        for (int r = 0; r < per_lane; ++r) {
          newest[r] -= unrolled;
          rest[r] += unrolled;
        }
      }
      __syncwarp();  // the stage may be filled again
    }
  }

#pragma unroll
  for (int r = 0; r < per_lane; ++r) {
    const int row = group * group_size + 32 * r + lane;
    if (row >= a.rows) continue;
    Real* const out = static_cast<Real*>(a.partial) + static_cast<std::int64_t>(blockIdx.y) * steps * a.rows + row;
#pragma unroll
    for (int g = 0; g < steps; ++g) out[static_cast<std::int64_t>(g) * a.rows] = sum[r][g];
  }
}

}  // namespace conoid::acoustic_bem
