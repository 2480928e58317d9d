// SPDX-License-Identifier: BSD-3-Clause
// Painted directly with VTK's 2-D context.
#include "render/chart/special_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <vtkContext2D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRect.h>

#include "render/chart/thinning.hpp"
#include "render/scene/color_map.hpp"
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

namespace {

/// The part of the circle that the angles take, in degrees, and its box around the centre in radii: a half or a quarter alone is
/// drawn twice as large.
struct Sector {
  int begin = 0, end = 360;
  double left = -1, right = 1, bottom = -1, top = 1;
};

Sector sector_of(const ChartSpec& spec) {
  double low = INFINITY, high = -INFINITY;
  for (const Series& s : spec.series)
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
      if (std::isfinite(s.x[i]) && std::isfinite(s.y[i])) low = std::min(low, s.x[i]), high = std::max(high, s.x[i]);
  constexpr double slack = 1e-6;
  const auto within = [&](double a, double b) { return low >= a - slack && high <= b + slack; };
  if (within(0, 90)) return {0, 90, 0, 1, 0, 1};
  if (within(0, 180)) return {0, 180, -1, 1, 0, 1};
  if (within(-90, 90)) return {-90, 90, 0, 1, -1, 1};
  if (within(180, 360)) return {180, 360, -1, 1, -1, 0};
  return {};
}

/// One curve, its values along the radius by `at` of what `value_of` makes of them.
template <class At, class Value>
void draw_polar_curve(vtkContext2D& painter, const Series& s, const Rgb& ink, double r, double cx, double cy,
                      const At& at, const Value& value_of) {
  std::vector<float> line;
  use_pen(painter, ink, (s.overlay ? 1.6 : 2) * r);
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

}  // namespace

/// What a polar chart in decibels spans at least, unless its axis says otherwise.
constexpr double least_decibels = 10;

void paint_polar(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec) {
  const double r = frame.ratio;
  const Box& box = frame.inside;
  const double pad = 24 * r;
  // In a low pane the figures above and below the circle go into it: it has their room.
  const bool low_pane = box.height < 320 * r;
  const double pad_up = low_pane ? 6 * r : pad;
  const Sector sector = sector_of(spec);
  const double radius = std::min((box.width - 2 * pad) / (sector.right - sector.left),
                                 (box.height - 2 * pad_up) / (sector.top - sector.bottom));
  if (radius < 20 * r) return;
  const double cx = box.x + box.width / 2 - radius * (sector.left + sector.right) / 2;
  const double cy = box.y + box.height / 2 - radius * (sector.bottom + sector.top) / 2;
  const bool log = spec.y_scale == AxisScale::log;
  const bool decibel = spec.y_unit.starts_with("dB");
  const auto value_of = [&](double y) { return log ? (y > chart_nothing ? std::log10(y) : NAN) : y; };
  double low = INFINITY;
  double high = -INFINITY;
  for (const Series& s : spec.series)
    for (const double y : s.y)
      if (const double v = value_of(y); std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  if (!(low <= high)) low = 0, high = 1;
  if (!log && !decibel && std::max(std::abs(low), std::abs(high)) < chart_nothing) low = 0, high = 1;
  if (!log && !decibel && low >= 0) low = 0;
  if (spec.limits.y_high) high = value_of(*spec.limits.y_high);
  if (decibel) low = std::max(low, high - spec.limits.decibels);  // nulls would press everything else to the rim
  // Nor is the quietest direction the centre, where nothing of a curve would be seen.
  if (decibel) low = std::min(low, high - least_decibels);
  if (spec.limits.y_low) low = value_of(*spec.limits.y_low);
  if (!(high - low >= 1e-12 * std::max(1.0, std::abs(high)))) high = low + 1;
  const int most = std::clamp(static_cast<int>(radius / (20 * r)), 2, 7);
  const TickSet rings = log ? log_ticks(low, high, most, spec.y_unit) : tidy_ticks(low, high, most, spec.y_unit);
  if (rings.ticks.size() >= 2) {
    const double step = rings.ticks[1].value - rings.ticks[0].value;
    if (!spec.limits.y_high) high = std::ceil(high / step - 0.05) * step;  // a hair above a ring does not open another
    if (!spec.limits.y_low) low = std::floor(low / step + 1e-9) * step;
    if (!spec.limits.y_low && decibel) low = std::max(low, high - std::max(spec.limits.decibels, step));
  }
  const auto at = [&](double v) { return radius * std::clamp((v - low) / (high - low), 0.0, 1.0); };
  const auto each_angle = [&](auto&& what) {
    for (int a = sector.begin; a <= sector.end && a < sector.begin + 360; a += 30)
      what(std::cos(a * degree), std::sin(a * degree), (a < 0 ? "\u2212" : "") + std::to_string(std::abs(a)) + "°");
  };
  each_angle([&](double c, double s, const std::string&) {
    use_pen(painter, frame.theme.grid, r);
    draw_line(painter, cx, cy, cx + radius * c, cy + radius * s);
  });
  const TickSet marks = log ? log_ticks(low, high, most, spec.y_unit) : tidy_ticks(low, high, most, spec.y_unit);
  std::vector<float> ring;
  for (const Tick& tick : marks.ticks) {
    const double rr = at(tick.value);
    if (rr < 1) continue;
    const int pieces = (sector.end - sector.begin) / 2;
    for (int i = 0; i <= pieces; ++i) {
      ring.push_back(static_cast<float>(cx + rr * std::cos((sector.begin + 2 * i) * degree)));
      ring.push_back(static_cast<float>(cy + rr * std::sin((sector.begin + 2 * i) * degree)));
    }
    use_pen(painter, tick.value >= high ? frame.theme.muted : frame.theme.grid, r);
    poly(painter, ring);
  }
  const auto colors = series_colors(spec, frame.theme);
  for (std::size_t k = 0; k < spec.series.size(); ++k)
    draw_polar_curve(painter, spec.series[k], colors[k], r, cx, cy, at, value_of);
  // Over curves, which may pass there, on a patch of their own.
  const auto patched = [&](double x, double y, double pixels, const std::string& text) {
    const auto size = text_size(frame.theme, text, pixels);
    no_pen(painter);
    use_brush(painter, frame.theme.background, 0.8);
    draw_rect(painter, x - size[0] / 2 - 2 * r, y - size[1] / 2 - 2 * r, size[0] + 4 * r, size[1] + 4 * r);
    draw_text(painter, frame.theme, frame.theme.muted, pixels, false, Align::centre, Raise::middle, x, y, text);
  };
  each_angle([&](double c, double s, const std::string& text) {
    if (low_pane && std::abs(c) < 1e-6)
      patched(cx - 4 * r - text_size(frame.theme, text, chart_text * r)[0] / 2, cy + (radius - 9 * r) * s,
              chart_text * r, text);
    else
      draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, Align::centre, Raise::middle,
                cx + (radius + 16 * r) * c, cy + (radius + 12 * r) * s, text);
  });
  for (const Tick& tick : marks.ticks) {
    const double rr = at(tick.value);
    if (rr < 1) continue;
    const double angle = (sector.begin == 180 ? 285 : 75) * degree;
    patched(cx + rr * std::cos(angle), cy + rr * std::sin(angle), 11 * r, tick.label);
  }
  draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, Align::left, Raise::bottom, box.x, box.y,
            axis_title(spec.y_label, marks.unit));
}

