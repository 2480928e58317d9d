// SPDX-License-Identifier: BSD-3-Clause
// What the ribbons of a device take: several steps of order 2 at once. The arrays lie as on the host (storage.hpp); pointers are at
// cell (0, 0, 0).
#pragma once

#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

#include <cstdint>

namespace conoid::acoustic_fd {

/// Bands of T steps of order 2, single precision, equal spacings, constant density; out of place, from pair 0 into pair 1, the next
/// band back, and so on.
struct RibbonArguments : BandArguments<float> {
  float* newer[2] = {};  ///< level k of both pairs
  float* older[2] = {};  ///< level k−1
  int first_y = 0;       ///< lowest row of the lowest tile at level k
  float weight = 0;
  float* borders = nullptr;         ///< [row][column][level − 1][plane][2][128]: what a ribbon leaves for the one below
  const unsigned* order = nullptr;  ///< (band · rows + row) · columns + column of each ticket, after all that it depends on
};

/// The shape of a ribbon: a warp has 128 cells along z and `mine` rows, a block `warps` warps, a multiprocessor `together` blocks.
template <int T, int mine, int warps, int together>
struct RibbonShape {
  static constexpr int levels = T, own = mine, block_warps = warps, threads = 32 * warps, blocks = together;
  static constexpr int tile_rows = mine * warps;
  static constexpr int rim = (T + 2) / 4 * 4;       ///< cells at either end along z that are computed twice
  static constexpr int useful = 128 - 2 * rim;      ///< of the 128
  static constexpr bool outer_cells = rim < T;      ///< the cells beside the 128 are read at level k
  static constexpr int copied = 2 + 3 * (T - 1);    ///< rows that come from the ribbon above, and the one below at level k
  static constexpr int lines = copied + T - 1;      ///< with those that stay from the step before
  static constexpr int medium_planes = T + 1;
  static constexpr int wide = 34;    ///< fours of a row of level k: with those beside
  static constexpr int cadence = 8;  ///< steps between two looks at the others
  static constexpr int shared = (tile_rows * (wide + 32 + 32 * medium_planes) + 64 * (T * warps * 2 + lines)) * 16;  ///< bytes
};

/// That of a run: with more levels or fewer warps the planes no longer fit in registers, or each scheduler has too few warps.
struct RibbonOfRun : RibbonShape<4, 2, 12, 1> {};

}  // namespace conoid::acoustic_fd
