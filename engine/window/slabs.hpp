// SPDX-License-Identifier: BSD-3-Clause
// Windows of planes: a grid cut along one axis into slabs.
#pragma once

#include "engine/core/types.hpp"

#include <vector>

namespace conoid {

/// `planes` planes of `plane_bytes` each; a window holds `per_window` of them (the last may hold fewer).
struct SlabLayout {
  Index planes = 0;
  Bytes plane_bytes = 0;
  Index per_window = 1;
  [[nodiscard]] Index windows() const { return (planes + per_window - 1) / per_window; }
  [[nodiscard]] Index window_of(Index plane) const { return plane / per_window; }
  [[nodiscard]] Interval planes_of(Index window) const;
  [[nodiscard]] std::vector<Bytes> sizes() const;
};

}  // namespace conoid
