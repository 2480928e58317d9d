// SPDX-License-Identifier: BSD-3-Clause
// Lengths between commas.
#include "engine/core/place.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"

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

Ruler measure(std::span<const Vec3> places) {
  Ruler out;
  if (places.size() < 2) return out;
  out.apart = vec::sub(places[1], places[0]);
  out.length = vec::norm(out.apart);
  if (places.size() < 3) return out;
  const Vec3 on = vec::sub(places[2], places[1]);
  out.second_leg = vec::norm(on);
  if (!(out.length > 0) || !(out.second_leg > 0)) return out;
  const Vec3 u = vec::scale(-1 / out.length, out.apart), v = vec::scale(1 / out.second_leg, on);
  out.angle = 2 * std::atan2(vec::norm(vec::sub(u, v)), vec::norm(vec::add(u, v)));
  return out;
}

}  // namespace conoid
