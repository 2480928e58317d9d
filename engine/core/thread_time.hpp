// SPDX-License-Identifier: BSD-3-Clause
// Processor time of the calling thread, which does not grow while others have the core.
#pragma once

#include <ctime>

namespace conoid {

/// Seconds since the thread began.
[[nodiscard]] inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace conoid
