// SPDX-License-Identifier: BSD-3-Clause
// Quantities with units as people type them: "2 GHz", "0.5 in", "90 deg", "-6 dB". Everything inside is SI.
#pragma once

#include "engine/core/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// A number read for a field. The unit that a schema names ("Hz", "m/s", "kg/m^3", "1", "dB", "B" for bytes)
/// decides by its dimension which units may be typed. Angles ("rad"), levels ("dB", "Np") and bytes are
/// dimensions of their own, so that a ratio in dB never passes for a plain ratio: a field in "dB" stays in
/// dB.
struct Quantity {
  double value = 0;   ///< in the expected unit
  std::string typed;  ///< the unit as typed, empty for a bare number
};

/// Reads "<number> [unit]" for a field whose unit is `expected` (any unit understood here, SI in practice).
///
/// Units: m g s A K mol cd, rad deg °, Hz N Pa J W C V F ohm Ω S H Wb T, bar atm psi, in ft yd mi mil, L t lb
/// lbf kgf, min h day, rpm rev, dB Np, B, %, ppm and a few more, with the prefixes f p n u µ m k M G T where
/// the unit takes them (c and d with m; Ki Mi Gi Ti with B); products, quotients, powers and parentheses:
/// "km/s", "g/cm^3", "kN/m²", "J/(kg*K)", "s^-1". Temperatures may be typed in degC and degF. Units whose
/// ratio is a power of ten are converted in decimal, so that "0.1 mm" is exactly the double 1e-4. A bare
/// number is in the expected unit.
///
/// Errors (invalid_input): not a number, unknown unit (with a likely meant one), a unit that measures
/// something else, a value outside the range of a double; the hint lists units that fit. NaN and infinity are
/// refused. Thread-safe.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text, std::string_view expected);

/// True if `unit` is understood here.
[[nodiscard]] bool known_unit(std::string_view unit);

/// Units worth offering for a field, the expected one first: for completion in forms and for help texts.
[[nodiscard]] std::vector<std::string> units_for(std::string_view expected);

/// What a unit measures, in words: "frequency", "density"; empty if it has no common name.
[[nodiscard]] std::string quantity_kind(std::string_view unit);

/// A number in a readable prefix: format_quantity(2.4e9, "Hz") = "2.4 GHz". `digits` are significant ones,
/// trailing zeros dropped; compound units keep their form ("1000 kg/m^3"). parse_quantity reads the result
/// back.
[[nodiscard]] std::string format_quantity(double si, std::string_view unit, int digits = 4);

/// A byte count for people, "3.2 GiB", and back ("8GiB", "500 MB", "1024"; rounded to whole bytes).
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);

/// Seconds for people: "350 ms", "12.4 s", "3 min 20 s", "2 h 05 min".
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace conoid
