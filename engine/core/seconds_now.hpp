// SPDX-License-Identifier: BSD-3-Clause
// The clock by which what takes time is told.
#pragma once

#include <chrono>

namespace conoid {

/// Seconds of a clock that never goes back.
[[nodiscard]] inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace conoid
