// SPDX-License-Identifier: BSD-3-Clause
// Title at the top left, legend in rows below it.
#include "render/chart/chart_frame.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "render/scene/painting.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {
constexpr double swatch = 18;
constexpr double swatch_gap = 6;
constexpr double entry_gap = 18;
constexpr double row_height = 20;

/// A legend in rows takes a third of the height at most: what does not fit is counted, "+17".
void cut_legend(ChartFrame& frame, double left, double right, int rows) {
  const double r = frame.ratio;
  const int most = std::max(1, static_cast<int>(frame.height / 3 / (row_height * r)));
  if (rows <= most) return;
  const std::size_t all = frame.legend.size();
  const double room = text_size(frame.theme, fmt::format("+{}", all), chart_text * r)[0];
  double x = left;
  int row = 1;
  std::size_t kept = 0;
  for (; kept < all; ++kept) {
    const LegendEntry& entry = frame.legend[kept];
    if (x > left && x + entry.width > right) x = left, ++row;
    // The last row leaves room for the count.
    if (row > most || (row == most && x + entry.width + entry_gap * r + room > right)) break;
    x += entry.width + entry_gap * r;
  }
  kept = std::max<std::size_t>(kept, 1);
  if (kept >= all) return;
  frame.legend.resize(kept);
  LegendEntry rest;
  rest.label = fmt::format("+{}", all - kept);
  rest.text_only = true;
  rest.width = room;
  frame.legend.push_back(rest);
}

}  // namespace

void lay_out(ChartFrame& frame) {
  const double r = frame.ratio;
  double top = frame.height - chart_margin * r;
  if (!frame.title.empty()) top -= (chart_title + 10) * r;
  const double left = chart_margin * r;
  double right = frame.width - chart_margin * r;
  if (!frame.legend.empty()) {
    double widest = 0;
    double x = left;
    int rows = 1;
    for (LegendEntry& entry : frame.legend) {
      entry.width = (swatch + swatch_gap) * r + text_size(frame.theme, entry.label, chart_text * r)[0];
      widest = std::max(widest, entry.width);
      if (x > left && x + entry.width > right) x = left, ++rows;
      x += entry.width + entry_gap * r;
    }
    // Rows take height, which a wide and low chart has none to spare of: there the legend stands at the right.
    const double column = static_cast<double>(frame.legend.size()) * row_height * r;
    const bool beside = frame.width > 1.4 * frame.height && (rows > 1 || frame.round) && 3 * widest < frame.width &&
                        column < top - left;
    if (!beside) cut_legend(frame, left, right, rows);
    x = left;
    double y = top - row_height * r / 2;
    for (LegendEntry& entry : frame.legend) {
      if (beside) {
        entry.x = right - widest;
        entry.y = y;
        y -= row_height * r;
        continue;
      }
      if (x > left && x + entry.width > right) {
        x = left;
        y -= row_height * r;
      }
      entry.x = x;
      entry.y = y;
      x += entry.width + entry_gap * r;
    }
    if (beside)
      right -= widest + entry_gap * r;
    else
      top = y - row_height * r / 2;
  }
  top -= 8 * r;
  const double bottom = chart_margin * r;
  frame.inside = {left, bottom, std::max(right - left, 1.0), std::max(top - bottom, 1.0)};
}

void paint_frame(vtkContext2D& painter, const ChartFrame& frame) {
  const double r = frame.ratio;
  draw_text(painter, frame.theme, frame.theme.text, chart_title * r, true, Align::left, Raise::top, chart_margin * r,
            frame.height - chart_margin * r, frame.title);
  for (const LegendEntry& entry : frame.legend) {
    if (entry.text_only) {
      draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, Align::left, Raise::middle, entry.x,
                entry.y, entry.label);
      continue;
    }
    if (entry.block) {
      no_pen(painter);
      use_brush(painter, entry.color);
      draw_rect(painter, std::round(entry.x), std::round(entry.y - 5 * r), 12 * r, 10 * r);
    } else {
      use_pen(painter, entry.faint ? frame.theme.grid : entry.color, 2 * r);
      const int pieces = entry.dashed ? 3 : 1;
      const double step = swatch * r / pieces;
      for (int i = 0; i < pieces; ++i)
        draw_line(painter, entry.x + i * step, entry.y, entry.x + i * step + (entry.dashed ? 0.6 : 1.0) * step,
                  entry.y);
    }
    const double offset = entry.block ? 18 : swatch + swatch_gap;
    draw_text(painter, frame.theme, entry.faint ? frame.theme.muted : frame.theme.text, chart_text * r, false,
              Align::left, Raise::middle, entry.x + offset * r, entry.y, entry.label);
    // Struck out: a hidden curve is not told by colour alone.
    if (entry.faint) {
      use_pen(painter, frame.theme.muted, r);
      draw_line(painter, entry.x + offset * r, entry.y, entry.x + entry.width, entry.y);
    }
  }
}

std::string what_overlay_is(const std::string& label, const std::string& curve) {
  if (!label.starts_with(curve)) return {};
  const std::string rest = label.substr(curve.size());
  if (rest.starts_with(", ")) return rest.substr(2);
  return rest == " exact" ? "exact" : std::string();  // as the names of columns have it
}

std::optional<std::size_t> curve_of_overlay(const ChartSpec& spec, std::size_t overlay) {
  const Series& s = spec.series[overlay];
  if (!s.overlay) return std::nullopt;
  for (std::size_t i = 0; i < spec.series.size(); ++i)
    if (!spec.series[i].overlay && !what_overlay_is(s.label, spec.series[i].label).empty()) return i;
  return std::nullopt;
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
  const bool marked = std::any_of(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.marks; });
  const bool paired = overlays > 1 && overlays == plain && !marked;
  std::size_t curve = 0;
  std::size_t overlay = 0;
  for (const Series& s : spec.series) {
    if (s.ink)
      colors.push_back(*s.ink), curve += s.overlay || s.color >= 0 ? 0 : 1;
    else if (s.color >= 0)
      colors.push_back(palette(static_cast<std::size_t>(s.color)));
    else if (!s.overlay)
      colors.push_back(palette(curve++));
    else
      colors.push_back(paired ? palette(overlay++) : theme.text);
  }
  // An overlay that is named after a curve has its colour.
  for (std::size_t i = 0; i < spec.series.size(); ++i)
    if (const auto curve_number = curve_of_overlay(spec, i);
        curve_number && spec.series[i].color < 0 && !spec.series[i].ink)
      colors[i] = colors[*curve_number];
  return colors;
}

}  // namespace conoid
