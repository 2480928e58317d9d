// SPDX-License-Identifier: BSD-3-Clause
// Which tiling for which machine: a guess from the caches, then what was measured before on a machine like this.
#pragma once

#include "engine/core/kept_values.hpp"
#include "engine/solvers/acoustic_fd/stepping/tiling.hpp"
#include "engine/team/machine.hpp"

#include <string>
#include <utility>
#include <vector>

namespace conoid::acoustic_fd {

/// What the choice depends on.
struct TileTask {
  int radius = 1;
  Index nx = 0, ny = 0, nz = 0;
  Index bytes_a_cell = 12;  ///< two levels and the medium
  int threads = 1;
  bool planes_move = false;  ///< see Span: diamonds cut y then, otherwise x where it is long enough
};

/// Updates that one band should span: long enough for tall tiles, short enough to answer a stop.
[[nodiscard]] constexpr Index band_height(int radius) {
  return radius <= 2 ? 32 : radius == 3 ? 20 : radius == 4 ? 16 : 12;
}

/// Shapes worth trying, the best guess first. A working set must fit the share of the last cache that a thread has: for a
/// diamond (W/2)(W + 2s + B) rows, for a tower D²/2 + D s rows.
[[nodiscard]] std::vector<TileShape> tile_candidates(const TileTask& task, const Machine& machine);

/// Shapes that were measured before, kept between starts (KeptValues).
class TileMemory {
 public:
  /// `folder` empty: the user's cache.
  explicit TileMemory(std::string folder = {}) : kept_("acoustic-fd-tiles", std::move(folder)) {}
  [[nodiscard]] bool recall(const std::string& key, TileShape& shape) const;
  void remember(const std::string& key, const TileShape& shape) const;

 private:
  KeptValues kept_;
};
[[nodiscard]] std::string tile_key(const TileTask& task, const Machine& machine, std::string_view kernel);

}  // namespace conoid::acoustic_fd
