// SPDX-License-Identifier: BSD-3-Clause
// Lengths between commas.
#include "engine/core/place.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/units.hpp"

namespace conoid {

Result<Vec3> parse_place(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return make_error(ErrorCode::command_line, fmt::format("expected two or three lengths, found '{}'", text),
                      why + "For example 0.5,-2 or 0.5,-2,10cm; bare numbers are metres.");
  };
  Vec3 out{};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++count) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (count == 3) return wrong({});
    const auto read = parse_quantity(text.substr(begin, end - begin), "m");
    if (!read) return wrong(read.error().text + ". ");
    out[count] = read->value;
    begin = end + 1;
  }
  return count >= 2 ? Result<Vec3>(out) : Result<Vec3>(wrong({}));
}

std::string place_text(const Vec3& place, int digits) {
  double largest = 0;
  for (const double x : place) largest = std::max(largest, std::abs(x));
  std::string out;
  for (const double x : place) {
    double rounded = 0;
    if (largest > 0 && std::isfinite(largest)) {
      const double unit = std::pow(10.0, std::floor(std::log10(largest)) + 1 - digits);
      rounded = std::round(x / unit) * unit;
    }
    out += fmt::format("{}{:.{}g}", out.empty() ? "" : ", ", rounded == 0 ? 0.0 : rounded, digits + 2);
  }
  return out;
}

}  // namespace conoid
