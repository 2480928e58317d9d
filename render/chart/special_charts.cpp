// SPDX-License-Identifier: BSD-3-Clause
// Painted directly with VTK's 2-D context.
#include "render/chart/special_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <vtkContext2D.h>

#include "render/scene/painting.hpp"
#include "render/scene/ticks.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr double degree = 3.14159265358979323846 / 180;

void poly(vtkContext2D& painter, std::vector<float>& points) {
  if (points.size() >= 4) painter.DrawPoly(points.data(), static_cast<int>(points.size() / 2));
  points.clear();
}

/// Bytes a worker in a pass, below the shares and the intervals.
struct Strip {
  double BalanceRow::*value;
  const std::string* words;
  bool adds_up;     ///< over the phases of a pass; else the most counts
  double most = 0;  ///< in one pass, of one worker
  Box box{};
};

}  // namespace

void paint_polar(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec) {
  const double r = frame.ratio;
  const Box& box = frame.inside;
  const double pad = 26 * r;
  const double radius = std::min(box.width, box.height) / 2 - pad;
  if (radius < 20 * r) return;
  const double cx = box.x + box.width / 2;
  const double cy = box.y + box.height / 2;
  const bool log = spec.y_scale == AxisScale::log;
  const auto value_of = [&](double y) { return log ? (y > 0 ? std::log10(y) : NAN) : y; };
  double low = INFINITY;
  double high = -INFINITY;
  for (const Series& s : spec.series)
    for (const double y : s.y)
      if (const double v = value_of(y); std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  if (!(low <= high)) low = 0, high = 1;
  const bool decibel = spec.y_unit.rfind("dB", 0) == 0;
  if (!log && !decibel && low >= 0) low = 0;
  if (decibel) low = std::max(low, high - 60);  // nulls would press everything else to the rim
  if (high - low < 1e-12 * std::max(1.0, std::abs(high))) high = low + 1;
  const TickSet rings = log ? log_ticks(low, high, 5, spec.y_unit) : tidy_ticks(low, high, 5, spec.y_unit);
  if (rings.ticks.size() >= 2) {
    const double step = rings.ticks[1].value - rings.ticks[0].value;
    low = std::floor(low / step + 1e-9) * step;
    high = std::ceil(high / step - 0.05) * step;  // a hair above a ring does not open another
  }
  const auto at = [&](double v) { return radius * std::max((v - low) / (high - low), 0.0); };
  for (int a = 0; a < 360; a += 30) {
    const double c = std::cos(a * degree);
    const double s = std::sin(a * degree);
    use_pen(painter, frame.theme.grid, r);
    draw_line(painter, cx, cy, cx + radius * c, cy + radius * s);
    draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, Align::centre, Raise::middle,
              cx + (radius + 16 * r) * c, cy + (radius + 12 * r) * s, std::to_string(a) + "°");
  }
  const TickSet marks = log ? log_ticks(low, high, 5, spec.y_unit) : tidy_ticks(low, high, 6, spec.y_unit);
  std::vector<float> ring;
  for (const Tick& tick : marks.ticks) {
    const double rr = at(tick.value);
    if (rr < 1) continue;
    for (int i = 0; i <= 180; ++i) {
      ring.push_back(static_cast<float>(cx + rr * std::cos(2 * i * degree)));
      ring.push_back(static_cast<float>(cy + rr * std::sin(2 * i * degree)));
    }
    use_pen(painter, tick.value >= high ? frame.theme.muted : frame.theme.grid, r);
    poly(painter, ring);
  }
  const auto colors = series_colors(spec, frame.theme);
  std::vector<float> line;
  for (std::size_t k = 0; k < spec.series.size(); ++k) {
    const Series& s = spec.series[k];
    use_pen(painter, colors[k], (s.overlay ? 1.6 : 2) * r);
    double travelled = 0;
    float last_x = 0;
    float last_y = 0;
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      const double v = value_of(s.y[i]);
      if (!std::isfinite(v) || !std::isfinite(s.x[i])) {
        poly(painter, line);
        continue;
      }
      const auto px = static_cast<float>(cx + at(v) * std::cos(s.x[i] * degree));
      const auto py = static_cast<float>(cy + at(v) * std::sin(s.x[i] * degree));
      if (!line.empty()) travelled += std::hypot(px - last_x, py - last_y);
      last_x = px;
      last_y = py;
      line.push_back(px);
      line.push_back(py);
      if (s.overlay && travelled > 7 * r) {  // dashes by leaving out every other piece
        poly(painter, line);
        travelled = -5 * r;
      } else if (s.overlay && travelled < 0) {
        line.clear();
        line.push_back(px);
        line.push_back(py);
      }
    }
    poly(painter, line);
  }
  for (const Tick& tick : marks.ticks) {
    const double rr = at(tick.value);
    if (rr < 1) continue;
    const double angle = 75 * degree;
    const double x = cx + rr * std::cos(angle);
    const double y = cy + rr * std::sin(angle);
    const auto size = text_size(frame.theme, tick.label, 11 * r);
    no_pen(painter);
    use_brush(painter, frame.theme.background, 0.8);
    draw_rect(painter, x - size[0] / 2 - 2 * r, y - size[1] / 2 - 2 * r, size[0] + 4 * r, size[1] + 4 * r);
    draw_text(painter, frame.theme, frame.theme.muted, 11 * r, false, Align::centre, Raise::middle, x, y, tick.label);
  }
  draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, Align::left, Raise::bottom, box.x, box.y,
            axis_title(spec.y_label, marks.unit));
}