namespace {

thread_local DrawnPictures* drawn_pictures = nullptr;

/// A picture of `columns` × `rows` colours into a box, without blending between them.
void draw_colours(vtkContext2D& painter, const Box& box, int columns, int rows,
                  const std::function<std::array<std::uint8_t, 4>(int, int)>& colour) {
  vtkNew<vtkImageData> image;
  image->SetDimensions(columns, rows, 1);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, 4);
  auto* bytes = static_cast<std::uint8_t*>(image->GetScalarPointer());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const auto c = colour(x, y);
      std::copy(
          c.begin(), c.end(),
          bytes + 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)));
    }
  if (drawn_pictures != nullptr) {
    Image kept{columns, rows, {}};
    const std::size_t row = 4 * static_cast<std::size_t>(columns);
    for (int y = rows; y-- > 0;) {
      const std::uint8_t* from = bytes + static_cast<std::size_t>(y) * row;
      kept.pixels.insert(kept.pixels.end(), from, from + row);
    }
    drawn_pictures->images.push_back(std::move(kept));
  }
  painter.DrawImage(vtkRectf(static_cast<float>(box.x), static_cast<float>(box.y), static_cast<float>(box.width),
                             static_cast<float>(box.height)),
                    image);
}

constexpr int map_entries = 256;

