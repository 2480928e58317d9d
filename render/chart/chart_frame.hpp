// SPDX-License-Identifier: BSD-3-Clause
// What all charts share: colours of curves, title, legend and the place that is left for the plot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/chart/chart_spec.hpp"
#include "render/scene/theme.hpp"

class vtkContext2D;

namespace conoid {

/// Device pixels from the bottom left.
struct Box {
  double x = 0, y = 0, width = 1, height = 1;
  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double top() const { return y + height; }
  [[nodiscard]] bool contains(double px, double py) const { return px >= x && px <= right() && py >= y && py <= top(); }
};

struct LegendEntry {
  std::string label;
  Rgb color{};
  bool dashed = false;
  bool block = false;      ///< a filled square instead of a line
  bool faint = false;      ///< its curve is hidden
  bool text_only = false;  ///< counts entries that found no room
  double x = 0;            ///< placed by lay_out
  double y = 0;
  double width = 0;
};

/// Everything measured once before a picture.
struct ChartFrame {
  Theme theme;
  double ratio = 1;
  int width = 1;
  int height = 1;
  std::string title;
  bool round = false;  ///< the plot leaves its sides empty: in a wide chart the legend has its place there
  std::vector<LegendEntry> legend;
  Box inside;  ///< below title and legend, within the margins
};

/// Places the legend in rows below the title, or at the right of a wide and low chart, and finds the box inside.
void lay_out(ChartFrame& frame);
void paint_frame(vtkContext2D& painter, const ChartFrame& frame);
/// What an overlay is of a curve, by their names: "exact" of "north, exact" or "north exact" and "north"; empty where it is none of its.
[[nodiscard]] std::string what_overlay_is(const std::string& label, const std::string& curve);
/// The curve that an overlay belongs to by its name: "north, exact" to "north".
[[nodiscard]] std::optional<std::size_t> curve_of_overlay(const ChartSpec& spec, std::size_t overlay);
/// The colour of each curve.
[[nodiscard]] std::vector<Rgb> series_colors(const ChartSpec& spec, const Theme& theme);

inline constexpr double chart_margin = 16;
inline constexpr double chart_text = 12;
inline constexpr double chart_title = 14;

}  // namespace conoid
