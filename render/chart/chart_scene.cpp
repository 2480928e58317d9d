// SPDX-License-Identifier: BSD-3-Clause
// Curves are thinned and scaled to 0 … 1 here, so that VTK's chart never meets huge counts, tiny numbers or logarithms.
#include "render/chart/chart_scene.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <vtkAxis.h>
#include <vtkBrush.h>
#include <vtkChartXY.h>
#include <vtkContext2D.h>
#include <vtkContextActor.h>
#include <vtkContextScene.h>
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPen.h>
#include <vtkPlot.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkStringArray.h>
#include <vtkTable.h>
#include <vtkTextProperty.h>

#include "render/chart/chart_frame.hpp"
#include "render/chart/paint_item.hpp"
#include "render/chart/special_charts.hpp"
#include "render/chart/thinning.hpp"
#include "render/scene/painting.hpp"
#include "render/scene/ticks.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

double forward(double v, AxisScale scale) {
  return scale == AxisScale::log ? (v > 0 ? std::log10(v) : NAN) : v;
}
double backward(double v, AxisScale scale) {
  return scale == AxisScale::log ? std::pow(10.0, v) : v;
}

void set_pen(vtkPen* pen, const Rgb& color, double width) {
  pen->SetLineType(vtkPen::SOLID_LINE);
  pen->SetColorF(color[0], color[1], color[2]);
  pen->SetWidth(static_cast<float>(width));
}

}  // namespace

struct ChartScene::Impl {
  ChartSpec spec;
  Theme theme = light_theme();
  ChartFrame frame;
  Box plot;
  bool legend = true;
  bool crosshair = true;
  bool title = true;
  std::set<std::string> hidden;
  bool zoomed = false;
  View range;  // in axis space: log10 on logarithmic axes
  bool transparent = false;
  int width = 640;
  int height = 400;
  double ratio = 1;
  std::optional<std::pair<double, double>> cursor;  // device pixels from the bottom left
  std::optional<double> mark;                       // values of the abscissa
  std::optional<double> linked;
  /// The cursor, or the place above another chart's.
  [[nodiscard]] std::optional<std::pair<double, double>> reading_place() const;
  MouseButton held = MouseButton::none;
  double last_x = 0;
  double last_y = 0;
  TickSet x_ticks;
  TickSet y_ticks;
  [[nodiscard]] TickSet trace_ticks(int most) const;

  void apply_background() { set_background(*renderer, theme.chart_background, transparent); }

  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkContextActor> actor;
  vtkNew<PaintItem> under;
  vtkNew<vtkChartXY> chart;
  vtkNew<PaintItem> over;

  /// By itself, with the curve it belongs to, or with all that are of its sort ("exact").
  [[nodiscard]] bool hides(const Series& series) const {
    if (hidden.contains(series.label)) return true;
    const auto curve = curve_of_overlay(spec, static_cast<std::size_t>(&series - spec.series.data()));
    if (!curve) return false;
    const std::string& base = spec.series[*curve].label;
    return hidden.contains(base) || hidden.contains(what_overlay_is(series.label, base));
  }
  void full_range();
  [[nodiscard]] View extent_of_values() const;
  void lift_floor(View& v) const;
  void type_limits(View& v) const;
  void rebuild();
  void fill_legend(const std::vector<Rgb>& colors);
  void place_plot();  ///< ticks of both axes, and the box that their labels leave
  void add_curve(const Series& s, const Rgb& color);
  void set_axis(int position, const TickSet& ticks, double low, double high);
  [[nodiscard]] double to_x(double px) const {
    return range.x_low + (px - plot.x) / plot.width * (range.x_high - range.x_low);
  }
  [[nodiscard]] double from_x(double v) const {
    return plot.x + (v - range.x_low) / (range.x_high - range.x_low) * plot.width;
  }
  [[nodiscard]] double from_y(double v) const {
    return plot.y + (v - range.y_low) / (range.y_high - range.y_low) * plot.height;
  }
  /// On axes of VTK's chart.
  [[nodiscard]] bool has_axes() const { return spec.kind == ChartKind::lines || is_picture(); }
  /// Colours or traces between axes that VTK's chart does not draw.
  [[nodiscard]] bool is_picture() const {
    return spec.kind == ChartKind::gather || spec.kind == ChartKind::spectrogram;
  }
  [[nodiscard]] std::optional<ChartReading> read(double px, double py) const;
  [[nodiscard]] std::optional<ChartReading> read_trace(double px, double py) const;
  [[nodiscard]] std::optional<ChartReading> read_level(double px, double py) const;
  void paint_cursor(vtkContext2D& painter) const;
  void paint_mark(vtkContext2D& painter) const;
  void paint_under(vtkContext2D& painter) const;
  void paint_marks(vtkContext2D& painter) const;
  void paint_dots(vtkContext2D& painter) const;
  void paint_picture_and_axes(vtkContext2D& painter) const;
  [[nodiscard]] double pixel_x(double x) const { return from_x(forward(x, spec.x_scale)); }
  [[nodiscard]] double pixel_y(double y) const { return from_y(forward(y, spec.y_scale)); }
};

