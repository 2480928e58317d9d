// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/matrix product over ragged blocks. Included by the files that instantiate it.
//
// Limited by the bandwidth of the device's memory, and nearly as much by the issue of instructions: each value is read once
// and meets n_g multiply-adds. Pieces and past values travel to shared memory asynchronously while the piece before is
// summed. The columns of a row slide over its past values in registers: one new value a column serves n_g sums.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {

template <class Real, int steps>
__global__ void __launch_bounds__(256) ragged(RaggedArguments a) {
  constexpr int per_lane = rows_per_lane(steps), group_size = 32 * per_lane;
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  const int group = static_cast<int>(blockIdx.x * (blockDim.x >> 5)) + warp;
  if (group >= a.groups) return;
  const int stage_bytes = a.piece_bytes + (a.window_values * static_cast<int>(sizeof(Real)) + 15) / 16 * 16;
  unsigned char* const mine = dynamic_shared<unsigned char>() + warp * ragged_stages * stage_bytes;
  const int now = static_cast<int>(a.now), ring_mask = a.ring - 1;

  Real sum[per_lane][steps];
#pragma unroll
  for (int r = 0; r < per_lane; ++r)
#pragma unroll
    for (int g = 0; g < steps; ++g) sum[r][g] = 0;

  const int last_slab = a.part_begin[blockIdx.y + 1];
  for (int q = a.part_begin[blockIdx.y]; q < last_slab; ++q) {
    const SlabView slab = a.slab[q];
    const PieceHeader* const headers = slab.headers + static_cast<std::int64_t>(group) * slab.slices;
    const Real* const past = static_cast<const Real*>(a.past) + static_cast<std::int64_t>(slab.first_slice) * a.ring;

    const auto fetch = [&](const PieceHeader& h, int slice, unsigned char* stage) {
      const unsigned char* const from = slab.pieces + 16 * static_cast<std::int64_t>(h.offset) + 16 * lane;
      unsigned char* const to = stage + 16 * lane;
      const int left = h.size - lane;
#pragma unroll
      for (int k = 0; k < 6; ++k)
        if (left > 32 * k) __pipeline_memcpy_async(to + 512 * k, from + 512 * k, 16);
      for (int k = 6; left > 32 * k; ++k) __pipeline_memcpy_async(to + 512 * k, from + 512 * k, 16);
      Real* const window = reinterpret_cast<Real*>(stage + a.piece_bytes);
      const Real* const series = past + static_cast<std::int64_t>(slice) * a.ring;
      const int oldest = now - h.first - h.span, values = h.span + steps;
      for (int i = lane; i < values; i += 32)
        __pipeline_memcpy_async(window + i, series + ((oldest + i) & ring_mask), sizeof(Real));
      __pipeline_commit();
    };

    PieceHeader next = headers[slab.begin], after = next;
    if (slab.begin + 1 < slab.end) after = headers[slab.begin + 1];
    fetch(next, slab.begin, mine);
    int at = 0;
    for (int slice = slab.begin; slice < slab.end; ++slice) {
      const PieceHeader h = next;
      const unsigned char* const piece = mine + at;
      at = stage_bytes - at;
      if (slice + 1 < slab.end) {
        next = after;
        fetch(next, slice + 1, mine + at);
        if (slice + 2 < slab.end) after = headers[slice + 2];
        __pipeline_wait_prior(1);
      } else {
        __pipeline_wait_prior(0);
      }
      __syncwarp();

      // window[i] is past[i − first − span]; newest[r][g] is past[g − start] of row r.
      const Real* const window = reinterpret_cast<const Real*>(piece + a.piece_bytes) + h.span;
      const Real* values = reinterpret_cast<const Real*>(piece + (a.wide_marks != 0 ? 4 : 2) * group_size);
      const int longest = h.longest, common = h.shortest;
      int length[per_lane];
      const Real *newest[per_lane], *rest[per_lane];
#pragma unroll
      for (int r = 0; r < per_lane; ++r) {
        const unsigned mark = a.wide_marks != 0 ? reinterpret_cast<const std::uint32_t*>(piece)[32 * r + lane]
                                                : reinterpret_cast<const std::uint16_t*>(piece)[32 * r + lane];
        length[r] = static_cast<int>(mark & ((1U << a.length_bits) - 1U));
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
      for (int c0 = 0; c0 < longest; c0 += unrolled) {
#pragma unroll
        for (int k = 0; k < unrolled; ++k) {
          const int c = c0 + k;
          if (c >= longest) break;
          Real v[per_lane];
          if (c < common) {
#pragma unroll
            for (int r = 0; r < per_lane; ++r) {
              v[r] = values[k * group_size + 32 * r];
              w[r][(steps - k % steps) % steps] = newest[r][-k];
            }
          } else {
#pragma unroll
            for (int r = 0; r < per_lane; ++r) {
              const bool here = c < length[r];
              v[r] = here ? rest[r][k] : Real{0};
              w[r][(steps - k % steps) % steps] = here ? newest[r][-k] : Real{0};
            }
          }
#pragma unroll
          for (int r = 0; r < per_lane; ++r)
#pragma unroll
            for (int g = 0; g < steps; ++g) sum[r][g] += v[r] * w[r][(g + steps - k % steps) % steps];
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
