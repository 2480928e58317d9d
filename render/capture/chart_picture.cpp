// SPDX-License-Identifier: BSD-3-Clause
// From words to a chart.
#include "render/capture/chart_picture.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "render/capture/run_picture.hpp"
#include "render/chart/chart_style.hpp"
#include "render/chart/chart_units.hpp"
#include "render/chart/curve_fit.hpp"
#include "render/chart/measured_curves.hpp"
#include "render/chart/spectrogram.hpp"
#include "render/chart/spectrum.hpp"
#include "render/chart/sweep_chart.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {

namespace fs = std::filesystem;

namespace {

constexpr CsvLimits measured_limits{Bytes{64} << 20, 64, 4'000'000};

Result<ChartSpec> chart_of_run(const fs::path& run, const ChartWishes& wishes) {
  std::error_code ignored;
  if (wishes.table == "sweep") {
    const auto table = read_sweep(run);
    if (!table) return table.error();
    return sweep_chart(*table, wishes.x, wishes.y);
  }
  if (!wishes.x.empty() || !wishes.y.empty())
    return make_error(ErrorCode::command_line, "--x and --y choose columns of a sweep",
                      "Give --chart sweep, or leave them out.");
  if (wishes.unit.empty()) return read_chart(run, wishes.table);
  if (auto plain = read_chart(run, wishes.table); !plain) return plain;
  // In another unit: tables beside it may publish the same curves.
  std::vector<StoredTable> stored;
  const fs::path folder = fs::is_directory(run) ? run : run.parent_path();
  for (const auto& entry : fs::directory_iterator(folder / "charts", ignored))
    if (entry.path().extension() == ".csv")
      if (auto one = read_table(entry.path())) stored.push_back(std::move(one).value());
  std::vector<std::vector<std::vector<double>>> rows(stored.size());
  std::vector<ChartTable> tables;
  std::size_t own = 0;
  for (std::size_t t = 0; t < stored.size(); ++t) {
    for (std::size_t r = 0; r < stored[t].table.rows(); ++r) {
      const auto row = stored[t].table.row(r);
      rows[t].emplace_back(row.begin(), row.end());
    }
    if (stored[t].info.id == wishes.table) own = t;
  }
  for (std::size_t t = 0; t < stored.size(); ++t) tables.push_back({&stored[t].info, &rows[t]});
  if (tables.empty()) return read_chart(run, wishes.table);
  const auto units = units_of(tables[own], tables);
  for (const std::string& unit : units)
    if (unit == wishes.unit || readable_unit(unit) == wishes.unit) return chart_in_unit(tables[own], tables, unit);
  std::string names;
  for (const std::string& unit : units) names += (names.empty() ? "" : ", ") + unit;
  return make_error(ErrorCode::command_line,
                    fmt::format("--unit: the chart \"{}\" is not seen in {}", wishes.table, wishes.unit),
                    "It has " + names + ".");
}

/// Seconds of a window, and the share that the next one has as well.
Result<SpectrogramWish> spectrogram_of(const ChartWishes& wishes) {
  SpectrogramWish out;
  out.curve = wishes.spectrogram_curve;
  if (!wishes.window.empty()) {
    const auto time = parse_quantity(wishes.window, "s");
    if (!time || !(time->value > 0))
      return make_error(ErrorCode::command_line, "--window must be a time above 0, found \"" + wishes.window + "\"",
                        "For example --window 20ms.");
    out.window = time->value;
  }
  if (!wishes.overlap.empty()) {
    const auto share = parse_share(wishes.overlap);
    if (!share || !(*share >= 0 && *share < 1))
      return make_error(ErrorCode::command_line,
                        "--overlap must be a share from 0 to below 1, or per cent, found \"" + wishes.overlap + "\"",
                        "For example --overlap 0.75 or --overlap 75%.");
    out.overlap = *share;
  }
  return out;
}

Status apply_look(ChartSpec& spec, const ChartWishes& wishes) {
  const std::string& look = wishes.look;
  if (look != "spectrogram" && !(wishes.spectrogram_curve.empty() && wishes.window.empty() && wishes.overlap.empty()))
    return make_error(
        ErrorCode::command_line,
        "--spectrogram-curve, --window and --overlap say how a spectrogram is made, --spectrogram was not given",
        "Add --spectrogram.");
  if (look.empty()) return {};
  const auto unfit = [&](const char* what) {
    return make_error(ErrorCode::command_line, fmt::format("--look {}: {}", look, what), "Leave --look out.");
  };
  if (look == "lines" || look == "polar") {
    if (spec.kind == ChartKind::balance || (look == "polar" && spec.x_unit != "deg"))
      return unfit("the chart is not over angles");
    spec.kind = look == "polar" ? ChartKind::polar : ChartKind::lines;
    return {};
  }
  if (look == "spectrum") {
    if (spec.kind != ChartKind::lines || spec.x_unit != "s") return unfit("the chart is not over time");
    spec = spectrum_chart(spec);
    return {};
  }
  if (look == "spectrogram") {
    if (wishes.log_x || wishes.log_y || wishes.linear_y)
      return make_error(ErrorCode::command_line, "the axes of a spectrogram are linear",
                        "Leave --x-log, --y-log and --y-linear out.");
    const auto wish = spectrogram_of(wishes);
    if (!wish) return wish.error();
    auto made = spectrogram_chart(spec, *wish);
    if (!made) return made.error();
    spec = std::move(made).value();
    return {};
  }
  if (!can_be_gather(spec)) return unfit("the chart has no traces over one time");
  spec = gather_chart(std::move(spec), look == "picture" ? GatherLook::picture : GatherLook::wiggles);
  return {};
}

Result<ChartStyle> style_of(const ChartSpec& spec, const ChartWishes& wishes) {
  ChartStyle style;
  style.title = wishes.title;
  style.x_label = wishes.x_label;
  style.y_label = wishes.y_label;
  if (wishes.log_x) style.x_log = true;
  if (wishes.log_y || wishes.linear_y) style.y_log = wishes.log_y;
  if (!(wishes.floor > 0))
    return make_error(ErrorCode::command_line, fmt::format("--floor must be above 0 dB, found {}", wishes.floor));
  style.limits.decibels = wishes.floor;
  if (!wishes.x_range.empty()) {
    const auto ends = parse_limits(wishes.x_range, spec.x_unit, "--x-range");
    if (!ends) return ends.error();
    std::tie(style.limits.x_low, style.limits.x_high) = *ends;
  }
  if (!wishes.y_range.empty()) {
    const auto ends = parse_limits(wishes.y_range, spec.y_unit, "--y-range");
    if (!ends) return ends.error();
    std::tie(style.limits.y_low, style.limits.y_high) = *ends;
  }
  for (const std::string& text : wishes.curves) {
    auto curve = parse_curve_style(text);
    if (!curve) return curve.error();
    std::string names;
    for (const Series& s : spec.series) names += (names.empty() ? "" : ", ") + s.label;
    if (std::none_of(spec.series.begin(), spec.series.end(), [&](const Series& s) { return s.label == curve->first; }))
      return make_error(ErrorCode::command_line, fmt::format("--curve: the chart has no curve \"{}\"", curve->first),
                        "Curves: " + names + ".");
    style.curves.insert(std::move(curve).value());
  }
  return style;
}

/// Fitted curves beside their own, and what they say.
Status add_fits(ChartSpec& spec, const ChartWishes& wishes) {
  if (wishes.fit.empty()) {
    if (wishes.fit_curves.empty() && wishes.fit_window.empty()) return {};
    return make_error(ErrorCode::command_line, "--fit-curve and --fit-window say what is fitted, --fit was not given",
                      "Add --fit decay or --fit delay.");
  }
  FitWish wish;
  wish.kind = wishes.fit == "delay" ? FitKind::delay : FitKind::decay;
  const bool own = !wishes.fit_window.empty();
  if (const std::string& window = own ? wishes.fit_window : wishes.x_range; !window.empty()) {
    const auto ends = parse_limits(window, spec.x_unit, own ? "--fit-window" : "--x-range");
    if (!ends) return ends.error();
    wish.window = {ends->first, ends->second};
  }
  std::vector<std::string> labels = wishes.fit_curves;
  for (std::size_t i = 0; wishes.fit_curves.empty() && i < spec.series.size(); ++i)
    if (!spec.series[i].overlay && (wish.kind == FitKind::decay || labels.size() < 2))
      labels.push_back(spec.series[i].label);
  if (wish.kind == FitKind::delay && labels.size() != 2)
    return make_error(ErrorCode::command_line,
                      fmt::format("--fit delay: two curves are compared, found {}", labels.size()),
                      "Give --fit-curve twice: the earlier, then the later.");
  constexpr int digits = 8;
  for (std::size_t i = 0; i < (wish.kind == FitKind::delay ? 1 : labels.size()); ++i) {
    wish.curve = labels[i];
    if (wish.kind == FitKind::delay) wish.second = labels[1];
    auto shown = fitted(spec, wish);
    if (!shown) return shown.error();
    spec.notes.push_back((wish.kind == FitKind::delay ? labels[1] + " after " + labels[0] : labels[i]) + ": " +
                         fitted(spec, wish, {}, digits)->text);
    spec.series.push_back(std::move(shown->curve));
  }
  return {};
}

}  // namespace

