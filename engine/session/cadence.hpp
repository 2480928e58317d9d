// SPDX-License-Identifier: BSD-3-Clause
// When a moment of a run is kept as a results frame.
#pragma once

#include "engine/core/types.hpp"

namespace conoid {

/// One rule is in force: `every` steps, else each `interval` of the run's value (time, frequency), else `count` frames
/// over the whole run. The first and the last moment are always kept, by the caller. Depends on nothing but where the
/// run stands, so that a resumed run keeps the same moments.
struct Cadence {
  Index every = 0;
  double interval = 0;
  Index count = 20;

  [[nodiscard]] bool keeps_any() const { return every > 0 || interval > 0 || count > 0; }

  struct Moment {
    Index step = 0;
    double value = 0;
    double share = -1;  ///< of the whole run that is done, 0…1; negative: unknown
  };
  /// Whether the step from `before` to `now` crossed a mark. With `count` and an unknown length the marks lie ever
  /// wider apart (each a seventh behind the last), which keeps a short run whole and a long one small.
  [[nodiscard]] bool due(const Moment& before, const Moment& now) const;
};

}  // namespace conoid
