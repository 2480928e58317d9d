// SPDX-License-Identifier: BSD-3-Clause
// Title at the top left, legend in rows below it.
#include "render/chart/chart_frame.hpp"

#include <algorithm>
#include <cmath>

#include "render/scene/painting.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {
constexpr double swatch = 18;
constexpr double swatch_gap = 6;
constexpr double entry_gap = 18;
constexpr double row_height = 20;
}  // namespace

void lay_out(ChartFrame& frame) {
  const double r = frame.ratio;
  double top = frame.height - chart_margin * r;
  if (!frame.title.empty()) top -= (chart_title + 10) * r;
  if (!frame.legend.empty()) {
    const double left = chart_margin * r;
    const double right = frame.width - chart_margin * r;
    double x = left;
    double y = top - row_height * r / 2;
    for (LegendEntry& entry : frame.legend) {
      const double width = (swatch + swatch_gap) * r + text_size(frame.theme, entry.label, chart_text * r)[0];
      if (x > left && x + width > right) {
        x = left;
        y -= row_height * r;
      }
      entry.x = x;
      entry.y = y;
      entry.width = width;
      x += width + entry_gap * r;
    }
    top = y - row_height * r / 2;
  }
  top -= 8 * r;
  const double bottom = chart_margin * r;
  frame.inside = {chart_margin * r, bottom, std::max(frame.width - 2 * chart_margin * r, 1.0),
                  std::max(top - bottom, 1.0)};
}

void paint_frame(vtkContext2D& painter, const ChartFrame& frame) {
  const double r = frame.ratio;
  draw_text(painter, frame.theme, frame.theme.text, chart_title * r, true, Align::left, Raise::top, chart_margin * r,
            frame.height - chart_margin * r, frame.title);
  for (const LegendEntry& entry : frame.legend) {
    if (entry.block) {
      no_pen(painter);
      use_brush(painter, entry.color);
      draw_rect(painter, std::round(entry.x), std::round(entry.y - 5 * r), 12 * r, 10 * r);
    } else {
      use_pen(painter, entry.faint ? frame.theme.grid : entry.color, 2 * r);
      const int pieces = entry.dashed ? 3 : 1;
      const double step = swatch * r / pieces;
      for (int i = 0; i < pieces; ++i)
        draw_line(painter, entry.x + i * step, entry.y, entry.x + i * step + (entry.dashed ? 0.6 : 1.0) * step, entry.y);
    }
    const double offset = entry.block ? 18 : swatch + swatch_gap;
    draw_text(painter, frame.theme, entry.faint ? frame.theme.muted : frame.theme.text, chart_text * r, false, Align::left, Raise::middle,
              entry.x + offset * r, entry.y, entry.label);
    // Struck out: a hidden curve is not told by colour alone.
    if (entry.faint) {
      use_pen(painter, frame.theme.muted, r);
      draw_line(painter, entry.x + offset * r, entry.y, entry.x + entry.width, entry.y);
    }
  }
}

std::vector<Rgb> series_colors(const ChartSpec& spec, const Theme& theme) {
  std::vector<Rgb> colors;
  const auto palette = [&](std::size_t i) {
    return theme.series.empty() ? theme.accent : theme.series[i % theme.series.size()];
  };
  const auto overlays = static_cast<std::size_t>(
      std::count_if(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.overlay; }));
  const std::size_t plain = spec.series.size() - overlays;
  // As many overlays as curves: they belong together and share colours. Else overlays are drawn in the text's colour.
  const bool paired = overlays > 1 && overlays == plain;
  std::size_t curve = 0;
  std::size_t overlay = 0;
  for (const Series& s : spec.series) {
    if (s.color >= 0)
      colors.push_back(palette(static_cast<std::size_t>(s.color)));
    else if (!s.overlay)
      colors.push_back(palette(curve++));
    else
      colors.push_back(paired ? palette(overlay++) : theme.text);
  }
  return colors;
}

}  // namespace conoid
