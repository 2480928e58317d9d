// SPDX-License-Identifier: BSD-3-Clause
// Long loops that hear a wish to stop.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <functional>

namespace conoid {

/// Whether a stop was asked for; asked before every few thousand items of a long loop, which gives up when it was. May be empty.
using Stopped = std::function<bool()>;

/// Asks `stopped` before every `interval`th item.
[[nodiscard]] inline bool stopped_at(const Stopped& stopped, Index item, Index interval = 4096) {
  return item % interval == 0 && stopped && stopped();
}

/// What work that gave up on request returns. Nobody reads it as long as a stop was asked for.
[[nodiscard]] inline Error stop_error() {
  return make_error(ErrorCode::stopped, "stopped");
}

}  // namespace conoid
