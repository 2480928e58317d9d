// SPDX-License-Identifier: BSD-3-Clause
// Time that the steps of a solution take.
#pragma once

#include <chrono>

namespace conoid::elastic_bem {

/// Seconds of a clock that never goes back.
[[nodiscard]] inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace conoid::elastic_bem
