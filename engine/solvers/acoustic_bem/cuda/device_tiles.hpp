// SPDX-License-Identifier: BSD-3-Clause
// Tiles of the assembly on a device: pairs of triangles in double precision, one thread a pair, then sums entry by entry in the
// order of the triangles, so that the bits do not depend on when threads run. Surfaces without soft faces and impedances.
#pragma once

#include <memory>
#include <stop_token>

#include "engine/solvers/acoustic_bem/discretization/tile.hpp"
#include "engine/team/device.hpp"

namespace conoid::acoustic_bem {

class DeviceTiles {
 public:
  [[nodiscard]] static bool takes(const Surface& surface) { return !surface.has_walls(); }
  /// Bytes without which nothing can be done: triangles and rules.
  [[nodiscard]] static Bytes least(const Surface& surface);
  /// Bytes that it takes at most of a device with room for them; `tiles`: those of a thread in the host's memory (problem.hpp).
  [[nodiscard]] static Bytes expected(const Surface& surface, const Form& form, Bytes tiles);
  /// Threads that feed a device at a time: as many as it has memory for in full, 1 to most_feeders and `threads`.
  [[nodiscard]] static int feeders(const Surface& surface, const Form& form, Bytes tiles, Bytes memory, int threads);
  static constexpr int most_feeders = 8;
  /// `memory`: bytes of the device for triangles, tiles and pairs.
  DeviceTiles(const Device& device, const TileContext& context, Bytes memory);
  ~DeviceTiles();
  DeviceTiles(const DeviceTiles&) = delete;
  DeviceTiles& operator=(const DeviceTiles&) = delete;
  /// sweep_pairs() of tile.hpp both ways: fills `block`, and `mirror` unless they are one; evaluations are counted by far points.
  /// False, and nothing done, where the tile does not fit the memory.
  [[nodiscard]] bool sweep(Block& block, Block& mirror, std::uint64_t& evaluations, const std::stop_token& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace conoid::acoustic_bem