std::vector<std::array<std::uint8_t, 4>> map_colours(const std::string& name) {
  const auto map = find_color_map(name);
  if (map) return map->table(map_entries);
  return std::vector<std::array<std::uint8_t, 4>>(map_entries, {128, 128, 128, 255});
}

/// The value of a trace at a time, between its samples; not-a-number outside.
double value_at(const Series& s, double time, std::size_t& from) {
  while (from + 1 < s.x.size() && s.x[from + 1] < time) ++from;
  if (s.x.empty() || time < s.x.front() || time > s.x.back()) return NAN;
  if (from + 1 >= s.x.size()) return s.y.back();
  const double step = s.x[from + 1] - s.x[from];
  const double f = step > 0 ? std::clamp((time - s.x[from]) / step, 0.0, 1.0) : 0.0;
  return s.y[from] + f * (s.y[from + 1] - s.y[from]);
}

constexpr double scale_bar = 12, scale_gap = 14;

/// What the colours of a chart stand for.
struct ColourScale {
  double low = -1, high = 1;
  std::string label, unit;
};

ColourScale colour_scale(const ChartSpec& spec) {
  if (spec.kind == ChartKind::gather) {
    const double swing = gather_scale(spec);
    return {-swing, swing, {}, spec.y_unit};
  }
  const double top = spec.spectrogram && std::isfinite(spec.spectrogram->top) ? spec.spectrogram->top : 0;
  return {top - spec.limits.decibels, top, spec.z_label, spec.z_unit};
}

TickSet scale_ticks(const ChartFrame& frame, const ColourScale& scale) {
  const int most = std::clamp(static_cast<int>(frame.inside.height / (40 * frame.ratio)), 2, 6);
  // One figure alone says nothing.
  TickSet ticks = tidy_ticks(scale.low, scale.high, most, scale.unit);
  for (int more = most + 1; ticks.ticks.size() < 2 && more <= 6; ++more)
    ticks = tidy_ticks(scale.low, scale.high, more, scale.unit);
  return ticks;
}

/// Above the colours: what they stand for, as far to the left as it needs.
void draw_scale(vtkContext2D& painter, const ChartFrame& frame, const ColourScale& scale, const Box& plot,
                const std::vector<std::array<std::uint8_t, 4>>& colours) {
  const double r = frame.ratio;
  const Box bar{plot.right() + scale_gap * r, plot.y, scale_bar * r, plot.height};
  draw_colours(painter, bar, 1, map_entries, [&](int, int y) { return colours[static_cast<std::size_t>(y)]; });
  const TickSet ticks = scale_ticks(frame, scale);
  for (const Tick& tick : ticks.ticks) {
    const double y = bar.y + (tick.value - scale.low) / (scale.high - scale.low) * bar.height;
    draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, Align::left, Raise::middle,
              bar.right() + 5 * r, y, tick.label);
  }
  const bool named = !scale.label.empty();
  draw_text(painter, frame.theme, frame.theme.muted, chart_text * r, false, named ? Align::right : Align::left,
            Raise::bottom, named ? frame.inside.right() : bar.x, bar.top() + 4 * r,
            named ? axis_title(scale.label, ticks.unit) : ticks.unit);
}

}  // namespace

