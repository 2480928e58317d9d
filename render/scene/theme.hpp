// SPDX-License-Identifier: BSD-3-Clause
// Colours and type of a picture: one struct for scenes and charts, light and dark.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/run_reader.hpp"

namespace conoid {

using Rgb = std::array<double, 3>;  ///< sRGB, 0 … 1

/// "#rrggbb" or "#rgb".
[[nodiscard]] Result<Rgb> parse_rgb(std::string_view text);

struct Theme {
  std::string name = "light";
  bool dark = false;
  Rgb background{1, 1, 1};  ///< of scenes
  Rgb chart_background{1, 1, 1};
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
  bool decimal_comma = false;  ///< in all texts of pictures (engine/core/decimal_comma.hpp)
};

/// `share` of a over b.
[[nodiscard]] Rgb mix(const Rgb& a, const Rgb& b, double share);

/// "light" or "dark", with the colours of resources/themes/<name>.json laid over it if that file exists: "colours" may
/// hold viewport, chart, text, muted, grid, mesh, accent as "#rrggbb", and "series" is an array of them; other keys are
/// the window's own.
[[nodiscard]] Result<Theme> find_theme(std::string_view name);
/// The same on white paper (the light theme): what exports take unless asked.
[[nodiscard]] Theme paper(Theme theme);
[[nodiscard]] Theme light_theme();
[[nodiscard]] Theme dark_theme();

}  // namespace conoid
