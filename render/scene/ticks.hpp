// SPDX-License-Identifier: BSD-3-Clause
// Tidy numbers for axes and colour bars: round steps, one prefix or power of ten for all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conoid {

struct Tick {
  double value = 0;
  std::string label;
};

/// Ticks in [low, high] and how the unit is to be written: with_prefix("Pa") of values to 3e-3 is "mPa" and the labels
/// are in mPa; a unit that takes no prefix gives "×10⁻³ m²".
struct TickSet {
  std::vector<Tick> ticks;
  std::string unit;
  double scale = 1;  ///< shown number = value / scale
};

/// At most `most` ticks (≥ 2) on a linear axis; low < high, both finite, else the set is empty.
[[nodiscard]] TickSet tidy_ticks(double low, double high, int most, std::string_view unit);
/// Ticks of a logarithmic axis, positions in log10(value); labels "10⁻³", "0.1", "1", "10", "10²".
[[nodiscard]] TickSet log_ticks(double log_low, double log_high, int most, std::string_view unit);
/// The smallest of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 × 10ⁿ that is not below `value` (> 0).
[[nodiscard]] double round_up(double value);
/// "Pressure [mPa]"; "mPa" without a label, no bracket for a pure number.
[[nodiscard]] std::string axis_title(std::string_view label, std::string_view unit);
/// "12.4 ms", "2.4 GHz": a value for people, `digits` significant.
[[nodiscard]] std::string readable(double value, std::string_view unit, int digits = 4);
/// Unit strings for people: "m^2" → "m²", "kg/m^3" → "kg/m³", "1" → "".
[[nodiscard]] std::string readable_unit(std::string_view unit);

}  // namespace conoid
