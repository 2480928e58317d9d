// SPDX-License-Identifier: BSD-3-Clause
// A place as people type it: "0.5, -2, 10 cm".
#pragma once

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

}  // namespace conoid
