// SPDX-License-Identifier: BSD-3-Clause
// Tables of others over charts.
#include "render/chart/measured_curves.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace conoid {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// How many of the chart's units one of the column's is.
Result<double> factor_to(const Column& column, const std::string& typed, const std::string& unit) {
  const std::string& from = typed.empty() ? column.unit : typed;
  if (from.empty() || from == "1" || from == unit) return 1.0;
  const auto one = parse_quantity("1 " + from, unit);
  if (!one)
    return make_error(ErrorCode::command_line, fmt::format("column \"{}\": {}", column.name, one.error().text),
                      fmt::format("The chart is in {}.", unit.empty() ? "no unit" : unit));
  return one->value;
}

}  // namespace

Result<MeasuredChoice> parse_measured_choice(std::string_view text, const CsvTable& table) {
  MeasuredChoice out;
  if (trimmed(text).empty()) return out;
  std::vector<ColumnChoice> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view one = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ColumnChoice choice;
    std::size_t position = table.find(one);
    if (position == CsvTable::npos && one.ends_with(']')) {
      const auto bracket = one.rfind('[');
      if (bracket != std::string_view::npos) {
        choice.unit = one.substr(bracket + 1, one.size() - bracket - 2);
        one = trimmed(one.substr(0, bracket));
        position = table.find(one);
      }
    }
    std::size_t number = 0;
    const auto [stop, trouble] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (position == CsvTable::npos && trouble == std::errc() && stop == one.data() + one.size() && number >= 1 &&
        number <= table.columns.size())
      position = number - 1;
    if (position == CsvTable::npos) {
      std::string names;
      for (const Column& c : table.columns) names += (names.empty() ? "" : ", ") + c.name;
      return make_error(ErrorCode::command_line, fmt::format("the file has no column \"{}\"", one),
                        "It has " + names + "; numbers count from 1.");
    }
    choice.column = position;
    all.push_back(std::move(choice));
  }
  out.x = all.front();
  out.curves.assign(all.begin() + 1, all.end());
  return out;
}

Result<std::vector<Series>> measured_curves(const CsvTable& table, const MeasuredChoice& choice, const ChartSpec& spec,
                                            const std::string& file_name, const std::string& words) {
  if (table.columns.size() < 2 || choice.x.column >= table.columns.size())
    return make_error(ErrorCode::file, file_name + " has one column",
                      "One column is the abscissa, the others are curves.");
  std::vector<ColumnChoice> curves = choice.curves;
  if (curves.empty())
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (c != choice.x.column) curves.push_back({c, {}, {}});
  const auto x_factor = factor_to(table.columns[choice.x.column], choice.x.unit, spec.x_unit);
  if (!x_factor) return x_factor.error();
  const std::vector<double> xs = table.column(choice.x.column);
  std::vector<Series> out;
  for (const ColumnChoice& one : curves) {
    const Column& column = table.columns.at(one.column);
    const auto y_factor = factor_to(column, one.unit, spec.y_unit);
    if (!y_factor) return y_factor.error();
    const std::vector<double> ys = table.column(one.column);
    Series curve;
    for (std::size_t r = 0; r < xs.size(); ++r) {
      if (!std::isfinite(xs[r])) continue;
      curve.x.push_back(xs[r] * *x_factor);
      curve.y.push_back(ys[r] * *y_factor);
    }
    curve.overlay = true;
    const bool paired =
        std::any_of(spec.series.begin(), spec.series.end(), [&](const Series& s) { return s.label == column.name; });
    const auto dot = file_name.rfind('.');
    const std::string stem = dot == std::string::npos || dot == 0 ? file_name : file_name.substr(0, dot);
    curve.label = !one.name.empty() ? one.name
                  : paired          ? column.name + ", " + words
                  : column.name.empty() || column.name.starts_with("column ")
                      ? (curves.size() > 1 ? fmt::format("{} {}", stem, one.column + 1) : stem)
                      : column.name;
    out.push_back(std::move(curve));
  }
  return out;
}

}  // namespace conoid
