// SPDX-License-Identifier: BSD-3-Clause
// Interpolation in Lab by cubic Hermite pieces, and conversion to bytes.
#include "render/scene/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "engine/core/json.hpp"
#include "render/scene/embedded_maps.hpp"

namespace conoid {

namespace {

constexpr std::array<double, 3> white = {0.95047, 1.0, 1.08883};  // D65

double gamma_encode(double v) {
  return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

Rgb linear_rgb(const Lab& lab) {
  const double fy = (lab[0] + 16) / 116;
  const auto inverse = [](double f) { return f > 6.0 / 29 ? f * f * f : 3 * (6.0 / 29) * (6.0 / 29) * (f - 4.0 / 29); };
  const double x = white[0] * inverse(fy + lab[1] / 500);
  const double y = white[1] * inverse(fy);
  const double z = white[2] * inverse(fy - lab[2] / 200);
  return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
          0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

bool inside(const Rgb& c) {
  return std::all_of(c.begin(), c.end(), [](double v) { return v >= -1e-6 && v <= 1 + 1e-6; });
}

std::string list_of_maps() {
  std::string list;
  for (const auto& name : color_map_names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

Rgb rgb_of(const Lab& lab) {
  Lab fitted = {std::clamp(lab[0], 0.0, 100.0), lab[1], lab[2]};
  Rgb linear = linear_rgb(fitted);
  if (!inside(linear)) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < 24; ++i) {
      const double middle = (low + high) / 2;
      (inside(linear_rgb({fitted[0], lab[1] * middle, lab[2] * middle})) ? low : high) = middle;
    }
    linear = linear_rgb({fitted[0], lab[1] * low, lab[2] * low});
  }
  for (double& v : linear) v = std::clamp(gamma_encode(std::clamp(v, 0.0, 1.0)), 0.0, 1.0);
  return linear;
}

ColorMap::ColorMap(std::string name, std::string title, FieldKind kind, std::vector<Point> points)
    : name_(std::move(name)), title_(std::move(title)), kind_(kind), points_(std::move(points)) {
  verify(points_.size() >= 2, "a colour map has at least two points");
}

Rgb ColorMap::at(double t) const {
  if (!(t == t)) t = 0;
  t = kind_ == FieldKind::phase ? t - std::floor(t) : std::clamp(t, 0.0, 1.0);
  std::size_t i = 0;
  while (i + 2 < points_.size() && t > points_[i + 1].at) ++i;
  const Point& p = points_[i];
  const Point& q = points_[i + 1];
  const double width = q.at - p.at;
  const double s = width > 0 ? (t - p.at) / width : 0;
  // Slopes by central differences; at the ends one-sided, or across the seam of a cyclic map.
  const auto slope = [&](std::size_t k, int c) {
    const auto component = static_cast<std::size_t>(c);
    const std::size_t last = points_.size() - 1;
    const bool cyclic = kind_ == FieldKind::phase;
    Point before = k > 0 ? points_[k - 1] : points_[0];
    Point after = k < last ? points_[k + 1] : points_[last];
    if (cyclic && k == 0) before = {points_[last - 1].at - 1, points_[last - 1].lab};
    if (cyclic && k == last) after = {points_[1].at + 1, points_[1].lab};
    const double d = after.at - before.at;
    return d > 0 ? (after.lab[component] - before.lab[component]) / d : 0.0;
  };
  Lab lab{};
  for (int c = 0; c < 3; ++c) {
    const auto k = static_cast<std::size_t>(c);
    const double s2 = s * s;
    const double s3 = s2 * s;
    lab[k] = (2 * s3 - 3 * s2 + 1) * p.lab[k] + (s3 - 2 * s2 + s) * width * slope(i, c) + (3 * s2 - 2 * s3) * q.lab[k] +
             (s3 - s2) * width * slope(i + 1, c);
  }
  return rgb_of(lab);
}

std::vector<std::array<std::uint8_t, 4>> ColorMap::table(int entries) const {
  std::vector<std::array<std::uint8_t, 4>> out(static_cast<std::size_t>(std::max(entries, 2)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    // The last entry of a cyclic map is t = 1, the same colour as t = 0.
    const Rgb c = at(static_cast<double>(i) / static_cast<double>(out.size() - 1));
    for (std::size_t k = 0; k < 3; ++k) out[i][k] = static_cast<std::uint8_t>(std::lround(255 * c[k]));
    out[i][3] = 255;
  }
  return out;
}

Result<ColorMap> parse_color_map(std::string_view text, const std::string& file) {
  const auto bad = [&](const std::string& pointer, const std::string& what) {
    return make_error(ErrorCode::invalid_input, what,
                      R"(Expected {"name", "title", "kind", "points": [[at, L, a, b], …]}.)", {file, 0, pointer});
  };
  const auto json = read_json(text, JsonComments::skipped);
  if (!json.is_object()) return bad("", "a colour map must be a JSON object");
  const auto string_of = [&](const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  const std::string kind_name = string_of("kind");
  FieldKind kind{};
  if (kind_name == "magnitude")
    kind = FieldKind::magnitude;
  else if (kind_name == "signed")
    kind = FieldKind::signed_value;
  else if (kind_name == "phase")
    kind = FieldKind::phase;
  else
    return bad("/kind", "expected magnitude, signed or phase, found \"" + kind_name + "\"");
  const auto list = json.find("points");
  if (list == json.end() || !list->is_array() || list->size() < 2 || list->size() > 256)
    return bad("/points", "expected 2 to 256 control points");
  std::vector<ColorMap::Point> points;
  for (const auto& entry : *list) {
    const std::string pointer = "/points/" + std::to_string(points.size());
    if (!entry.is_array() || entry.size() != 4 ||
        !std::all_of(entry.begin(), entry.end(), [](const auto& v) { return v.is_number(); }))
      return bad(pointer, "expected four numbers");
    const ColorMap::Point point{entry[0], {entry[1], entry[2], entry[3]}};
    if (points.empty() ? point.at != 0 : point.at <= points.back().at)
      return bad(pointer, "positions must ascend from 0 to 1");
    points.push_back(point);
  }
  if (points.back().at != 1) return bad("/points", "the last position must be 1");
  if (kind == FieldKind::phase && points.front().lab != points.back().lab)
    return bad("/points", "a phase map must end in the colour it starts with");
  return ColorMap(string_of("name"), string_of("title"), kind, std::move(points));
}

std::vector<std::string> color_map_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : embedded::colormaps()) names.emplace_back(name);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(resources_folder() / "colormaps", ignored))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<ColorMap> find_color_map(std::string_view name) {
  for (const auto& [known, text] : embedded::colormaps())
    if (known == name) return parse_color_map(text, std::string(known) + ".json");
  const auto names = color_map_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return make_error(ErrorCode::command_line, "there is no colour map \"" + std::string(name) + "\"",
                      "Colour maps: " + list_of_maps() + ".");
  const auto path = resources_folder() / "colormaps" / (std::string(name) + ".json");
  auto text = read_file(path, Bytes{1} << 20);
  if (!text) return text.error();
  return parse_color_map(*text, path.string());
}

}  // namespace conoid
