// SPDX-License-Identifier: BSD-3-Clause
// Colours and type of a picture: one struct for scenes and charts, light and dark.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/run_reader.hpp"

namespace conoid {

using Rgb = std::array<double, 3>;  ///< sRGB, 0 … 1

/// "#rrggbb" or "#rgb".
[[nodiscard]] Result<Rgb> parse_rgb(std::string_view text);

struct Theme {
  std::string name = "light";
  bool dark = false;
  Rgb background{1, 1, 1};
  Rgb text{};
  Rgb muted{};    ///< secondary text, outlines, axes
  Rgb grid{};     ///< grid lines of charts
  Rgb surface{};  ///< meshes that carry no field
  Rgb accent{};
  std::vector<Rgb> series;           ///< curves of a chart, in order
  std::string signed_map = "swing";  ///< default map for signed fields
  std::string magnitude_map = "depth";
  std::string phase_map = "clock";
  std::string font_file;  ///< empty: VTK's own sans serif
  std::string font_bold_file;
};

/// "light" or "dark", with resources/themes/<name>.json laid over it if that file exists and is sound (keys background,
/// text, muted, grid, surface, accent as "#rrggbb", series as an array of them; also below "colors"; other keys are
/// left to the window).
[[nodiscard]] Result<Theme> find_theme(std::string_view name);
[[nodiscard]] Theme light_theme();
[[nodiscard]] Theme dark_theme();

}  // namespace conoid