DrawnPictures::DrawnPictures() {
  drawn_pictures = this;
}

DrawnPictures::~DrawnPictures() {
  drawn_pictures = nullptr;
}

bool has_colour_scale(const ChartSpec& spec) {
  return spec.kind == ChartKind::spectrogram || (spec.kind == ChartKind::gather && spec.look != GatherLook::wiggles);
}

double colour_scale_room(const ChartFrame& frame, const ChartSpec& spec) {
  if (!has_colour_scale(spec)) return 0;
  const ColourScale scale = colour_scale(spec);
  const TickSet ticks = scale_ticks(frame, scale);
  // A name ends at the right, over the plot.
  double widest = scale.label.empty() ? text_size(frame.theme, ticks.unit, chart_text * frame.ratio)[0] : 0;
  for (const Tick& tick : ticks.ticks)
    widest = std::max(widest, text_size(frame.theme, tick.label, chart_text * frame.ratio)[0]);
  return widest + (scale_bar + scale_gap + 8) * frame.ratio;
}

void paint_gather(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec, const GatherView& view) {
  const double r = frame.ratio;
  const Box& plot = view.plot;
  const auto traces = static_cast<int>(spec.series.size());
  if (traces == 0 || spec.series.front().x.empty() || plot.width < 4 || plot.height < 4) return;
  const double swing = gather_scale(spec);
  const auto time_at = [&](double px) { return view.x_low + px / plot.width * (view.x_high - view.x_low); };
  // The first trace at the top.
  const auto y_of = [&](double trace) {
    return plot.top() - (trace - view.y_low) / (view.y_high - view.y_low) * plot.height;
  };
  if (spec.look != GatherLook::wiggles) {
    const auto colours = map_colours(frame.theme.dark ? "swing-dark" : "swing");
    const auto colour_of = [&](double v) {
      if (!std::isfinite(v)) return std::array<std::uint8_t, 4>{0, 0, 0, 0};
      const double t = std::clamp(0.5 + 0.5 * v / swing, 0.0, 1.0);
      return colours[static_cast<std::size_t>(std::lround(t * (map_entries - 1)))];
    };
    const int columns = std::clamp(static_cast<int>(plot.width), 2, 2048);
    const int rows = std::clamp(static_cast<int>(plot.height), 2, 2048);
    // Once a trace, then rows of pixels take their trace's.
    std::vector<std::vector<std::array<std::uint8_t, 4>>> lines(static_cast<std::size_t>(traces));
    for (int k = 0; k < traces; ++k) {
      auto& line = lines[static_cast<std::size_t>(k)];
      std::size_t from = 0;
      for (int x = 0; x < columns; ++x)
        line.push_back(colour_of(
            value_at(spec.series[static_cast<std::size_t>(k)], time_at((x + 0.5) * plot.width / columns), from)));
    }
    draw_colours(painter, plot, columns, rows, [&](int x, int y) {
      const double trace = view.y_high - (y + 0.5) / rows * (view.y_high - view.y_low);
      const int k = static_cast<int>(std::lround(trace)) - 1;
      return k >= 0 && k < traces ? lines[static_cast<std::size_t>(k)][static_cast<std::size_t>(x)]
                                  : std::array<std::uint8_t, 4>{0, 0, 0, 0};
    });
    draw_scale(painter, frame, colour_scale(spec), plot, colours);
  }
  if (spec.look == GatherLook::picture) return;
  const double apart = plot.height / (view.y_high - view.y_low);
  const auto colours = series_colors(spec, frame.theme);
  std::vector<float> line;
  for (int k = 0; k < traces; ++k) {
    const double middle = y_of(k + 1);
    if (middle < plot.y - 1 || middle > plot.top() + 1) continue;
    const Series& s = spec.series[static_cast<std::size_t>(k)];
    const auto points = thin_columns(s.x, s.y, view.x_low, view.x_high, std::max(1, static_cast<int>(plot.width)));
    const Rgb ink = spec.look == GatherLook::both ? frame.theme.text : colours[static_cast<std::size_t>(k)];
    const auto at = [&](const ThinPoint& p) {
      const double x = plot.x + (p.x - view.x_low) / (view.x_high - view.x_low) * plot.width;
      const double y = middle + std::clamp(p.y / swing, -1.0, 1.0) * 0.9 * apart;
      return std::pair{std::clamp(x, plot.x, plot.right()), std::clamp(y, plot.y, plot.top())};
    };
    // What swings up is filled, a column at a time, as on paper records.
    if (spec.look == GatherLook::wiggles) {
      use_pen(painter, ink, r, 0.35);
      std::size_t from = 0;
      for (double px = 0; px < plot.width; px += r) {
        const double v = value_at(s, time_at(px), from);
        if (!(v > 0)) continue;
        const double top = std::min(middle + std::min(v / swing, 1.0) * 0.9 * apart, plot.top());
        if (top - middle > 0.5 * r) draw_line(painter, plot.x + px, middle, plot.x + px, top);
      }
    }
    use_pen(painter, ink, (spec.look == GatherLook::both ? 0.8 : 1.2) * r, spec.look == GatherLook::both ? 0.65 : 1);
    for (const ThinPoint& p : points) {
      if (!std::isfinite(p.y)) {
        poly(painter, line);
        continue;
      }
      const auto [x, y] = at(p);
      line.push_back(static_cast<float>(x));
      line.push_back(static_cast<float>(y));
    }
    poly(painter, line);
    line.clear();
  }
}