ChartScene::View ChartScene::Impl::extent_of_values() const {
  View v{INFINITY, -INFINITY, INFINITY, -INFINITY};
  const ChartLimits& typed = spec.limits;
  const bool decibels = spec.y_unit.starts_with("dB");
  const double faintest = decibels ? 10 * std::log10(chart_nothing) : chart_nothing;
  for (const Series& s : spec.series)
    for (std::size_t i = 0; i < (hides(s) ? 0 : std::min(s.x.size(), s.y.size())); ++i) {
      const double x = forward(s.x[i], spec.x_scale);
      if (std::isfinite(x)) v.x_low = std::min(v.x_low, x), v.x_high = std::max(v.x_high, x);
      if ((typed.x_low && s.x[i] < *typed.x_low) || (typed.x_high && s.x[i] > *typed.x_high)) continue;
      double value = s.y[i];
      const bool nothing = decibels ? value < faintest : std::abs(value) < faintest;
      if (nothing && (decibels || spec.y_scale == AxisScale::log)) continue;
      if (nothing) value = 0;
      const double y = forward(value, spec.y_scale);
      if (std::isfinite(y)) v.y_low = std::min(v.y_low, y), v.y_high = std::max(v.y_high, y);
    }
  return v;
}

/// What lies far below the peak is rounding, a null, or a polarisation that should be nothing: it would press all else to the edge.
void ChartScene::Impl::lift_floor(View& v) const {
  if (spec.y_scale == AxisScale::log) {
    constexpr double residual_decades = 16, decades = 12;
    const double most = spec.y_unit.empty() || spec.y_unit == "1" ? residual_decades : decades;
    v.y_low = std::max(v.y_low, v.y_high - most);
    return;
  }
  if (!spec.y_unit.starts_with("dB") || v.y_high - v.y_low <= spec.limits.decibels) return;
  const double least = v.y_high - spec.limits.decibels;
  v.y_low = v.y_high;
  for (const Series& s : spec.series)
    if (!hides(s))
      for (const double y : s.y)
        if (y >= least) v.y_low = std::min(v.y_low, y);
  // Curves that go below are cut there, and the axis ends where it was said to.
  v.y_low = std::min(v.y_low, least + 0.1 * spec.limits.decibels);
}

void ChartScene::Impl::type_limits(View& v) const {
  const auto type = [](double& low, double& high, std::optional<double> typed_low, std::optional<double> typed_high,
                       AxisScale scale) {
    const double a = typed_low ? forward(*typed_low, scale) : NAN, b = typed_high ? forward(*typed_high, scale) : NAN;
    if (std::isfinite(a)) low = a;
    if (std::isfinite(b)) high = b;
    if (low < high) return;
    // The end that was not typed gives way.
    const double span = std::max(1e-3 * std::abs(low), 1e-300);
    if (std::isfinite(b) && !std::isfinite(a))
      low = high - span;
    else
      high = low + span;
  };
  type(v.x_low, v.x_high, spec.limits.x_low, spec.limits.x_high, spec.x_scale);
  if (spec.kind != ChartKind::gather) type(v.y_low, v.y_high, spec.limits.y_low, spec.limits.y_high, spec.y_scale);
}

void ChartScene::Impl::full_range() {
  View v = extent_of_values();
  const auto widen = [](double& low, double& high, double share, bool log) {
    if (!(low <= high)) low = 0, high = 1;
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= 1e-9 * size || high == low) {
      const double half = log ? 0.5 : (size > 0 ? 0.1 * size : 1.0);
      low -= half;
      high += half;
    } else {
      const double pad = share * (high - low);
      low -= pad;
      high += pad;
    }
  };
  widen(v.x_low, v.x_high, 0, spec.x_scale == AxisScale::log);
  if (spec.kind == ChartKind::gather) {
    v.y_low = 0.5;
    v.y_high = static_cast<double>(std::max<std::size_t>(1, spec.series.size())) + 0.5;
    type_limits(v);
    range = v;
    return;
  }
  if (spec.kind == ChartKind::spectrogram) {
    // Frequencies at which nothing ever reaches the colours are left out: grids have far more samples than waves need.
    if (spec.spectrogram && std::isfinite(spec.spectrogram->top)) {
      const Spectrogram& s = *spec.spectrogram;
      std::size_t last = s.highest.size();
      while (last > 1 && static_cast<double>(s.highest[last - 1]) < s.top - spec.limits.decibels) --last;
      constexpr std::size_t least = 8;
      v.y_high = std::min(v.y_high, 1.05 * s.frequencies[std::min(std::max(last, least), s.highest.size()) - 1]);
    }
    type_limits(v);
    range = v;
    return;
  }
  // Energies and norms start at zero; let the axis do so as well when the data nearly does.
  const bool from_zero = spec.y_scale == AxisScale::linear && v.y_low >= 0 && v.y_low < 0.25 * v.y_high;
  if (v.y_low <= v.y_high) lift_floor(v);
  widen(v.y_low, v.y_high, 0.06, spec.y_scale == AxisScale::log);
  if (from_zero) v.y_low = 0;
  type_limits(v);
  range = v;
}

void ChartScene::Impl::set_axis(int position, const TickSet& ticks, double low, double high) {
  vtkAxis* axis = chart->GetAxis(position);
  vtkNew<vtkDoubleArray> positions;
  vtkNew<vtkStringArray> labels;
  for (const Tick& tick : ticks.ticks) {
    positions->InsertNextValue((tick.value - low) / (high - low));
    labels->InsertNextValue(in_figures(theme, tick.label));
  }
  axis->SetBehavior(vtkAxis::FIXED);
  axis->SetMinimumLimit(0);
  axis->SetMaximumLimit(1);
  axis->SetRange(0, 1);
  axis->SetNotation(vtkAxis::STANDARD_NOTATION);
  axis->SetCustomTickPositions(positions, labels);
  axis->SetTitle("");
  axis->SetTickLength(static_cast<float>(4 * ratio));
  axis->SetLabelOffset(static_cast<float>(7 * ratio));
  set_text(*axis->GetLabelProperties(), theme, theme.muted, chart_text * ratio);
  set_pen(axis->GetPen(), theme.muted, ratio);
  set_pen(axis->GetGridPen(), theme.grid, ratio);
  axis->SetGridVisible(true);
}

