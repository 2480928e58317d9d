// SPDX-License-Identifier: BSD-3-Clause
// What the kernel of DiamondTorre takes: many steps of order 2 at once, in place. The arrays lie as on the host (storage.hpp);
// pointers are at cell (0, 0, 0).
#pragma once

#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

#include <cstdint>

namespace conoid::acoustic_fd {

/// With p = x + y and q = x − y a tile (a, b) at update k of a band is P = p − k ∈ [aD, aD + D), Q = q − k ∈ [bD, bD + D), D = 2 DTS: it
/// stands still in y and moves by a plane a step. Row w = a + b of tiles begins with plane w DTS at k = 0; tile v of a row has its middle
/// in row d DTS of the grid, d = a − b = 2 v + (w mod 2). Columns are tiles of a row by cuts along z, of which there are `deep`.
template <class T>
struct TorreArguments : BandArguments<T> {
  T* even = nullptr;  ///< level k, and every second level after it
  T* odd = nullptr;   ///< level k−1
  int steps = 0;      ///< of a band: a multiple of D
  int deep = 0;       ///< cuts along z
  int first_row = 0;  ///< w of row 0
  int first_z = 0;    ///< of the lowest cut at level k; divisible by 4
  T weight = 0;
};

/// The shape of a tile. A block has a thread for each cell of a cut along z, as many as the launch says, up to `most`.
template <class T, int half, int threads>
struct TorreShape {
  using Value = T;
  static constexpr int dts = half, width = 2 * half, most = threads;
  static constexpr int rows = 2 * half - 1, cells = 2 * half * half;
  static constexpr int inner = cells - rows;       ///< without the first cell of each row
  static constexpr int halo = 2 * (2 * half + 1);  ///< cells beside the tile that a step reads
  static constexpr int longest = 8 * half;         ///< steps of a tower
  static constexpr int line = most + longest + 8;  ///< along z, with a cell on either side, in whole fours
  static constexpr int extra =
      2 * inner;  ///< values that a cell of the next cut brings with it, beside those in `inner`
  static constexpr int shared =
      ((2 * inner + 3 * halo + 2 * rows) * line + 2 * extra) * static_cast<int>(sizeof(T)) + 4 * most;  ///< bytes
  static constexpr int least = (4 * inner + 31) / 32 * 32;  ///< threads: one for each such value
  static constexpr int cadence = 4;                         ///< steps between two looks at the others
};

/// The tile is in registers: two levels and the medium of 2 DTS² cells a thread.
template <class T, int half>
struct TorreOf;
template <>
struct TorreOf<float, 3> : TorreShape<float, 3, 512> {};
template <>
struct TorreOf<float, 4> : TorreShape<float, 4, 384> {};
template <>
struct TorreOf<float, 5> : TorreShape<float, 5, 256> {};
template <>
struct TorreOf<double, 3> : TorreShape<double, 3, 256> {};

}  // namespace conoid::acoustic_fd