void paint_spectrogram(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec, const GatherView& view) {
  const Box& plot = view.plot;
  if (!spec.spectrogram || plot.width < 4 || plot.height < 4) return;
  const Spectrogram& s = *spec.spectrogram;
  const ColourScale scale = colour_scale(spec);
  const auto colours = map_colours(frame.theme.magnitude_map);
  const auto times = static_cast<long>(s.times.size()), bins = static_cast<long>(s.frequencies.size());
  const int columns = std::clamp(static_cast<int>(plot.width), 2, 2048);
  const int rows = std::clamp(static_cast<int>(plot.height), 2, 2048);
  // What a pixel covers of times, and of frequencies: cells by their middles, one at least.
  const auto covered = [](double low, double high, double first, double step, long count) {
    const double a = (low - first) / step, b = (high - first) / step;
    if (!(b >= -0.5 && a <= static_cast<double>(count) - 0.5)) return std::pair{0L, 0L};
    const long begin = std::clamp(std::lround(a), 0L, count - 1);
    return std::pair{begin, std::clamp(std::lround(b), begin + 1, count)};
  };
  const auto at = [](double low, double high, int k, int of) { return low + (high - low) * k / of; };
  const double bin = s.frequencies[1];
  std::vector<std::pair<long, long>> of_row;
  of_row.reserve(static_cast<std::size_t>(rows));
  for (int y = 0; y < rows; ++y)
    of_row.push_back(
        covered(at(view.y_low, view.y_high, y, rows), at(view.y_low, view.y_high, y + 1, rows), 0, bin, bins));
  std::vector<float> seen(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), -INFINITY);
  std::vector<bool> there(static_cast<std::size_t>(columns));
  for (int x = 0; x < columns; ++x) {
    const auto [from, to] = covered(at(view.x_low, view.x_high, x, columns),
                                    at(view.x_low, view.x_high, x + 1, columns), s.times.front(), s.step, times);
    there[static_cast<std::size_t>(x)] = to > from;
    for (long t = from; t < to; ++t)
      for (int y = 0; y < rows; ++y) {
        float& level =
            seen[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)];
        for (long k = of_row[static_cast<std::size_t>(y)].first; k < of_row[static_cast<std::size_t>(y)].second; ++k)
          level = std::max(level, s.levels[static_cast<std::size_t>(t * bins + k)]);
      }
  }
  draw_colours(painter, plot, columns, rows, [&](int x, int y) {
    const auto& row = of_row[static_cast<std::size_t>(y)];
    if (!there[static_cast<std::size_t>(x)] || row.second <= row.first) return std::array<std::uint8_t, 4>{0, 0, 0, 0};
    const auto level = static_cast<double>(
        seen[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)]);
    const double t = std::clamp((level - scale.low) / (scale.high - scale.low), 0.0, 1.0);
    return colours[static_cast<std::size_t>(std::lround(t * (map_entries - 1)))];
  });
  draw_scale(painter, frame, scale, plot, colours);
}