void ChartScene::Impl::fill_legend(const std::vector<Rgb>& colors) {
  frame.legend.clear();
  if (spec.kind == ChartKind::balance) {
    int workers = static_cast<int>(spec.workers.size());
    for (const BalanceRow& row : spec.balance) workers = std::max(workers, std::min(row.worker, 63) + 1);
    for (int k = 0; k < workers; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const std::string name = i < spec.workers.size() ? spec.workers[i] : spec.words.worker + " " + std::to_string(k);
      frame.legend.push_back(
          {name, theme.series.empty() ? theme.accent : theme.series[i % theme.series.size()], false, true});
    }
    if (std::any_of(spec.balance.begin(), spec.balance.end(), [](const BalanceRow& row) { return row.copying > 0; })) {
      // Half of a worker's colour over the background, as its bands are.
      Rgb half = theme.series.empty() ? theme.accent : theme.series.front();
      for (std::size_t c = 0; c < 3; ++c) half[c] = 0.45 * half[c] + 0.55 * theme.background[c];
      frame.legend.push_back({spec.words.copying, half, false, true});
    }
    frame.legend.push_back({spec.words.waiting, theme.grid, false, true});
  } else if (std::any_of(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.marks; })) {
    // Points and roofs have their names beside them.
  } else if (legend && spec.series.size() > 1 && spec.kind != ChartKind::gather) {
    // Overlays in the colours of their curves share one entry: what they are, "exact".
    std::set<std::string> told;
    for (std::size_t i = 0; i < spec.series.size() && frame.legend.size() < 40; ++i) {
      if (const auto curve = curve_of_overlay(spec, i)) {
        const std::string what = what_overlay_is(spec.series[i].label, spec.series[*curve].label);
        told.insert(what);
        continue;
      }
      frame.legend.push_back(
          {spec.series[i].label, colors[i], spec.series[i].overlay, false, hidden.contains(spec.series[i].label)});
    }
    for (const std::string& what : told)
      frame.legend.push_back({what, theme.muted, true, false, hidden.contains(what)});
  }
}

void ChartScene::Impl::place_plot() {
  const double r = ratio;
  // Widths of labels decide the left margin, the margin decides how many labels there are: one round is enough.
  const int most_y = std::clamp(static_cast<int>(frame.inside.height / (36 * r)), 2, 10);
  y_ticks = spec.y_scale == AxisScale::log ? log_ticks(range.y_low, range.y_high, most_y, spec.y_unit)
                                           : tidy_ticks(range.y_low, range.y_high, most_y, spec.y_unit);
  // One figure alone is no scale.
  for (int more = 1; more <= 3 && y_ticks.ticks.size() < 2 && spec.y_scale == AxisScale::linear; ++more)
    y_ticks = tidy_ticks(range.y_low, range.y_high, most_y + more, spec.y_unit);
  const bool gather = spec.kind == ChartKind::gather;
  if (gather) y_ticks = trace_ticks(most_y);
  double widest = 0;
  for (const Tick& tick : y_ticks.ticks) widest = std::max(widest, text_size(theme, tick.label, chart_text * r)[0]);
  const std::string y_title = axis_title(spec.y_label, y_ticks.unit);
  const double left = frame.inside.x + widest + (y_title.empty() ? 10 : 34) * r;
  const double bottom = frame.inside.y + 42 * r;
  const bool scale = has_colour_scale(spec);
  const double right = frame.inside.right() - (scale ? colour_scale_room(frame, spec) : 10 * r);
  const double top = frame.inside.top() - (scale ? chart_text + 6 : 4) * r;  // the unit stands above its scale
  plot = {std::round(left), std::round(bottom), std::round(std::max(right - left, 10.0)),
          std::round(std::max(top - bottom, 10.0))};
  const int most_x = std::clamp(static_cast<int>(plot.width / (72 * r)), 2, 12);
  x_ticks = spec.x_scale == AxisScale::log ? log_ticks(range.x_low, range.x_high, most_x, spec.x_unit)
                                           : tidy_ticks(range.x_low, range.x_high, most_x, spec.x_unit);
  for (int more = 1; more <= 3 && x_ticks.ticks.size() < 2 && spec.x_scale == AxisScale::linear; ++more)
    x_ticks = tidy_ticks(range.x_low, range.x_high, most_x + more, spec.x_unit);
}

