// SPDX-License-Identifier: BSD-3-Clause
// Figures in sentences for readers whose language has a decimal comma. What is read back by a program keeps its points.
#pragma once

#include <string>
#include <string_view>

namespace conoid {

/// "12.4 ms at (0.5, −1, 0) m" → "12,4 ms at (0,5; −1; 0) m". Points are changed in numbers that stand alone: "0.1.0", "run-1.2" and
/// "f1.5" stay. Between numbers a comma becomes a semicolon.
[[nodiscard]] std::string with_decimal_comma(std::string_view text);

}  // namespace conoid