namespace {

constexpr double balance_below = 40;  ///< room for the passes

/// Those of which there is something to show, and room for it; their boxes are not placed yet.
std::vector<Strip> strips_of(const ChartFrame& frame, const ChartSpec& spec) {
  const double r = frame.ratio;
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
  return strips;
}

/// What the workers did, added up over the passes that share a column of the picture.
struct BalanceSums {
  struct Sum {
    double busy = 0, copying = 0, waiting = 0, begin = 0, end = 0;
    std::array<double, 2> strips{};
    int rows = 0;
  };
  BalanceSums(const ChartSpec& spec, const std::vector<Strip>& strips, double most_bins);
  std::uint64_t first = 0, last = 0;  ///< passes
  double passes = 0;
  Index most = 1;  ///< items
  int workers = 0, bins = 0;
  std::vector<Sum> sums;  ///< [bin][worker]
};
BalanceSums::BalanceSums(const ChartSpec& spec, const std::vector<Strip>& strips, double most_bins) {
  first = last = spec.balance.front().pass;
  for (const BalanceRow& row : spec.balance) {
    first = std::min(first, row.pass);
    last = std::max(last, row.pass);
    most = std::max(most, row.items.end);
    workers = std::max(workers, row.worker + 1);
  }
  workers = std::clamp(workers, 1, 64);
  passes = static_cast<double>(last - first + 1);
  bins = static_cast<int>(std::clamp(std::floor(std::min(passes, most_bins)), 1.0, 4096.0));
  const auto w = static_cast<std::size_t>(workers);
  sums.resize(static_cast<std::size_t>(bins) * w);
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
}

struct BalanceBoxes {
  Box shares, items;
  bool both;  ///< of these two
  std::vector<Strip> strips;
};

void draw_balance_columns(vtkContext2D& painter, const ChartFrame& frame, const BalanceBoxes& boxes,
                          const BalanceSums& all) {
  const double r = frame.ratio;
  const Theme& theme = frame.theme;
  const Box &shares = boxes.shares, &items = boxes.items;
  const std::vector<Strip>& strips = boxes.strips;
  const bool both = boxes.both;
  const double left = shares.x, width = shares.width;
  const int bins = all.bins;
  const auto w = static_cast<std::size_t>(all.workers);
  const auto color = [&](std::size_t k) {
    return theme.series.empty() ? theme.accent : theme.series[k % theme.series.size()];
  };
  no_pen(painter);
  for (int bin = 0; bin < bins; ++bin) {
    const double x0 = std::round(left + width * bin / bins);
    const double x1 = std::round(left + width * (bin + 1) / bins) - (width / bins > 14 * r ? r : 0);
    const BalanceSums::Sum* s = all.sums.data() + static_cast<std::size_t>(bin) * w;
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
      const double a = s[k].begin / s[k].rows / static_cast<double>(all.most);
      const double b = s[k].end / s[k].rows / static_cast<double>(all.most);
      use_brush(painter, color(k), 0.85);
      draw_rect(painter, x0, items.y + items.height * a, x1 - x0, items.height * (b - a));
      for (std::size_t i = 0; i < strips.size(); ++i) {
        // Where several passes share a column of pixels: what one of them took.
        const double value = strips[i].adds_up ? s[k].strips[i] / std::max(1.0, all.passes / bins) : s[k].strips[i];
        if (value <= 0) continue;
        const double top = strips[i].box.y + strips[i].box.height * std::min(1.0, value / strips[i].most);
        use_brush(painter, color(k), 1);
        draw_rect(painter, x0, top - 2 * r, x1 - x0, 2 * r);
      }
    }
  }
}