void ChartScene::Impl::add_curve(const Series& s, const Rgb& color) {
  const double r = ratio;
  const double x_span = range.x_high - range.x_low;
  const double y_span = range.y_high - range.y_low;
  std::vector<double> xs;
  std::vector<double> ys;
  const bool log_axes = spec.x_scale == AxisScale::log || spec.y_scale == AxisScale::log;
  if (log_axes) {
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      const double x = forward(s.x[i], spec.x_scale);
      if (!std::isfinite(x)) continue;
      xs.push_back(x);
      ys.push_back(forward(s.y[i], spec.y_scale));
    }
  }
  const auto points = thin_columns(log_axes ? xs : s.x, log_axes ? ys : s.y, range.x_low, range.x_high,
                                   std::max(1, static_cast<int>(plot.width)));
  // A dashed curve is cut into pieces along its length in pixels, with a gap marked by not-a-number.
  vtkNew<vtkDoubleArray> x_array;
  vtkNew<vtkDoubleArray> y_array;
  x_array->SetName("x");
  y_array->SetName("y");
  const auto add = [&](double x, double y) {
    x_array->InsertNextValue(x);
    y_array->InsertNextValue(y);
  };
  double along = 0;
  const double dash = 5.5 * r;
  const double period = 11 * r;
  ThinPoint before{NAN, NAN};
  bool any = false;
  for (const ThinPoint& p : points) {
    const ThinPoint now{(p.x - range.x_low) / x_span, std::clamp((p.y - range.y_low) / y_span, -50.0, 50.0)};
    if (!std::isfinite(p.y)) {
      if (any) add(now.x, NAN);
      before = {NAN, NAN};
      continue;
    }
    if (!s.overlay || !std::isfinite(before.y)) {
      add(now.x, now.y);
      any = true;
    } else {
      const double length = std::hypot((now.x - before.x) * plot.width, (now.y - before.y) * plot.height);
      double done = 0;
      while (done < length && x_array->GetNumberOfValues() < 200000) {
        const double phase = std::fmod(along, period);
        const double piece = std::min(length - done, phase < dash ? dash - phase : period - phase);
        done += std::max(piece, 1e-6 * period);
        along += std::max(piece, 1e-6 * period);
        const double f = std::min(done / length, 1.0);
        const double x = before.x + f * (now.x - before.x);
        const double y = before.y + f * (now.y - before.y);
        if (phase < dash) {
          add(x, y);
          if (std::fmod(along, period) >= dash - 1e-9) add(x, NAN);
        } else if (std::fmod(along, period) < 1e-6 * period || period - std::fmod(along, period) < 1e-6 * period) {
          add(x, y);
        }
      }
    }
    before = now;
  }
  if (!any || x_array->GetNumberOfValues() < 2) return;
  vtkNew<vtkTable> table;
  table->AddColumn(x_array);
  table->AddColumn(y_array);
  vtkPlot* plot_item = chart->AddPlot(vtkChart::LINE);
  plot_item->SetInputData(table, 0, 1);
  set_pen(plot_item->GetPen(), color, (s.overlay ? 1.4 : 1.8) * r);
}

void ChartScene::Impl::rebuild() {
  const auto colors = series_colors(spec, theme);
  frame.theme = theme;
  frame.ratio = ratio;
  frame.width = width;
  frame.height = height;
  frame.title = title ? spec.title : std::string();
  frame.round = spec.kind == ChartKind::polar;
  fill_legend(colors);
  lay_out(frame);
  chart->ClearPlots();
  chart->SetVisible(spec.kind == ChartKind::lines);  // without plots it draws no axes: pictures have their own
  if (!has_axes()) return;

  if (!zoomed) full_range();
  place_plot();
  if (is_picture()) return;
  chart->SetAutoSize(false);
  chart->SetLayoutStrategy(vtkChart::AXES_TO_RECT);
  chart->SetSize(vtkRectf(static_cast<float>(plot.x), static_cast<float>(plot.y), static_cast<float>(plot.width),
                          static_cast<float>(plot.height)));
  chart->SetHiddenAxisBorder(0);
  chart->SetShowLegend(false);
  chart->SetTitle("");
  chart->GetBackgroundBrush()->SetOpacity(0);
  set_axis(vtkAxis::BOTTOM, x_ticks, range.x_low, range.x_high);
  set_axis(vtkAxis::LEFT, y_ticks, range.y_low, range.y_high);
  for (std::size_t k = 0; k < spec.series.size(); ++k)
    if (!hides(spec.series[k]) && !spec.series[k].marks) add_curve(spec.series[k], colors[k]);
}

void ChartScene::Impl::paint_under(vtkContext2D& painter) const {
  paint_frame(painter, frame);
  if (spec.kind == ChartKind::polar) {
    ChartSpec seen = spec;
    for (std::size_t i = seen.series.size(); i-- > 0;)
      if (hides(spec.series[i])) seen.series[i].y.assign(seen.series[i].y.size(), NAN);
    paint_polar(painter, frame, seen);
  }
  if (spec.kind == ChartKind::balance) paint_balance(painter, frame, spec);
  if (is_picture()) paint_picture_and_axes(painter);
  if (!has_axes()) return;
  draw_text(painter, theme, theme.text, chart_text * ratio, false, Align::centre, Raise::bottom,
            plot.x + plot.width / 2, frame.inside.y, axis_title(spec.x_label, x_ticks.unit));
  draw_text(painter, theme, theme.text, chart_text * ratio, false, Align::centre, Raise::top, frame.inside.x,
            plot.y + plot.height / 2, axis_title(spec.y_label, y_ticks.unit), 90);
  const bool empty = std::all_of(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.x.empty(); });
  if (empty)
    draw_text(painter, theme, theme.muted, 13 * ratio, false, Align::centre, Raise::middle, plot.x + plot.width / 2,
              plot.y + plot.height / 2, spec.words.no_values);
}

void ChartScene::Impl::paint_picture_and_axes(vtkContext2D& painter) const {
  const bool gather = spec.kind == ChartKind::gather;
  (gather ? paint_gather : paint_spectrogram)(painter, frame, spec,
                                              {plot, range.x_low, range.x_high, range.y_low, range.y_high});
  const double tick_length = 4 * ratio, away = 7 * ratio;
  use_pen(painter, theme.muted, ratio);
  draw_line(painter, plot.x, plot.y, plot.right(), plot.y);
  draw_line(painter, plot.x, plot.y, plot.x, plot.top());
  for (const Tick& tick : x_ticks.ticks) {
    const double x = from_x(tick.value);
    draw_line(painter, x, plot.y, x, plot.y - tick_length);
    draw_text(painter, theme, theme.muted, chart_text * ratio, false, Align::centre, Raise::top, x, plot.y - away,
              tick.label);
  }
  // Traces are counted downwards.
  for (const Tick& tick : y_ticks.ticks) {
    const double y = gather ? plot.top() - (tick.value - range.y_low) / (range.y_high - range.y_low) * plot.height
                            : from_y(tick.value);
    draw_line(painter, plot.x, y, plot.x - tick_length, y);
    draw_text(painter, theme, theme.muted, chart_text * ratio, false, Align::right, Raise::middle, plot.x - away, y,
              tick.label);
  }
}

