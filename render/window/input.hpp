// SPDX-License-Identifier: BSD-3-Clause
// Mouse and wheel as scenes see them, free of any window system.
#pragma once

#include <cstdint>

namespace conoid {

enum class InputKind : std::uint8_t { press, move, release, double_click, wheel, leave };
enum class MouseButton : std::uint8_t { none, left, middle, right };

/// Positions are device pixels from the top left corner.
struct InputEvent {
  InputKind kind = InputKind::move;
  MouseButton button = MouseButton::none;  ///< pressed or released; for moves the button that is held
  double x = 0;
  double y = 0;
  double wheel = 0;  ///< notches, positive away from the user
  bool shift = false;
  bool control = false;
};

}  // namespace conoid
