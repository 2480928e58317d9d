// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/matrix product over ragged blocks. Included by the files that instantiate it.
//
// Each value is read once and meets n_g multiply-adds. Pieces and past values travel to shared memory by bulk copies while the
// piece before is summed. The columns of a row slide over its past values in registers: one new value a column serves n_g sums.
// The issue of instructions is what this kernel is short of at n_g = 8, so nothing is worked out that a mark or a header can say,
// and columns go two at a time with their loads ahead of the products.
#pragma once

#include <utility>

#include "engine/team/kernel.hpp"
#include "engine/team/warp_copies.hpp"

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {

/// What all lanes of a warp hold alike, and so that the compiler knows it.
template <class T>
__device__ __forceinline__ T same_in_warp(T v) {
  return __shfl_sync(0xffffffffU, v, 0);
}

template <int n>
struct Number {
  static constexpr int value = n;
};

/// The words of a PieceHeader, in one load.
struct HeaderWords {
  uint4 word{};
  __device__ unsigned offset() const { return word.x; }
  __device__ unsigned bytes() const { return 16U * (word.y & 0xffffU); }
  __device__ unsigned window_bytes() const { return 16U * (word.y >> 16); }
  __device__ int reach() const { return static_cast<int>(word.z & 0xffffU); }
};

/// The values of a lane's rows in one column.
template <class Real, int per_lane>
struct alignas(sizeof(Real) * per_lane) LaneValues {
  Real row[per_lane];
};

/// Goes through the pieces of a job in the order in which they are asked for. `thrifty`: what can be had again is not kept, for
/// groups of steps whose sums and past values leave no registers for it.
template <class Real, bool thrifty>
struct PieceQueue {
  const RaggedArguments& a;
  int job;
  int slice;        ///< the slice that comes next when this slab's are done
  int group, last;  ///< of the job; last: the slice behind it
  int left = 0;     ///< of this slab
  int slab = 0;
  const uint4* header = nullptr;
  const unsigned char* pieces = nullptr;
  const Real* past = nullptr;

  __device__ __forceinline__ PieceQueue(const RaggedArguments& arguments, int number) : a(arguments), job(number) {
    if constexpr (!thrifty) group = same_in_warp(a.job[job].group);
    slice = same_in_warp(a.job[job].begin);
    if constexpr (!thrifty) last = same_in_warp(a.job[job].end);
  }

  /// The header of the next piece; false if there is none.
  __device__ __forceinline__ bool next(HeaderWords& h) {
    if (left == 0) {
      if constexpr (thrifty) last = same_in_warp(a.job[job].end), group = same_in_warp(a.job[job].group);
      if (slice >= last) return false;
      slab = slice / a.slab_slices;
      const SlabView view = a.slab[slab];
      const int at = slice - view.first_slice, end = last - view.first_slice;
      left = same_in_warp((end < view.slices ? end : view.slices) - at);
      header = reinterpret_cast<const uint4*>(view.headers) + static_cast<std::int64_t>(group) * view.slices + at;
      pieces = view.pieces;
      past = past_of(slice);
      slice += left;
    } else {
      past += a.stride;
    }
    --left;
    h.word = __ldg(header++);
    return true;
  }
  /// Where the piece lies whose header was given last, and the past values of its unknown.
  [[nodiscard]] __device__ __forceinline__ const unsigned char* piece(unsigned offset) const {
    return (thrifty ? a.slab[slab].pieces : pieces) + 16 * static_cast<std::int64_t>(offset);
  }
  [[nodiscard]] __device__ __forceinline__ const Real* past_values() const {
    return thrifty ? past_of(slice - left - 1) : past;
  }

 private:
  [[nodiscard]] __device__ __forceinline__ const Real* past_of(int j) const {
    return static_cast<const Real*>(a.past) + static_cast<std::int64_t>(j) * a.stride;
  }
};

template <class Real, int steps>
__global__ void __launch_bounds__(32 * ragged_warps, ragged_blocks(steps, sizeof(Real))) ragged(RaggedArguments a) {
  constexpr int per_lane = rows_per_lane(steps, sizeof(Real)), group_size = 32 * per_lane;
  constexpr int unit = 16 / static_cast<int>(sizeof(Real));  // values of 16 bytes
  constexpr bool thrifty = steps >= 16;
  using Lane = LaneValues<Real, per_lane>;
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = same_in_warp(static_cast<int>(threadIdx.x) >> 5);
  const int number = static_cast<int>(blockIdx.x * (blockDim.x >> 5)) + warp;
  if (number >= a.warps) return;
  const int stage_bytes = a.piece_bytes + a.window_bytes;
  unsigned char* const mine = dynamic_shared<unsigned char>() + warp * ragged_shared(a.piece_bytes, a.window_bytes);
  const SharedAddress barriers = shared_address(mine), stages = barriers + ragged_stages * WarpCopies::bytes;
  const unsigned char* const here = mine + ragged_stages * WarpCopies::bytes;
  WarpCopies::prepare<ragged_stages>(barriers, lane);
  const int now = static_cast<int>(a.now), ring_mask = a.ring - 1;

  int stage = 0;
  unsigned parity = 0;
  int last_job = same_in_warp(a.job_begin[number + 1]);
  for (int job = same_in_warp(a.job_begin[number]); job < last_job; ++job) {
    Real sum[per_lane][steps];
#pragma unroll
    for (int r = 0; r < per_lane; ++r)
#pragma unroll
      for (int g = 0; g < steps; ++g) sum[r][g] = 0;

    PieceQueue<Real, thrifty> queue(a, job);
    HeaderWords h, next;
    bool more = queue.next(next);
    const auto ask = [&](int stage) __attribute__((always_inline)) {
      const SharedAddress barrier = barriers + stage * WarpCopies::bytes, to = stages + stage * stage_bytes;
      const unsigned bytes = next.bytes(), window = next.window_bytes();
      WarpCopies::begin(lane, barrier, bytes + window);
      WarpCopies::copy(lane, barrier, to, queue.piece(next.offset()), bytes);
      WarpCopies::copy(lane, barrier, to + a.piece_bytes,
                       queue.past_values() + ((now - next.reach()) & ring_mask & ~(unit - 1)), window);
      WarpCopies::end();
      h = next;
      more = queue.next(next);
    };

    bool any = more;
    if (any) ask(stage);
    while (any) {
      const HeaderWords piece = h;
      const unsigned char* const data = here + stage * stage_bytes;
      any = more;
      if (any) {
        ask(stage ^ 1);
        WarpCopies::wait<1>(barriers + stage * WarpCopies::bytes, parity);
      } else {
        WarpCopies::wait<0>(barriers + stage * WarpCopies::bytes, parity);
      }
      parity ^= static_cast<unsigned>(stage);  // after both stages
      stage ^= 1;

      // newest[r][g] is past[g − start] of row r; rest[r] is where column 0 of its rests would lie.
      const unsigned columns = same_in_warp(piece.word.w);
      const int common = static_cast<int>(columns >> 16 & 0xfffeU), longest = static_cast<int>(columns & 0xffffU);
      const bool wide = (columns >> 16 & 1U) != 0;
      int length[per_lane];
      const Real* newest[per_lane];
      SharedAddress rest[per_lane];
      const unsigned char* first;
      {
        unsigned lag[2], beyond[2], begin;
        if (!wide) {
          const unsigned mark = reinterpret_cast<const unsigned*>(data)[lane];
          lag[0] = mark & 63U, lag[1] = (mark >> 6) & 63U;
          beyond[0] = (mark >> 12) & 31U, beyond[1] = (mark >> 17) & 31U;
          begin = mark >> 22;
          first = data + mark_bytes(false);
        } else {
          const uint4 mark = reinterpret_cast<const uint4*>(data)[lane];
          lag[0] = mark.x & 0xffffU, lag[1] = mark.x >> 16;
          beyond[0] = mark.y & 0xffffU, beyond[1] = mark.y >> 16;
          begin = mark.z;
          first = data + mark_bytes(true);
        }
        const Real* const window =
            reinterpret_cast<const Real*>(data + a.piece_bytes) + ((now - piece.reach()) & (unit - 1));
        SharedAddress rests = stages + static_cast<int>(first - here) +
                              static_cast<int>(sizeof(Real)) * ((group_size - 1) * common + static_cast<int>(begin));
#pragma unroll
        for (int r = 0; r < per_lane; ++r) {
          length[r] = common + static_cast<int>(beyond[r]);
          newest[r] = window + lag[r];
          rest[r] = rests;
          rests = rests + static_cast<int>(sizeof(Real)) * static_cast<int>(beyond[r]);
        }
      }
      const Lane* values = reinterpret_cast<const Lane*>(first) + lane;

      Real w[per_lane][steps];  // column d: past[g − start − d] lies in w[(g − d) mod n_g]
#pragma unroll
      for (int r = 0; r < per_lane; ++r)
#pragma unroll
        for (int g = 1; g < steps; ++g) w[r][g] = newest[r][g];
      constexpr int unrolled = steps < 8 ? 8 : steps;
      // Columns c0 + j and the next one; true behind the last one. Where rows end, their past values reach on (to an even number
      // of columns), and meet zeros.
      const auto two_columns = [&](auto at, int c0) __attribute__((always_inline)) {
        constexpr int j = decltype(at)::value;
        const int c = c0 + j;
        Lane v[2];
        if (c < common) {
          v[0] = values[32 * j];
          v[1] = values[32 * j + 32];
        } else {
          if (c >= longest) return true;
#pragma unroll
          for (int r = 0; r < per_lane; ++r) {
            v[0].row[r] = shared_value_if<Real, j>(rest[r], c, length[r]);
            v[1].row[r] = shared_value_if<Real, j + 1>(rest[r], c + 1, length[r]);
          }
        }
        Real p[2][per_lane];
#pragma unroll
        for (int k = 0; k < 2; ++k)
#pragma unroll
          for (int r = 0; r < per_lane; ++r) p[k][r] = newest[r][-j - k];
#pragma unroll
        for (int k = 0; k < 2; ++k) {
#pragma unroll
          for (int r = 0; r < per_lane; ++r) {
            w[r][(steps - (j + k) % steps) % steps] = p[k][r];
#pragma unroll
            for (int g = 0; g < steps; ++g) sum[r][g] += v[k].row[r] * w[r][(g + steps - (j + k) % steps) % steps];
          }
        }
        return false;
      };
      const auto some_columns = [&]<int... k>(std::integer_sequence<int, k...>, int c0) __attribute__((always_inline)) {
        return (two_columns(Number<2 * k>{}, c0) || ...);
      };
      for (int c0 = 0; c0 < longest; c0 += unrolled) {
        if (some_columns(std::make_integer_sequence<int, unrolled / 2>{}, c0)) break;
        values += 32 * unrolled;
#pragma unroll
        for (int r = 0; r < per_lane; ++r) {
          newest[r] -= unrolled;
          rest[r] = rest[r] + static_cast<int>(sizeof(Real)) * unrolled;
        }
      }
      __syncwarp();  // the stage may be filled again
    }

    if constexpr (thrifty) last_job = same_in_warp(a.job_begin[number + 1]);
    Real* const out =
        static_cast<Real*>(a.partial) + static_cast<std::int64_t>(job) * steps * group_size + per_lane * lane;
#pragma unroll
    for (int g = 0; g < steps; ++g) {
      Lane both;
#pragma unroll
      for (int r = 0; r < per_lane; ++r) both.row[r] = sum[r][g];
      *reinterpret_cast<Lane*>(out + g * group_size) = both;
    }
  }
}

}  // namespace conoid::acoustic_bem