void ChartScene::Impl::paint_dots(vtkContext2D& painter) const {
  const auto colors = series_colors(spec, theme);
  for (std::size_t k = 0; k < spec.series.size(); ++k) {
    const Series& s = spec.series[k];
    if (!s.dots || hides(s)) continue;
    no_pen(painter);
    use_brush(painter, colors[k]);
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      const double x = pixel_x(s.x[i]), y = pixel_y(s.y[i]);
      if (std::isfinite(x) && std::isfinite(y) && plot.contains(x, y))
        painter.DrawEllipse(static_cast<float>(x), static_cast<float>(y), static_cast<float>(3 * ratio),
                            static_cast<float>(3 * ratio));
    }
  }
}

/// Dots with their names at the side where there is room; names that would meet are moved apart.
void ChartScene::Impl::paint_marks(vtkContext2D& painter) const {
  struct Name {
    double x, y, width;
    bool left;
    std::string text;
  };
  std::vector<Name> names;
  const auto colors = series_colors(spec, theme);
  const double line = 16 * ratio, away = 10 * ratio;
  for (std::size_t k = 0; k < spec.series.size(); ++k) {
    const Series& s = spec.series[k];
    if (!s.marks || hides(s)) continue;
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      const double x = pixel_x(s.x[i]), y = pixel_y(s.y[i]);
      if (!std::isfinite(x) || !std::isfinite(y) || !plot.contains(x, y)) continue;
      use_pen(painter, theme.background, 1.5 * ratio);
      use_brush(painter, colors[k]);
      painter.DrawEllipse(static_cast<float>(x), static_cast<float>(y), static_cast<float>(5 * ratio),
                          static_cast<float>(5 * ratio));
      const double wide = text_size(theme, s.label, chart_text * ratio)[0];
      const bool left = x + away + wide > plot.right();
      names.push_back({left ? x - away - wide : x + away, y, wide, left, s.label});
    }
  }
  if (names.empty()) return;
  // What they stand under is named above its right end, and its slope, the rate of a memory, once beside it.
  double slope_told = 0;
  for (std::size_t k = 0; k < spec.series.size(); ++k) {
    const Series& s = spec.series[k];
    if (s.marks || hides(s) || s.x.empty() || s.y.size() < s.x.size()) continue;
    const std::size_t i = s.x.size() / 6;
    if (const double slope = s.x[i] > 0 ? s.y[i] / s.x[i] : 0;
        slope > 0 && std::abs(slope - slope_told) > 1e-6 * slope && !spec.words.copies.empty()) {
      slope_told = slope;
      draw_text(painter, theme, theme.muted, chart_text * ratio, false, Align::left, Raise::top,
                pixel_x(s.x[i]) + 10 * ratio, pixel_y(s.y[i]),
                spec.words.copies + ", " + readable(s.y[i] / s.x[i], "GB/s", 3));
    }
    const double y = pixel_y(s.y.back());
    if (std::isfinite(y) && y > plot.y && y < plot.top())
      draw_text(painter, theme, theme.muted, chart_text * ratio, false, Align::right, Raise::bottom,
                std::min(pixel_x(s.x.back()), plot.right()) - 4 * ratio, y + 3 * ratio,
                s.label + ", " + readable(s.y.back(), spec.y_unit, 3));
  }
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool beside = names[i].x > names[j].x + names[j].width || names[j].x > names[i].x + names[i].width;
      if (!beside && names[i].y < names[j].y + line) names[i].y = names[j].y + line;
    }
  for (const Name& name : names)
    draw_text(painter, theme, theme.text, chart_text * ratio, false, Align::left, Raise::middle, name.x, name.y,
              name.text);
}

/// Names of the traces at their places, as many as there is room for.
TickSet ChartScene::Impl::trace_ticks(int most) const {
  TickSet out;
  const auto first = std::max<long>(1, std::lround(std::ceil(range.y_low)));
  const auto last = std::min<long>(static_cast<long>(spec.series.size()), std::lround(std::floor(range.y_high)));
  long step = 1;
  for (const long wide : {2L, 5L, 10L, 20L, 50L, 100L, 200L, 500L, 1000L})
    if ((last - first) / step + 1 > most) step = wide;
  for (long k = first; k <= last; k += step)
    out.ticks.push_back({static_cast<double>(k), spec.series[static_cast<std::size_t>(k - 1)].label});
  return out;
}

std::optional<ChartReading> ChartScene::Impl::read_trace(double px, double py) const {
  const auto k = std::lround(range.y_low + (plot.top() - py) / plot.height * (range.y_high - range.y_low));
  if (k < 1 || k > static_cast<long>(spec.series.size())) return std::nullopt;
  const Series& s = spec.series[static_cast<std::size_t>(k - 1)];
  if (s.x.empty()) return std::nullopt;
  const double time = to_x(px);
  auto it = std::lower_bound(s.x.begin(), s.x.end(), time);
  if (it == s.x.end()) --it;
  if (it != s.x.begin() && std::abs(*(it - 1) - time) < std::abs(*it - time)) --it;
  ChartReading reading;
  reading.x = *it;
  reading.values.push_back({s.label, s.y[static_cast<std::size_t>(it - s.x.begin())]});
  reading.text = spec.x_label + " = " + readable(reading.x, spec.x_unit, 5) + "   " + s.label + " " +
                 readable(reading.values.front().y, spec.y_unit);
  return reading;
}