void paint_balance(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec) {
  const double r = frame.ratio;
  const Theme& theme = frame.theme;
  const double left = frame.inside.x + 66 * r;
  const double width = frame.inside.right() - left;
  const double below = 40 * r;
  const double gap = 28 * r;
  // With little room only one of the two is readable: the shares, which say whether there is anything to balance.
  const bool both = frame.inside.height > 210 * r;
  const double height = frame.inside.height - below - (both ? 2 : 1) * gap + 6 * r;
  if (width < 40 * r || height < 24 * r) return;
  const Strip kinds[] = {{&BalanceRow::streamed, &spec.words.streamed, true},
                         {&BalanceRow::held, &spec.words.memory, false}};
  std::vector<Strip> strips;
  for (Strip strip : kinds) {
    if (std::none_of(spec.balance.begin(), spec.balance.end(),
                     [&](const BalanceRow& row) { return row.*strip.value > 0; }))
      continue;
    std::map<std::pair<std::uint64_t, int>, double> a_pass;  // several phases may have one number
    for (const BalanceRow& row : spec.balance) {
      double& value = a_pass[{row.pass, row.worker}];
      value = strip.adds_up ? value + row.*strip.value : std::max(value, row.*strip.value);
      strip.most = std::max(strip.most, value);
    }
    const double needed = (strips.empty() ? 330 : 420) * r;
    if (strip.most > 0 && frame.inside.height > needed) strips.push_back(strip);
  }
  const double upper = height - static_cast<double>(strips.size()) * gap,
               each = (strips.size() > 1 ? 0.18 : 0.22) * upper;
  double bottom = frame.inside.y + below;
  for (Strip& strip : strips) {
    strip.box = {left, bottom, width, each};
    bottom = strip.box.top() + gap;
  }
  const Box items{left, bottom, width, both ? 0.32 * upper : 0};
  const Box shares{left, both ? items.top() + gap : items.y, width,
                   upper - items.height - static_cast<double>(strips.size()) * each};
  if (spec.balance.empty()) {
    draw_text(painter, theme, theme.muted, 13 * r, false, Align::centre, Raise::middle, left + width / 2,
              frame.inside.y + frame.inside.height / 2, spec.words.no_passes);
    return;
  }
  std::uint64_t first = spec.balance.front().pass;
  std::uint64_t last = first;
  Index most = 1;
  int workers = 0;
  for (const BalanceRow& row : spec.balance) {
    first = std::min(first, row.pass);
    last = std::max(last, row.pass);
    most = std::max(most, row.items.end);
    workers = std::max(workers, row.worker + 1);
  }
  workers = std::clamp(workers, 1, 64);
  const auto passes = static_cast<double>(last - first + 1);
  const int bins = static_cast<int>(std::clamp(std::floor(std::min(passes, width / (2 * r))), 1.0, 4096.0));
  struct Sum {
    double busy = 0, copying = 0, waiting = 0, begin = 0, end = 0;
    std::array<double, 2> strips{};
    int rows = 0;
  };
  const auto w = static_cast<std::size_t>(workers);
  std::vector<Sum> sums(static_cast<std::size_t>(bins) * w);
  for (const BalanceRow& row : spec.balance) {
    if (row.worker < 0 || row.worker >= workers) continue;
    const int bin = std::min(static_cast<int>(static_cast<double>(row.pass - first) / passes * bins), bins - 1);
    Sum& s = sums[static_cast<std::size_t>(bin) * w + static_cast<std::size_t>(row.worker)];
    s.busy += row.busy;
    s.copying += row.copying;
    s.waiting += row.waiting;
    s.begin += static_cast<double>(row.items.begin);
    s.end += static_cast<double>(row.items.end);
    for (std::size_t i = 0; i < strips.size(); ++i) {
      const double value = row.*strips[i].value;
      s.strips[i] = strips[i].adds_up ? s.strips[i] + value : std::max(s.strips[i], value);
    }
    ++s.rows;
  }
  const auto color = [&](std::size_t k) {
    return theme.series.empty() ? theme.accent : theme.series[k % theme.series.size()];
  };
  no_pen(painter);
  for (int bin = 0; bin < bins; ++bin) {
    const double x0 = std::round(left + width * bin / bins);
    const double x1 = std::round(left + width * (bin + 1) / bins) - (width / bins > 14 * r ? r : 0);
    const Sum* s = sums.data() + static_cast<std::size_t>(bin) * w;
    double total = 0;
    for (std::size_t k = 0; k < w; ++k) total += s[k].busy + s[k].copying + s[k].waiting;
    if (total > 0) {
      double y = shares.y;
      const auto band = [&](double seconds, const Rgb& c, double opacity) {
        const double h = shares.height * seconds / total;
        if (h <= 0) return;
        use_brush(painter, c, opacity);
        draw_rect(painter, x0, y, x1 - x0, h);
        y += h;
      };
      for (std::size_t k = 0; k < w; ++k) {
        band(s[k].busy, color(k), 1);
        band(s[k].copying, color(k), 0.45);
      }
      for (std::size_t k = 0; k < w; ++k) band(s[k].waiting, theme.grid, 1);
    }
    for (std::size_t k = 0; k < w; ++k) {
      if (s[k].rows == 0 || !both) continue;
      const double a = s[k].begin / s[k].rows / static_cast<double>(most);
      const double b = s[k].end / s[k].rows / static_cast<double>(most);
      use_brush(painter, color(k), 0.85);
      draw_rect(painter, x0, items.y + items.height * a, x1 - x0, items.height * (b - a));
      for (std::size_t i = 0; i < strips.size(); ++i) {
        // Where several passes share a column of pixels: what one of them took.
        const double value = strips[i].adds_up ? s[k].strips[i] / std::max(1.0, passes / bins) : s[k].strips[i];
        if (value <= 0) continue;
        const double top = strips[i].box.y + strips[i].box.height * std::min(1.0, value / strips[i].most);
        use_brush(painter, color(k), 1);
        draw_rect(painter, x0, top - 2 * r, x1 - x0, 2 * r);
      }
    }
  }
  const auto label_y = [&](const Box& box, double t, const std::string& text) {
    draw_text(painter, theme, theme.muted, chart_text * r, false, Align::right, Raise::middle, box.x - 8 * r,
              box.y + t * box.height, text);
    use_pen(painter, theme.background, r, 0.5);
    if (t > 0 && t < 1) draw_line(painter, box.x, box.y + t * box.height, box.right(), box.y + t * box.height);
  };
  const int percents = shares.height > 90 * r ? 25 : shares.height > 44 * r ? 50 : 100;
  for (int percent = 0; percent <= 100; percent += percents)
    label_y(shares, percent / 100.0, std::to_string(percent) + " %");
  const TickSet counts = tidy_ticks(0, static_cast<double>(most), 4, "1");
  for (const Tick& tick : counts.ticks)
    if (both) label_y(items, tick.value / static_cast<double>(most), tick.label);
  for (const Strip& strip : strips) {
    label_y(strip.box, 0, "0");
    label_y(strip.box, 1, format_bytes(static_cast<Bytes>(strip.most)));
    draw_text(painter, theme, theme.text, chart_text * r, false, Align::left, Raise::bottom, strip.box.x,
              strip.box.top() + 5 * r, *strip.words);
  }
  draw_text(painter, theme, theme.text, chart_text * r, false, Align::left, Raise::bottom, shares.x,
            shares.top() + 5 * r, spec.words.shares);
  if (both)
    draw_text(painter, theme, theme.text, chart_text * r, false, Align::left, Raise::bottom, items.x,
              items.top() + 5 * r, axis_title(spec.words.items, counts.unit));
  const TickSet ticks = tidy_ticks(static_cast<double>(first), static_cast<double>(last) + 1e-9,
                                   std::clamp(static_cast<int>(width / (70 * r)), 2, 12), "1");
  for (const Tick& tick : ticks.ticks) {
    if (std::abs(tick.value - std::round(tick.value)) > 1e-9) continue;
    const double x = left + width * (tick.value - static_cast<double>(first) + 0.5) / passes;
    draw_text(painter, theme, theme.muted, chart_text * r, false, Align::centre, Raise::top, x,
              frame.inside.y + below - 6 * r, tick.label);
  }
  draw_text(painter, theme, theme.text, chart_text * r, false, Align::centre, Raise::bottom, left + width / 2,
            frame.inside.y, axis_title(spec.words.pass, ticks.unit));
}

}  // namespace conoid
