// SPDX-License-Identifier: BSD-3-Clause
// Guess, measure, remember.
#include "engine/solvers/acoustic_fd/stepping/tile_choice.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

std::vector<TileShape> tile_candidates(const TileTask& task, const Machine& machine) {
  const Index s = task.radius, row = std::max<Index>(1, task.nz * task.bytes_a_cell);
  const Bytes last = machine.l3 > 0 ? machine.l3 : Bytes{16} << 20;
  const Index share = static_cast<Index>(last) / std::max(1, task.threads) * 3 / 4;
  const Index l2 = static_cast<Index>(machine.l2 > 0 ? machine.l2 : Bytes{1} << 20);

  TileShape stepwise;
  stepwise.kind = TileShape::Kind::stepwise;
  // What rows of 2s + 1 planes take of the second cache: half of it at order 2, all of it above.
  stepwise.width =
      std::clamp<Index>((s == 1 ? l2 / 2 : l2) / (task.nz * 4 * (2 * s + 3)) - 2 * s, 4, std::max<Index>(4, task.ny));

  // A diamond must leave every thread one of its row of diamonds, or of two rows where these have the way to follow each other (tiling.hpp).
  const Index cut = task.planes_move ? task.ny : std::max(task.nx, task.ny);
  const Index along = task.planes_move ? task.nx : std::min(task.nx, task.ny), rows = along >= 256 ? 2 : 1;
  const Index most = rows * cut / std::max(1, task.threads) / (2 * s) * (2 * s);
  if (most < 2 * s || std::min(task.nx, task.ny) < 4 * s) return {stepwise};
  const auto diamond = [&](Index width, Index planes, Index depth = 0) {
    TileShape d;
    d.kind = TileShape::Kind::diamond;
    d.planes = planes;
    d.depth = depth < task.nz ? depth : 0;
    for (d.width = std::max<Index>(1, width / (2 * s)) * 2 * s; d.width > 2 * s; d.width -= 2 * s)
      if (d.width <= most && d.width / 2 * (d.width + 2 * s + planes) * row <= share) break;
    return d;
  };
  const auto tower = [&](Index width, Index room) {
    TileShape t;
    t.kind = TileShape::Kind::tower;
    for (t.width = std::max<Index>(1, width / (2 * s)) * 2 * s; t.width > 2 * s; t.width -= 2 * s)
      if ((t.width * t.width / 2 + t.width * s) * row <= room) break;
    t.height = std::max<Index>(4, t.width / s * 2);
    return t;
  };
  // Virtual machines may have a small part of the last cache that they are told of (4 of 32 MB where this was measured), so small tiles
  // come first. Cuts along z were a loss there: what enters comes in short pieces.
  std::vector<TileShape> out{
      diamond(32, 4),
      diamond(24, 4),
      diamond(32, 8),
      diamond(48, s <= 2 ? 4 : 8),
      diamond(task.threads > 4 ? 16 : 24, 4),  // more of them, where threads would wait for one another
      diamond(32, 8, 256),
      tower(s == 1 ? 16 : 32, share),
      tower(s == 1 ? 16 : 32, 4 * share),  // or a larger one: at order 8 1.35 times as fast on 16 threads
      stepwise};
  std::vector<TileShape> unique;
  for (const TileShape& shape : out)
    if (std::find(unique.begin(), unique.end(), shape) == unique.end()) unique.push_back(shape);
  return unique;
}

bool TileMemory::recall(const std::string& key, TileShape& shape) const {
  const auto text = kept_.recall(key);
  return text && parse_shape(*text, shape);
}

void TileMemory::remember(const std::string& key, const TileShape& shape) const {
  kept_.remember(key, to_string(shape));
}

std::string tile_key(const TileTask& task, const Machine& machine, std::string_view kernel) {
  const auto rounded = [](Index n) {  // sizes within a factor of 1.4 share a shape
    Index power = 16;
    while (power * 7 / 5 < n) power = power * 7 / 5;
    return power;
  };
  return fmt::format("{} | {} threads | {} | order {} | {} B | {} x {} x {} | cut {}, rows follow", machine.processor,
                     task.threads, kernel, 2 * task.radius, task.bytes_a_cell, rounded(task.nx), rounded(task.ny),
                     rounded(task.nz), task.planes_move ? "y" : "x or y");
}

}  // namespace conoid::acoustic_fd