std::optional<ChartReading> ChartScene::Impl::read_level(double px, double py) const {
  if (!spec.spectrogram || !plot.contains(px, py)) return std::nullopt;
  const Spectrogram& s = *spec.spectrogram;
  const auto nearest = [](const std::vector<double>& of, double step, double value) {
    const auto last = static_cast<long>(of.size()) - 1;
    return static_cast<std::size_t>(std::clamp(std::lround((value - of.front()) / step), 0L, last));
  };
  const double time = to_x(px);
  if (std::abs(time - std::clamp(time, s.times.front(), s.times.back())) > s.step / 2) return std::nullopt;
  const double frequency = range.y_low + (py - plot.y) / plot.height * (range.y_high - range.y_low);
  const std::size_t c = nearest(s.times, s.step, time), k = nearest(s.frequencies, s.frequencies[1], frequency);
  ChartReading reading;
  reading.x = s.times[c];
  reading.values.push_back(
      {readable(s.frequencies[k], "Hz"), static_cast<double>(s.levels[c * s.frequencies.size() + k])});
  reading.text = spec.x_label + " = " + readable(reading.x, spec.x_unit, 5) + "   " + reading.values.front().label +
                 " " + readable(reading.values.front().y, spec.z_unit);
  return reading;
}

std::optional<ChartReading> ChartScene::Impl::read(double px, double py) const {
  if (spec.kind == ChartKind::gather) return read_trace(px, py);
  if (spec.kind == ChartKind::spectrogram) return read_level(px, py);
  if (spec.kind != ChartKind::lines || px < plot.x || px > plot.right()) return std::nullopt;
  ChartReading reading;
  reading.x = backward(to_x(px), spec.x_scale);
  // Of marks the nearest one decides, and no other is told.
  const Series* nearest = nullptr;
  for (const Series& s : spec.series)
    if (s.marks && !hides(s) && !s.x.empty() &&
        (!nearest || std::abs(pixel_x(s.x.front()) - px) < std::abs(pixel_x(nearest->x.front()) - px)))
      nearest = &s;
  if (nearest) reading.x = nearest->x.front();
  // The nearest sample of the first curve decides, so that the numbers shown are computed ones.
  bool snapped = false;
  for (const Series& s : spec.series) {
    const std::size_t n = std::min(s.x.size(), s.y.size());
    ChartReading::Value value{s.label, NAN};
    if (n > 0 && !hides(s) && (!s.marks || &s == nearest)) {
      const auto end = s.x.begin() + static_cast<std::ptrdiff_t>(n);
      auto it = std::lower_bound(s.x.begin(), end, reading.x);
      if (it == end) --it;
      if (it != s.x.begin() && std::abs(*(it - 1) - reading.x) < std::abs(*it - reading.x)) --it;
      if (!snapped && !nearest) reading.x = *it;
      snapped = true;
      value.y = s.y[static_cast<std::size_t>(it - s.x.begin())];
    }
    reading.values.push_back(std::move(value));
  }
  if (!snapped) return std::nullopt;
  reading.text = spec.x_label + " = " + readable(reading.x, spec.x_unit, 5);
  for (std::size_t i = 0; i < reading.values.size(); ++i)
    if (!hides(spec.series[i]) && (!spec.series[i].marks || std::isfinite(reading.values[i].y)))
      reading.text += "   " + reading.values[i].label + " " + readable(reading.values[i].y, spec.y_unit);
  return reading;
}

std::optional<std::pair<double, double>> ChartScene::Impl::reading_place() const {
  if (cursor && plot.contains(cursor->first, cursor->second)) return cursor;
  if (!linked || spec.kind != ChartKind::lines) return std::nullopt;
  const double px = pixel_x(*linked);
  if (!(px >= plot.x && px <= plot.right())) return std::nullopt;
  return std::pair{px, plot.y + plot.height / 2};
}

/// The moment that the picture shows, with a small flag at its upper end.
void ChartScene::Impl::paint_mark(vtkContext2D& painter) const {
  if (!mark || !has_axes()) return;
  const double x = std::round(pixel_x(*mark));
  if (!(x >= plot.x && x <= plot.right())) return;
  if (spec.kind != ChartKind::lines) {  // seen on any colour of a picture
    use_pen(painter, theme.background, 4.5 * ratio, 0.8);
    draw_line(painter, x, plot.y, x, plot.top());
  }
  use_pen(painter, theme.accent, 1.5 * ratio, 0.8);
  draw_line(painter, x, plot.y, x, plot.top());
  no_pen(painter);
  use_brush(painter, theme.accent);
  draw_rect(painter, x - 3 * ratio, plot.top() - 3 * ratio, 6 * ratio, 6 * ratio);
}

