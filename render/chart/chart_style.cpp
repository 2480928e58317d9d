// SPDX-License-Identifier: BSD-3-Clause
// Styles laid over charts.
#include "render/chart/chart_style.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "render/chart/chart_frame.hpp"

namespace conoid {

ChartSpec styled(ChartSpec spec, const ChartStyle& style) {
  if (!style.title.empty()) spec.title = style.title;
  if (!style.x_label.empty()) spec.x_label = style.x_label;
  if (spec.kind != ChartKind::gather && !style.y_label.empty()) spec.y_label = style.y_label;
  if (spec.kind == ChartKind::lines || spec.kind == ChartKind::polar) {
    if (style.x_log) spec.x_scale = *style.x_log ? AxisScale::log : AxisScale::linear;
    if (style.y_log) spec.y_scale = *style.y_log ? AxisScale::log : AxisScale::linear;
  }
  spec.limits = style.limits;
  if (style.curves.empty()) return spec;
  std::vector<Series> out;
  for (std::size_t i = 0; i < spec.series.size(); ++i) {
    Series s = spec.series[i];
    const auto base = curve_of_overlay(spec, i);
    const std::string& own = spec.series[base.value_or(i)].label;
    const auto whole = style.curves.find(s.label);
    const auto of_base = base ? style.curves.find(own) : style.curves.end();
    if ((whole != style.curves.end() && whole->second.hidden) ||
        (of_base != style.curves.end() && of_base->second.hidden))
      continue;
    if (whole != style.curves.end()) {
      s.ink = whole->second.ink;
      if (!whole->second.name.empty()) s.label = whole->second.name;
    } else if (of_base != style.curves.end()) {
      s.ink = of_base->second.ink;
      if (!of_base->second.name.empty()) s.label = of_base->second.name + s.label.substr(own.size());
    }
    // What is left out takes no colour with it: the others keep theirs.
    if (!s.overlay && !s.marks && s.color < 0 && !s.ink) {
      const auto plain = std::count_if(spec.series.begin(), spec.series.begin() + static_cast<std::ptrdiff_t>(i),
                                       [](const Series& other) { return !other.overlay && other.color < 0; });
      s.color = static_cast<int>(plain);
    }
    out.push_back(std::move(s));
  }
  spec.series = std::move(out);
  return spec;
}

Result<std::optional<double>> parse_limit(std::string_view text, std::string_view unit) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty()) return std::optional<double>();
  const bool known = known_unit(std::string(unit));
  const auto read = parse_quantity(text, known ? unit : "1");
  if (read) return std::optional<double>(read->value);
  return make_error(ErrorCode::command_line,
                    fmt::format("\"{}\" is no number{}", text, known ? fmt::format(" in {}", unit) : ""),
                    read.error().hint);
}

Result<std::pair<std::optional<double>, std::optional<double>>> parse_limits(std::string_view text,
                                                                             std::string_view unit,
                                                                             std::string_view flag) {
  const auto between = text.find(':');
  const std::string example = fmt::format("For example {0} 0:10, {0} :10 or with units.", flag);
  if (between == std::string_view::npos)
    return make_error(ErrorCode::command_line, fmt::format("{} must be LOW:HIGH, found \"{}\"", flag, text), example);
  std::optional<double> ends[2];
  for (int k = 0; k < 2; ++k) {
    const auto one = parse_limit(k == 0 ? text.substr(0, between) : text.substr(between + 1), unit);
    if (!one)
      return make_error(ErrorCode::command_line, fmt::format("{} \"{}\": {}", flag, text, one.error().text), example);
    ends[k] = *one;
  }
  if (ends[0] && ends[1] && !(*ends[0] < *ends[1]))
    return make_error(ErrorCode::command_line, fmt::format("{} \"{}\": the first is not below the second", flag, text),
                      example);
  return std::pair{ends[0], ends[1]};
}

Result<std::pair<std::string, CurveStyle>> parse_curve_style(std::string_view text) {
  const auto sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0)
    return make_error(ErrorCode::command_line, fmt::format("--curve must be LABEL=NAME,#COLOUR, found \"{}\"", text),
                      "For example --curve \"north=North wall,#c03020\", or north=none to leave it out.");
  CurveStyle style;
  std::string_view rest = text.substr(sign + 1);
  if (rest == "none") {
    style.hidden = true;
    return std::pair{std::string(text.substr(0, sign)), style};
  }
  if (const auto hash = rest.rfind('#'); hash != std::string_view::npos && (hash == 0 || rest[hash - 1] == ',')) {
    const auto ink = parse_rgb(rest.substr(hash));
    if (!ink) return ink.error();
    style.ink = *ink;
    rest = rest.substr(0, hash == 0 ? 0 : hash - 1);
  }
  style.name = rest;
  return std::pair{std::string(text.substr(0, sign)), style};
}

}  // namespace conoid
