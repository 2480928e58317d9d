// SPDX-License-Identifier: BSD-3-Clause
// What the device kernels of the summation take, and how a slab of slices lies in a device's memory.
//
// Ragged blocks: our form of Contiguous-Blocking (Bramas et al. 2015, §5.2). A warp owns consecutive rows, one or two a lane,
// through all slices and keeps their n_g sums in registers. Of each slice it needs one piece: for each of its rows the start
// column and the length; then the columns that all its rows have, column by column; then what the longer rows have beyond
// them, row by row. So nothing is padded but the end of a piece, and a warp reads its pieces of consecutive slices as one
// stream.
//
//   piece = marks (uint16 or uint32 a row: (start − first)·2^length_bits + length), common columns [column][row],
//           rests [row][column], zeros up to 16 bytes
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
constexpr int ragged_stages = 2;  ///< pieces of a warp in shared memory: one is summed while the next one comes

/// One piece of a slab.
struct alignas(16) PieceHeader {
  std::uint32_t offset = 0;    ///< from the slab's begin, in units of 16 bytes
  std::uint16_t size = 0;      ///< likewise
  std::uint16_t first = 0;     ///< lowest column of the piece
  std::uint16_t span = 0;      ///< highest column less lowest
  std::uint16_t longest = 0;   ///< row-vector
  std::uint16_t shortest = 0;  ///< row-vector: the number of common columns
  std::uint16_t unused = 0;
};
static_assert(sizeof(PieceHeader) == 16);

/// A slab in a device's memory: `slices` consecutive slices, the pieces of a row group one behind the other.
struct SlabView {
  const unsigned char* pieces = nullptr;
  const PieceHeader* headers = nullptr;  ///< [group][slice of the slab]
  std::int32_t first_slice = 0;
  std::int32_t slices = 0;
  std::int32_t begin = 0, end = 0;  ///< of the slices to be summed, within the slab
};

/// One launch sums the slabs slab[part_begin[p]] … of part p = blockIdx.y for the row groups of block blockIdx.x.
struct RaggedArguments {
  const SlabView* slab;
  const std::int32_t* part_begin;  ///< parts + 1
  const void* past;                ///< Real [unknown][ring]: the value of time T at T mod ring
  void* partial;                   ///< Real [part][g][rows]
  std::int64_t now;                ///< time of past[0]
  std::int32_t ring;               ///< a power of two
  std::int32_t rows, groups;
  std::int32_t length_bits;
  std::int32_t wide_marks;     ///< marks are uint32
  std::int32_t piece_bytes;    ///< the largest piece
  std::int32_t window_values;  ///< the largest span + n_g
};
/// Bytes of shared memory of one warp.
template <class Real>
constexpr std::int32_t ragged_shared(std::int32_t piece_bytes, std::int32_t window_values) {
  return ragged_stages * (piece_bytes + (window_values * static_cast<std::int32_t>(sizeof(Real)) + 15) / 16 * 16);
}

/// sums[g][row] = Σ_p partial[p][g][row], one thread an entry.
struct GatherArguments {
  const void* partial;  ///< Real
  double* sums;
  std::int64_t entries;  ///< n_g · rows
  std::int32_t parts;
};

/// New values into the ring: time T0 + k of unknown j is fresh[j][k], k < n_g; the n_g times after them become zero.
struct AppendArguments {
  const void* fresh;
  void* past;
  std::int64_t first_time;
  std::int32_t unknowns, ring, steps;
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