void draw_balance_labels(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec,
                         const BalanceBoxes& boxes, const BalanceSums& all) {
  const double r = frame.ratio;
  const Theme& theme = frame.theme;
  const Box &shares = boxes.shares, &items = boxes.items;
  const std::vector<Strip>& strips = boxes.strips;
  const bool both = boxes.both;
  const double left = shares.x, width = shares.width;
  const auto label_y = [&](const Box& box, double t, const std::string& text) {
    draw_text(painter, theme, theme.muted, chart_text * r, false, Align::right, Raise::middle, box.x - 8 * r,
              box.y + t * box.height, text);
    use_pen(painter, theme.background, r, 0.5);
    if (t > 0 && t < 1) draw_line(painter, box.x, box.y + t * box.height, box.right(), box.y + t * box.height);
  };
  const int percents = shares.height > 90 * r ? 25 : shares.height > 44 * r ? 50 : 100;
  for (int percent = 0; percent <= 100; percent += percents)
    label_y(shares, percent / 100.0, std::to_string(percent) + " %");
  const TickSet counts = tidy_ticks(0, static_cast<double>(all.most), 4, "1");
  for (const Tick& tick : counts.ticks)
    if (both) label_y(items, tick.value / static_cast<double>(all.most), tick.label);
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
  const TickSet ticks = tidy_ticks(static_cast<double>(all.first), static_cast<double>(all.last) + 1e-9,
                                   std::clamp(static_cast<int>(width / (70 * r)), 2, 12), "1");
  for (const Tick& tick : ticks.ticks) {
    if (std::abs(tick.value - std::round(tick.value)) > 1e-9) continue;
    const double x = left + width * (tick.value - static_cast<double>(all.first) + 0.5) / all.passes;
    draw_text(painter, theme, theme.muted, chart_text * r, false, Align::centre, Raise::top, x,
              frame.inside.y + balance_below * r - 6 * r, tick.label);
  }
  draw_text(painter, theme, theme.text, chart_text * r, false, Align::centre, Raise::bottom, left + width / 2,
            frame.inside.y, axis_title(spec.words.pass, ticks.unit));
}

}  // namespace

void paint_balance(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec) {
  const double r = frame.ratio;
  const Theme& theme = frame.theme;
  const double left = frame.inside.x + 66 * r;
  const double width = frame.inside.right() - left;
  const double below = balance_below * r;
  const double gap = 28 * r;
  // With little room only one of the two is readable: the shares, which say whether there is anything to balance.
  const bool both = frame.inside.height > 210 * r;
  const double height = frame.inside.height - below - (both ? 2 : 1) * gap + 6 * r;
  if (width < 40 * r || height < 24 * r) return;
  std::vector<Strip> strips = strips_of(frame, spec);
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
  const BalanceSums all(spec, strips, width / (2 * r));
  const BalanceBoxes boxes{shares, items, both, std::move(strips)};
  draw_balance_columns(painter, frame, boxes, all);
  draw_balance_labels(painter, frame, spec, boxes, all);
}

}  // namespace conoid
