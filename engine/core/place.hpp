// SPDX-License-Identifier: BSD-3-Clause
// A place as people type it: "0.5, -2, 10 cm"; lengths and angles between places.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// Two or three lengths with units or in metres, separated by commas; the third is 0 where it is left out. In metres.
/// Errors (command_line) say what was expected. Any thread may call.
[[nodiscard]] Result<Vec3> parse_place(std::string_view text);
/// "0.5, -2, 0.1": metres, so many significant digits of the largest.
[[nodiscard]] std::string place_text(const Vec3& place, int digits = 4);

/// What a ruler reads between two places, or a protractor between three.
struct Ruler {
  Vec3 apart{};           ///< second − first, m
  double length = 0;      ///< of it, m
  double second_leg = 0;  ///< from the second to the third place, m
  std::optional<double>
      angle;  ///< rad, 0 to π, at the second place between the first and the third; none where one of them lies on it
};
/// Two or three places; of fewer everything is 0. The angle is 2 atan2(|u − v|, |u + v|) of the unit vectors u and v (W. Kahan, How futile are
/// mindless assessments of roundoff in floating-point computation?, 2006), which keeps its digits near 0 and π, where arccos loses them.
[[nodiscard]] Ruler measure(std::span<const Vec3> places);

}  // namespace conoid
