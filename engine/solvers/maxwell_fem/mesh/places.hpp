// SPDX-License-Identifier: BSD-3-Clause
// Points that are found again by where they are: a mesher keeps places up to the digits of its files, but not the order of points.
#pragma once

#include "engine/core/types.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/mesh.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>

namespace conoid::maxwell_fem {

/// Numbers by places; those nearer than 1e-7 of the diagonal of `around` count as one place.
class Places {
 public:
  explicit Places(const Mesh& around) {
    const auto [low, high] = around.bounds();
    grain_ = 1e-7 * vec::distance(low, high);
  }
  /// The first number of a place stays.
  void add(const Vec3& x, Index number) { number_.try_emplace(cell(x), number); }
  /// −1: nothing is there.
  [[nodiscard]] Index find(const Vec3& x) const {
    const Cell centre = cell(x);
    for (int c = 0; c < 27; ++c) {
      const auto at = number_.find({centre[0] + c % 3 - 1, centre[1] + c / 3 % 3 - 1, centre[2] + c / 9 - 1});
      if (at != number_.end()) return at->second;
    }
    return -1;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  [[nodiscard]] Cell cell(const Vec3& x) const {
    Cell out{};
    for (std::size_t d = 0; d < 3; ++d) out[d] = std::llround(x[d] / grain_);
    return out;
  }

  double grain_ = 1;
  std::map<Cell, Index> number_;
};

}  // namespace conoid::maxwell_fem
