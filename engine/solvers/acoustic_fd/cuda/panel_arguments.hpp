// SPDX-License-Identifier: BSD-3-Clause
// What the panels of a device take. The arrays lie as on the host (storage.hpp); pointers are at cell (first, 0, 0).
#pragma once

#include "engine/team/box_source.hpp"

#include "engine/solvers/acoustic_fd/cuda/tower_arguments.hpp"

namespace conoid::acoustic_fd {

/// Single precision, one band, out of place.
struct PanelArguments : BandArguments<float> {
  BoxSource newer,
      older;         ///< levels k and k − 1 from plane `first` to `reach`, in boxes of a block's rows and 128 cells
  BoxSource medium;  ///< `a`, likewise, where it varies
  BoxSource potential;                ///< and `v`
  const float* v = nullptr;           ///< V of medium.hpp, in panels of a varying density
  const float* from_newer = nullptr;  ///< level k
  /// What panels have in registers at the end of a launch that ends R T planes or more before the grid, for the next one of the same band, which
  /// begins there: PanelShape::kept_fours of each block. Both have a single part. Null: every panel computes what it needs of planes before its own.
  float* kept = nullptr;
  /// Where PanelShape::damping_far: σ − 1 of each cell of a block where σ_x = 0, then 1/(1 + σ), as its threads have them; block after block of the
  /// panels of a row, row after row.
  const float* damping = nullptr;
  float *to_newer = nullptr, *to_older = nullptr;  ///< levels k + T and k + T − 1; other arrays than those
  int cluster = 1;                                 ///< blocks of a panel, one above the other along y
  int panel_rows = 0;                              ///< by which panels are apart along y
  int first = 0;                                   ///< plane at which the arrays begin; those of the medium, too
  int begin = 0, end = 0;                          ///< planes of the launch
  int reach = 0;  ///< planes from there on are not read; nx, or radius · levels behind the end
  int whole = 0;  ///< panels that go in parts of `segment` planes; the others, which come last, in parts of `rest`
  int segment = 0, rest = 0;
  int first_step = 0;                     ///< of the band, as `points` counts
  float x[7] = {}, y[7] = {}, z[7] = {};  ///< weights; the three alike where spacings are equal
};

constexpr int panel_words = 512;                       ///< a bit for each plane that a panel goes through
constexpr int longest_panel = 32 * panel_words - 256;  ///< planes of a panel

/// A warp has `patch` rows of 128 cells, a block `warps` of them. `ahead`: for how many steps planes are on their way, `medium_ahead`: those of the
/// medium.
template <int R, int T, int W, int P, int U, int A, int M = A, bool F = false, bool D = false>
struct PanelShape {
  static constexpr int radius = R, levels = T, warps = W, patch = P, unrolled = U, ahead = A, medium_ahead = M;
  static constexpr bool damping_far = F;  ///< factors of sponges lie in device memory, to leave room for planes
  static constexpr bool density = D;      ///< it varies: planes of V beside those of the medium
  static constexpr int threads = 32 * warps;
  static constexpr int high = warps * patch;                             ///< rows of a block
  static constexpr int shown = patch < 2 * radius ? patch : 2 * radius;  ///< rows of a warp that other warps read
  static constexpr int rim = (radius * levels + 3) / 4;  ///< fours at each end that are computed for others
  static constexpr int useful_fours = 32 - 2 * rim;
  static constexpr int plane = (warps * shown + 2 * radius) * 32;  ///< fours of the middle plane of a level
  static constexpr int buffer = levels * plane;
  static constexpr int medium_planes = radius * (levels - 1) + 1 + medium_ahead;
  static constexpr int all_medium_planes = (density ? 2 : 1) * medium_planes;  ///< then as many of V
  static constexpr int cells = threads * patch;                                ///< fours of a block
  static constexpr int kept_fours = (levels - 1) * 2 * radius * cells;         ///< planes of all levels but the first
  static constexpr int shared =
      (2 * buffer + (all_medium_planes + 2 * ahead + (damping_far ? 0 : 2)) * cells + 1 + ahead) * 16 +
      panel_words * 4;  ///< bytes
};

/// Those of a run, by the stencil's radius and levels. More levels or rows would leave registers in memory. Where the density varies shared memory
/// has room for fewer levels at radii 1 and 2.
template <int R, int T, bool density = false>
struct PanelOf;
template <>
struct PanelOf<1, 7> : PanelShape<1, 7, 8, 2, 3, 2, 1, true> {};
template <>
struct PanelOf<1, 4> : PanelShape<1, 4, 8, 2, 3, 2> {};  // for what sevens leave
template <>
struct PanelOf<2, 4> : PanelShape<2, 4, 8, 2, 5, 2> {};
template <>
struct PanelOf<3, 2> : PanelShape<3, 2, 8, 2, 2, 2> {};
template <>
struct PanelOf<4, 2> : PanelShape<4, 2, 8, 2, 2, 2> {};
template <>
struct PanelOf<1, 5, true> : PanelShape<1, 5, 8, 2, 3, 2, 1, true, true> {};
template <>
struct PanelOf<2, 3, true> : PanelShape<2, 3, 8, 2, 5, 2, 2, false, true> {};
template <>
struct PanelOf<3, 2, true> : PanelShape<3, 2, 8, 2, 2, 2, 2, false, true> {};
template <>
struct PanelOf<4, 2, true> : PanelShape<4, 2, 8, 2, 2, 2, 2, false, true> {};

}  // namespace conoid::acoustic_fd