void ChartScene::Impl::paint_cursor(vtkContext2D& painter) const {
  const auto place = reading_place();
  if (!crosshair || !place) return;
  const auto reading = read(place->first, place->second);
  if (!reading) return;
  const double r = ratio;
  const double x = std::round(from_x(forward(reading->x, spec.x_scale)));
  use_pen(painter, theme.muted, r, 0.7);
  draw_line(painter, x, plot.y, x, plot.top());
  const auto colors = series_colors(spec, theme);
  std::vector<std::string> lines = {spec.x_label + " = " + readable(reading->x, spec.x_unit, 5)};
  std::vector<Rgb> shown_colors;
  for (std::size_t i = 0; i < reading->values.size() && shown_colors.size() < 12; ++i) {
    const auto& v = reading->values[i];
    if (is_picture()) {
      lines.push_back(v.label + "  " + readable(v.y, spec.kind == ChartKind::gather ? spec.y_unit : spec.z_unit));
      break;
    }
    if (hides(spec.series[i]) || (spec.series[i].marks && !std::isfinite(v.y))) continue;
    shown_colors.push_back(colors[i]);
    lines.push_back((reading->values.size() > 1 ? v.label + "  " : std::string()) + readable(v.y, spec.y_unit));
    const double y = from_y(forward(v.y, spec.y_scale));
    if (!std::isfinite(y) || y < plot.y || y > plot.top()) continue;
    use_pen(painter, theme.background, 1.5 * r);
    use_brush(painter, colors[i]);
    painter.DrawEllipse(static_cast<float>(x), static_cast<float>(y), static_cast<float>(4 * r),
                        static_cast<float>(4 * r));
  }
  const std::size_t shown = shown_colors.size();
  double widest = 0;
  for (const auto& line : lines) widest = std::max(widest, text_size(theme, line, chart_text * r)[0]);
  const double line_height = 18 * r;
  const double box_width = widest + (20 + (shown > 1 ? 14 : 0)) * r;
  const double box_height = line_height * static_cast<double>(lines.size()) + 10 * r;
  double left = x + 12 * r;
  if (left + box_width > plot.right()) left = std::max(plot.x, x - 12 * r - box_width);
  const double top = plot.top() - 8 * r;
  use_pen(painter, theme.grid, r);
  use_brush(painter, theme.background, 0.97);
  draw_rect(painter, std::round(left), std::round(top - box_height), std::round(box_width), std::round(box_height));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double y = top - 5 * r - (static_cast<double>(i) + 0.5) * line_height;
    double text_x = left + 10 * r;
    if (i > 0 && shown > 1) {
      no_pen(painter);
      use_brush(painter, shown_colors[i - 1]);
      draw_rect(painter, text_x, y - 4 * r, 8 * r, 8 * r);
      text_x += 14 * r;
    }
    draw_text(painter, theme, i == 0 ? theme.muted : theme.text, chart_text * r, false, Align::left, Raise::middle,
              text_x, y, lines[i]);
  }
}

ChartScene::ChartScene() : impl_(std::make_unique<Impl>()) {
  Impl& s = *impl_;
  s.renderer->SetBackgroundAlpha(1);
  s.renderer->SetLayer(0);
  auto* scene = s.actor->GetScene();
  scene->AddItem(s.under);
  scene->AddItem(s.chart);
  scene->AddItem(s.over);
  s.under->paint = [&s](vtkContext2D& painter) { s.paint_under(painter); };
  s.over->paint = [&s](vtkContext2D& painter) {
    if (s.spec.kind == ChartKind::lines) {
      s.paint_dots(painter);
      s.paint_marks(painter);
    }
    s.paint_mark(painter);
    s.paint_cursor(painter);
  };
  s.renderer->AddActor(s.actor);
  set_theme(s.theme);
}

ChartScene::~ChartScene() {
  impl_->under->paint = nullptr;
  impl_->over->paint = nullptr;
}

void ChartScene::set_chart(ChartSpec spec) {
  const ChartSpec& old = impl_->spec;
  if (spec.title != old.title || spec.kind != old.kind || spec.limits != old.limits || spec.y_unit != old.y_unit ||
      spec.x_scale != old.x_scale || spec.y_scale != old.y_scale)
    impl_->zoomed = false;
  impl_->spec = std::move(spec);
  changed();
}

const ChartSpec& ChartScene::chart() const {
  return impl_->spec;
}

const Theme& ChartScene::theme() const {
  return impl_->theme;
}

void ChartScene::set_legend(bool visible) {
  impl_->legend = visible;
  changed();
}

void ChartScene::set_title(bool visible) {
  impl_->title = visible;
  changed();
}

void ChartScene::set_hidden(std::set<std::string> labels) {
  impl_->hidden = std::move(labels);
  changed();
}

const std::set<std::string>& ChartScene::hidden() const {
  return impl_->hidden;
}

void ChartScene::set_crosshair(bool visible) {
  impl_->crosshair = visible;
  changed();
}

ChartScene::View ChartScene::view() const {
  Impl& s = *impl_;
  if (!s.zoomed) s.full_range();
  return {backward(s.range.x_low, s.spec.x_scale), backward(s.range.x_high, s.spec.x_scale),
          backward(s.range.y_low, s.spec.y_scale), backward(s.range.y_high, s.spec.y_scale)};
}

void ChartScene::set_view(const View& view) {
  Impl& s = *impl_;
  const View v{forward(view.x_low, s.spec.x_scale), forward(view.x_high, s.spec.x_scale),
               forward(view.y_low, s.spec.y_scale), forward(view.y_high, s.spec.y_scale)};
  if (!(v.x_low < v.x_high && v.y_low < v.y_high)) return;
  s.range = v;
  s.zoomed = true;
  changed();
}

bool ChartScene::is_zoomed() const {
  return impl_->zoomed;
}

void ChartScene::set_mark(std::optional<double> x) {
  if (impl_->mark == x) return;
  impl_->mark = x;
  changed();
}

void ChartScene::set_linked_pointer(std::optional<double> x) {
  if (impl_->linked == x) return;
  impl_->linked = x;
  changed();
}

std::optional<double> ChartScene::pointer() const {
  const Impl& s = *impl_;
  if (!s.cursor || !s.plot.contains(s.cursor->first, s.cursor->second)) return std::nullopt;
  const auto reading = s.read(s.cursor->first, s.cursor->second);
  return reading ? std::optional(reading->x) : std::nullopt;
}

