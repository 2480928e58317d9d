// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of the summation take, and how a slab of slices lies in a device's memory.
//
// Ragged blocks: our form of Contiguous-Blocking (Bramas et al. 2015, §5.2). A warp owns consecutive rows, one or two a lane side
// by side, through all slices and keeps their n_g sums in registers. Of each slice it needs one piece: for each lane marks that
// say where its rows begin; then the columns that all its rows have (an even number of them), column by column; then what the
// longer rows have beyond them, row by row. So nothing is padded but the end of a piece, and a warp reads its pieces of
// consecutive slices as one stream.
//
//   piece = marks [lane], common columns [column][row], rests [row][column], zeros up to 16 bytes
//
// A row's past values at its columns lie in a window of a_j that ends n_g steps after now; `lag` of a row is where its newest
// one lies behind the window's begin, which is the same for all rows of a piece.
#pragma once

#include <cstdint>

namespace conoid::acoustic_bem {

/// Rows of a warp: two a lane as long as their sums and windows fit the registers.
constexpr int rows_per_lane(int steps, int bytes) {
  return steps * bytes <= 64 ? 2 : 1;
}
constexpr int group_rows(int steps, int bytes) {
  return 32 * rows_per_lane(steps, bytes);
}
/// Blocks a multiprocessor, of ragged_warps warps, that the kernel's registers are to allow.
constexpr int ragged_warps = 4;
constexpr int ragged_blocks(int steps, int bytes) {
  const int words = 2 * rows_per_lane(steps, bytes) * steps * bytes / 4;  // sums and past values of a lane
  return words <= 16 ? 8 : words <= 32 ? 7 : words <= 64 ? 5 : 3;
}
constexpr int ragged_stages = 2;  ///< pieces of a warp in shared memory: one is summed while the next one comes

/// One piece of a slab.
struct alignas(16) PieceHeader {
  std::uint32_t offset = 0;  ///< from the slab's begin, in units of 16 bytes
  std::uint16_t size = 0;    ///< likewise
  std::uint16_t window = 0;  ///< past values that its rows meet, in units of 16 bytes
  std::uint16_t reach = 0;   ///< column that meets the oldest of them
  std::uint16_t unused = 0;
  std::uint16_t longest = 0;  ///< row-vector
  std::uint16_t common = 0;   ///< columns that all rows have, an even number; plus 1 where marks are wide
};
static_assert(sizeof(PieceHeader) == 16);

/// Marks of a lane's rows 0 and 1: lags, values beyond the common columns, and where the rests of row 0 begin among those of
/// the piece (those of row 1 follow). Narrow marks are a word: 6, 6, 5, 5 and 10 bits. Wide ones are four words: lags, 16 bits
/// each; lengths, likewise; the begin; zero.
constexpr unsigned narrow_lag = 63, narrow_rest = 31, narrow_begin = 1023;
constexpr int mark_bytes(bool wide) {
  return wide ? 512 : 128;
}

/// A slab in a device's memory: `slices` consecutive slices, the pieces of a row group one behind the other.
struct SlabView {
  const unsigned char* pieces = nullptr;
  const PieceHeader* headers = nullptr;  ///< [group][slice of the slab]
  std::int32_t first_slice = 0;
  std::int32_t slices = 0;
};

/// What a warp sums at a stretch: a row group through consecutive slices.
struct RaggedJob {
  std::int32_t group = 0, begin = 0, end = 0;
};

/// Warp w of a launch does the jobs job_begin[w] … job_begin[w + 1].
struct RaggedArguments {
  const SlabView* slab;  ///< [slab], of the whole matrix; those of the jobs are filled in
  const RaggedJob* job;
  const std::int32_t* job_begin;  ///< warps + 1
  const void* past;     ///< Real [unknown][stride]: the value of time T at T mod ring, and the ring's begin again
  void* partial;        ///< Real [job][g][row of the group]
  std::int64_t now;     ///< time of past[0]
  std::int32_t ring;    ///< a power of two, at least 16 bytes
  std::int32_t stride;  ///< ring + the largest window; a multiple of 16 bytes
  std::int32_t warps;
  std::int32_t slab_slices;
  std::int32_t piece_bytes;   ///< the largest piece
  std::int32_t window_bytes;  ///< the largest window
};
/// Bytes of shared memory of one warp: barriers and stages.
constexpr std::int32_t ragged_shared(std::int32_t piece_bytes, std::int32_t window_bytes) {
  return ragged_stages * (8 + piece_bytes + window_bytes);
}

/// sums[g][row] = Σ_p partial[p][g][row], one thread an entry.
struct GatherArguments {
  const void* partial;  ///< Real
  double* sums;
  std::int64_t entries;  ///< n_g · rows
  std::int32_t parts;
};

/// sums[g][row] (+)= Σ partial[job][g][row of the group] over the jobs first_job[group] …, one thread an entry.
struct GatherJobsArguments {
  const void* partial;            ///< Real
  const std::int32_t* first_job;  ///< groups + 1
  double* sums;
  std::int32_t rows, group_rows, steps;
  std::int32_t add;  ///< to what is there
};

/// New values into the ring: time T0 + k of unknown j is fresh[j][k], k < n_g; the n_g times after them become zero. What lies
/// at i < stride − ring lies at ring + i, too.
struct AppendArguments {
  const void* fresh;
  void* past;
  std::int64_t first_time;
  std::int32_t unknowns, ring, stride, steps;
};

/// Blocks as the paper cuts them: b_r × b_c values a block, column-major, padded with zeros.
struct BlockPlaceOnDevice {
  std::int32_t slice, row, column;
};
/// Full-Blocking (§5.1): b_r threads a block of the grid; block p takes the blocks place[part_begin[p]] …
struct FullBlockArguments {
  const void* values;
  const BlockPlaceOnDevice* place;
  const std::int32_t* part_begin;
  const void* past;
  void* sums;  ///< Real [part][g][rows]; zero before the launch: blocks of one part overlap in rows
  std::int64_t now;
  std::int32_t ring, rows;
};
/// Contiguous-Blocking (§5.2): slice j is one block of rows × b_c values, row i from column start[j][i].
struct ContiguousArguments {
  const void* values;
  const std::uint16_t* start;      ///< [slice][rows]
  const std::int32_t* part_begin;  ///< slices of each part
  const void* past;
  void* partial;  ///< Real [part][g][rows]
  std::int64_t now;
  std::int32_t ring, rows, columns;  ///< columns: K_max
};

}  // namespace conoid::acoustic_bem
