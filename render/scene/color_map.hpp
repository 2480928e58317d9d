// SPDX-License-Identifier: BSD-3-Clause
// Colour maps: control points in CIELAB, joined smoothly, so that equal steps of a value look like equal steps.
//
// Lab → sRGB follows CIE 15 (D65 white) and IEC 61966-2-1. A colour outside sRGB loses chroma, never lightness.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/run_reader.hpp"
#include "render/scene/theme.hpp"

namespace conoid {

using Lab = std::array<double, 3>;
[[nodiscard]] Rgb rgb_of(const Lab& lab);  ///< clipped to sRGB by chroma

class ColorMap {
 public:
  struct Point {
    double at = 0;
    Lab lab{};
  };
  /// `points` ascend from at = 0 to at = 1, two or more; cyclic maps repeat the first colour at the end.
  ColorMap(std::string name, std::string title, FieldKind kind, std::vector<Point> points);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] FieldKind kind() const { return kind_; }
  [[nodiscard]] Rgb at(double t) const;  ///< t is clamped to 0 … 1 (wrapped for phase maps)
  /// `entries` colours from t = 0 to t = 1, bytes R G B 255.
  [[nodiscard]] std::vector<std::array<std::uint8_t, 4>> table(int entries) const;

 private:
  std::string name_;
  std::string title_;
  FieldKind kind_;
  std::vector<Point> points_;
};

/// {"name", "title", "kind": "magnitude" | "signed" | "phase", "points": [[at, L, a, b], …]}
[[nodiscard]] Result<ColorMap> parse_color_map(std::string_view json, const std::string& file);
/// A map by name: compiled in, else resources/colormaps/<name>.json. The error lists the maps there are.
[[nodiscard]] Result<ColorMap> find_color_map(std::string_view name);
[[nodiscard]] std::vector<std::string> color_map_names();

}  // namespace conoid