Result<ChartSpec> wished_chart(const fs::path& run, const ChartWishes& wishes) {
  auto spec = chart_of_run(run, wishes);
  if (!spec) return spec;
  if (!wishes.minus.empty()) {
    const auto other = find_run(wishes.minus);
    if (!other) return other.error();
    auto there = chart_of_run(*other, wishes);
    if (!there) return there;
    *spec = difference_chart(*there, *spec);
    if (spec->series.empty())
      return make_error(ErrorCode::command_line, fmt::format("--minus {}: no curve of \"{}\" has the same name there",
                                                             wishes.minus, wishes.table));
  }
  for (const std::string& file : wishes.over) {
    const auto table = read_csv(file, measured_limits);
    if (!table) return table.error();
    const auto choice = parse_measured_choice(wishes.over_columns, *table);
    if (!choice) return choice.error();
    auto curves = measured_curves(*table, *choice, *spec, fs::path(file).filename().string());
    if (!curves) return curves.error();
    for (Series& curve : *curves) spec->series.push_back(std::move(curve));
  }
  if (const Status added = add_fits(*spec, wishes); !added) return added.error();
  if (const Status looked = apply_look(*spec, wishes); !looked) return looked.error();
  const auto style = style_of(*spec, wishes);
  if (!style) return style.error();
  return styled(std::move(spec).value(), *style);
}

}  // namespace conoid
