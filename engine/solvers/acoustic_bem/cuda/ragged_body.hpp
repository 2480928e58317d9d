// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/matrix product over ragged blocks. Included by the files that instantiate it.
//
// Limited by the bandwidth of the device's memory: each value is read once and meets n_g multiply-adds. Pieces and past
// values travel to shared memory asynchronously, `stages` pieces ahead, so that enough bytes are under way whatever the
// occupancy. The columns of a row slide over its past values in registers: one new value a column serves n_g sums.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {

template <class Real, int steps>
__global__ void __launch_bounds__(256) ragged(RaggedArguments a) {
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  const int group = static_cast<int>(blockIdx.x * (blockDim.x >> 5)) + warp;
  if (group >= a.groups) return;
  const int window_bytes = (a.window_values * static_cast<int>(sizeof(Real)) + 15) / 16 * 16;
  const int stage_bytes = a.piece_bytes + window_bytes;
  unsigned char* const mine = dynamic_shared<unsigned char>() + static_cast<std::size_t>(warp) * a.stages * stage_bytes;
  const Real* const past = static_cast<const Real*>(a.past);
  const unsigned mask_below = (1U << lane) - 1U;
  const std::int64_t ring_mask = a.ring - 1;

  Real sum[steps];
#pragma unroll
  for (int g = 0; g < steps; ++g) sum[g] = 0;

  const int last_slab = a.part_begin[blockIdx.y + 1];
  for (int q = a.part_begin[blockIdx.y]; q < last_slab; ++q) {
    const SlabView slab = a.slab[q];
    const PieceHeader* const headers = slab.headers + static_cast<std::int64_t>(group) * slab.slices;
    // Lane l holds the header of slice `held + l`; two batches, as those to be fetched run ahead of those to be summed.
    int held = slab.begin;
    PieceHeader now_held{}, next_held{};
    if (held + lane < slab.end) now_held = headers[held + lane];
    if (held + 32 + lane < slab.end) next_held = headers[held + 32 + lane];
    const auto header = [&](int slice) {
      const int k = slice - held;
      const bool next = k >= 32;
      std::uint32_t w0 = next ? next_held.offset : now_held.offset;
      std::uint32_t w1 = next ? (next_held.size | static_cast<std::uint32_t>(next_held.longest) << 16)
                              : (now_held.size | static_cast<std::uint32_t>(now_held.longest) << 16);
      std::uint32_t w2 = next ? (next_held.first | static_cast<std::uint32_t>(next_held.span) << 16)
                              : (now_held.first | static_cast<std::uint32_t>(now_held.span) << 16);
      w0 = __shfl_sync(0xffffffffU, w0, k & 31);
      w1 = __shfl_sync(0xffffffffU, w1, k & 31);
      w2 = __shfl_sync(0xffffffffU, w2, k & 31);
      PieceHeader h;
      h.offset = w0;
      h.size = static_cast<std::uint16_t>(w1 & 0xffffU);
      h.longest = static_cast<std::uint16_t>(w1 >> 16);
      h.first = static_cast<std::uint16_t>(w2 & 0xffffU);
      h.span = static_cast<std::uint16_t>(w2 >> 16);
      return h;
    };
    const auto fetch = [&](int slice, int stage) {
      if (slice < slab.end) {
        const PieceHeader h = header(slice);
        unsigned char* const to = mine + stage * stage_bytes;
        const unsigned char* const from = slab.pieces + 16 * static_cast<std::int64_t>(h.offset);
        for (int b = 16 * lane; b < 16 * h.size; b += 512) __pipeline_memcpy_async(to + b, from + b, 16);
        Real* const window = reinterpret_cast<Real*>(to + a.piece_bytes);
        const Real* const series = past + static_cast<std::int64_t>(slab.first_slice + slice) * a.ring;
        const std::int64_t oldest = a.now - h.first - h.span;
        for (int i = lane; i < h.span + steps; i += 32)
          __pipeline_memcpy_async(window + i, series + ((oldest + i) & ring_mask), sizeof(Real));
      }
      __pipeline_commit();  // an empty group keeps the count of those under way
    };

    int stage = 0, fetch_stage = 0;
    for (int s = 0; s < a.stages - 1; ++s) {
      fetch(slab.begin + s, fetch_stage);
      if (++fetch_stage == a.stages) fetch_stage = 0;
    }
    for (int slice = slab.begin; slice < slab.end; ++slice) {
      if (slice - held == 32) {
        held += 32;
        now_held = next_held;
        if (held + 32 + lane < slab.end) next_held = headers[held + 32 + lane];
      }
      fetch(slice + a.stages - 1, fetch_stage);
      if (++fetch_stage == a.stages) fetch_stage = 0;
      // Groups end in order: all but the newest (stages − 1) must be there. At most 3 are asked for, so that the count is
      // known when this is compiled.
      if (a.stages >= 4)
        __pipeline_wait_prior(3);
      else if (a.stages == 3)
        __pipeline_wait_prior(2);
      else
        __pipeline_wait_prior(1);
      __syncwarp();

      const PieceHeader h = header(slice);
      const unsigned char* const piece = mine + stage * stage_bytes;
      const Real* const window = reinterpret_cast<const Real*>(piece + a.piece_bytes);
      const unsigned mark = a.wide_marks != 0 ? reinterpret_cast<const std::uint32_t*>(piece)[lane]
                                              : reinterpret_cast<const std::uint16_t*>(piece)[lane];
      const Real* value = reinterpret_cast<const Real*>(piece + (a.wide_marks != 0 ? 4 : 2) * warp_rows);
      const int length = static_cast<int>(mark & ((1U << a.length_bits) - 1U));
      // newest[g] is past[g − start], window[i] is past[i − first − span].
      const Real* const newest = window + (h.span - static_cast<int>(mark >> a.length_bits));
      Real w[steps];  // column d: past[g − start − d] lies in w[(g − d) mod n_g]
#pragma unroll
      for (int g = 1; g < steps; ++g) w[g] = length > 0 ? newest[g] : Real{0};
      const int longest = h.longest;
      for (int c0 = 0; c0 < longest; c0 += steps < 8 ? 8 : steps) {
#pragma unroll
        for (int k = 0; k < (steps < 8 ? 8 : steps); ++k) {
          const int c = c0 + k;
          if (c >= longest) break;
          const bool here = c < length;
          const unsigned lanes = __ballot_sync(0xffffffffU, here);
          const Real v = here ? value[__popc(lanes & mask_below)] : Real{0};
          value += __popc(lanes);
          w[(steps - k % steps) % steps] = here ? newest[-c] : Real{0};
#pragma unroll
          for (int g = 0; g < steps; ++g) sum[g] += v * w[(g + steps - k % steps) % steps];
        }
      }
      __syncwarp();  // the stage may be filled again
      if (++stage == a.stages) stage = 0;
    }
    __pipeline_wait_prior(0);
    __syncwarp();
  }

  const int row = group * warp_rows + lane;
  if (row < a.rows) {
    Real* const out = static_cast<Real*>(a.partial) + static_cast<std::int64_t>(blockIdx.y) * steps * a.rows + row;
#pragma unroll
    for (int g = 0; g < steps; ++g) out[static_cast<std::int64_t>(g) * a.rows] = sum[g];
  }
}

}  // namespace conoid::acoustic_bem