ChartPlace ChartScene::place_at(double x, double from_top) const {
  using Part = ChartPlace::Part;
  const Impl& s = *impl_;
  const double y = s.height - from_top;
  if (s.spec.kind == ChartKind::balance) return {};
  for (const LegendEntry& entry : s.frame.legend)
    if (!entry.text_only && x >= entry.x && x <= entry.x + entry.width && std::abs(y - entry.y) <= 10 * s.ratio)
      return {Part::curve, entry.label};
  if (!s.frame.title.empty() && y > s.height - (chart_margin + chart_title + 6) * s.ratio) return {Part::title, {}};
  if (!s.has_axes()) return {s.frame.inside.contains(x, y) ? Part::plot : Part::none, {}};
  if (s.plot.contains(x, y)) return {Part::plot, {}};
  if (y < s.plot.y && x >= s.plot.x) return {Part::x_axis, {}};
  if (x < s.plot.x && y >= s.plot.y && y <= s.plot.top()) return {Part::y_axis, {}};
  return {};
}

void ChartScene::show_all() {
  impl_->zoomed = false;
  changed();
}

std::optional<ChartReading> ChartScene::read(double x, double y) const {
  const Impl& s = *impl_;
  if (!s.plot.contains(x, s.height - y)) return std::nullopt;
  return s.read(x, s.height - y);
}

vtkRenderer* ChartScene::renderer() const {
  return impl_->renderer;
}

void ChartScene::attach(vtkRenderWindow& window) {
  window.SetNumberOfLayers(1);
  window.AddRenderer(impl_->renderer);
}

void ChartScene::detach(vtkRenderWindow& window) {
  window.RemoveRenderer(impl_->renderer);
}

void ChartScene::layout(int width, int height, double pixel_ratio) {
  impl_->width = std::max(width, 1);
  impl_->height = std::max(height, 1);
  impl_->ratio = pixel_ratio;
  impl_->rebuild();
}

bool ChartScene::handle(const InputEvent& event) {
  Impl& s = *impl_;
  const double x = event.x;
  const double y = s.height - event.y;
  if (event.kind == InputKind::double_click && edit_wanted) {
    const ChartPlace place = place_at(event.x, event.y);
    if (place.part != ChartPlace::Part::none && place.part != ChartPlace::Part::plot) {
      // The first press of the two has switched the curve.
      if (place.part == ChartPlace::Part::curve && !s.hidden.erase(place.curve)) s.hidden.insert(place.curve);
      edit_wanted(place);
      return true;
    }
  }
  if (event.kind == InputKind::press && event.button == MouseButton::left && s.spec.kind != ChartKind::balance) {
    for (const LegendEntry& entry : s.frame.legend) {
      if (entry.text_only || x < entry.x || x > entry.x + entry.width || std::abs(y - entry.y) > 10 * s.ratio) continue;
      if (!s.hidden.erase(entry.label)) s.hidden.insert(entry.label);
      return true;
    }
  }
  if (!s.has_axes()) return false;
  const auto zoom_to = [&](double factor) {
    View& v = s.range;
    if (event.control) {
      const double up =
          s.spec.kind == ChartKind::gather ? s.plot.top() - y : y - s.plot.y;  // traces are counted downwards
      const double at = v.y_low + up / s.plot.height * (v.y_high - v.y_low);
      v.y_low = at + (v.y_low - at) / factor;
      v.y_high = at + (v.y_high - at) / factor;
    } else {
      const double at = s.to_x(x);
      v.x_low = at + (v.x_low - at) / factor;
      v.x_high = at + (v.x_high - at) / factor;
    }
  };
  switch (event.kind) {
    case InputKind::wheel: {
      if (!s.plot.contains(x, y)) return false;
      const View before = s.range;
      zoom_to(std::pow(1.25, event.wheel));
      const double size = std::max(std::abs(s.range.x_low), std::abs(s.range.x_high));
      if (!(s.range.x_high - s.range.x_low > 1e-12 * size) || !(s.range.y_high > s.range.y_low)) s.range = before;
      s.zoomed = true;
      return true;
    }
    case InputKind::press:
      s.held = event.button;
      s.last_x = x;
      s.last_y = y;
      return false;
    case InputKind::release: s.held = MouseButton::none; return false;
    case InputKind::double_click: s.zoomed = false; return true;
    case InputKind::leave:
      s.cursor.reset();
      if (pointer_moved) pointer_moved();
      return true;
    case InputKind::move: {
      if (event.button == MouseButton::none) s.held = MouseButton::none;
      if (s.held == MouseButton::left) {
        const double dx = (s.last_x - x) / s.plot.width * (s.range.x_high - s.range.x_low);
        const double way = s.spec.kind == ChartKind::gather ? -1 : 1;
        const double dy = s.zoomed ? way * (s.last_y - y) / s.plot.height * (s.range.y_high - s.range.y_low) : 0;
        s.range = {s.range.x_low + dx, s.range.x_high + dx, s.range.y_low + dy, s.range.y_high + dy};
        s.zoomed = true;
        s.last_x = x;
        s.last_y = y;
      }
      const bool was_inside = s.cursor && s.plot.contains(s.cursor->first, s.cursor->second);
      s.cursor = {x, y};
      if (pointer_moved) pointer_moved();
      return s.held == MouseButton::left || (s.crosshair && (was_inside || s.plot.contains(x, y)));
    }
  }
  return false;
}

void ChartScene::set_theme(const Theme& theme) {
  impl_->theme = theme;
  impl_->theme.background = theme.chart_background;
  impl_->apply_background();
  changed();
}

void ChartScene::set_transparent(bool transparent) {
  impl_->transparent = transparent;
  impl_->apply_background();
  changed();
}

}  // namespace conoid
