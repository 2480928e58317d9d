// SPDX-License-Identifier: BSD-3-Clause
// Qt's mouse and wheel events in the form that scenes understand.
#pragma once

#include <optional>

#include "render/window/input.hpp"

class QEvent;

namespace conoid {

/// Empty for events that are neither mouse nor wheel. Positions become device pixels.
[[nodiscard]] std::optional<InputEvent> input_event(const QEvent& event, double pixel_ratio);

}  // namespace conoid
