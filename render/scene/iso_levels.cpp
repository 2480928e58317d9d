// SPDX-License-Identifier: BSD-3-Clause
// Shares and values of iso-surfaces, read and put together.
#include "render/scene/iso_levels.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "engine/core/units.hpp"

namespace conoid {

std::vector<double> iso_levels(const FieldView& view, double low, double high) {
  const double end = std::max(std::abs(low), std::abs(high));
  std::vector<double> out;
  for (const double share : view.iso) out.push_back(share * end);
  out.insert(out.end(), view.iso_values.begin(), view.iso_values.end());
  return out;
}

Result<double> parse_iso_value(std::string_view text, std::string_view unit) {
  const auto read = parse_quantity(text, known_unit(unit) ? unit : "1");
  if (!read) return read.error();
  if (!std::isfinite(read->value))
    return make_error(ErrorCode::command_line, fmt::format("\"{}\" is not finite", text));
  return read->value;
}

Status add_iso(FieldView& view, std::string_view text, std::string_view unit) {
  const auto wrong = [&](const std::string& what) {
    return make_error(
        ErrorCode::command_line, fmt::format("--iso \"{}\": {}", text, what),
        fmt::format(
            "Shares of the range, --iso 0.5 or 50%, or values{}.",
            known_unit(unit) && unit != "1" ? fmt::format(" in units of {}: --iso 2{}", unit, unit) : ": --iso =2"));
  };
  if (text.starts_with('=')) {
    const auto value = parse_iso_value(text.substr(1), unit);
    if (!value) return wrong(value.error().text);
    view.iso_values.push_back(*value);
    return {};
  }
  if (const auto share = parse_quantity(text, "1")) {
    if (!(std::abs(share->value) <= 1)) return wrong("a share of the range lies between -1 and 1");
    view.iso.push_back(share->value);
    return {};
  }
  const auto value = parse_iso_value(text, unit);
  if (!value) return wrong(value.error().text);
  view.iso_values.push_back(*value);
  return {};
}

}  // namespace conoid
