// SPDX-License-Identifier: BSD-3-Clause
// Quantities with units as people type them: "2 GHz", "0.5 in", "90 deg", "-6 dB". Everything inside is SI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"

namespace conoid {

/// A unit as a schema names it ("Hz", "m/s", "kg/m^3", "1"): its dimension decides which units may be typed for it.
/// Angles are radians inside ("rad"); ratios may be given in dB where the schema says "dB" (kept in dB, not converted).
struct Quantity {
  double value = 0;      ///< in the expected SI unit
  std::string typed;     ///< the unit as typed, empty for a bare number
};

/// Reads "<number> [unit]" for a field whose SI unit is `expected`. Accepts prefixes n u µ m c k M G T where the unit
/// takes them, products and quotients ("km/s", "g/cm^3", "kN/m^2"), and °/deg/rad, in, ft, psi, bar, lb, h, min.
/// The error lists units that fit. Non-finite numbers are refused.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text, std::string_view expected);

/// Units worth offering for a field, the SI one first: for completion in forms and for help texts.
[[nodiscard]] std::vector<std::string> units_for(std::string_view expected);

/// A number in a readable prefix: format_quantity(2.4e9, "Hz") = "2.4 GHz".
[[nodiscard]] std::string format_quantity(double si, std::string_view unit, int digits = 4);

/// A byte count for people, "3.2 GiB", and back ("8GiB", "500 MB").
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);

/// Seconds for people: "350 ms", "12.4 s", "3 min 20 s", "2 h 05 min".
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace conoid
