// SPDX-License-Identifier: BSD-3-Clause
// Sweeps: axes as people type them, and the documents they make.
#include "engine/case/case.hpp"
#include "engine/core/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace conoid {
namespace {

constexpr std::size_t max_axis = 100'000;
constexpr std::size_t max_points = 100'000;
constexpr std::size_t max_total_values = 4'000'000;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Cuts at `separator` outside quotes and brackets.
std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) inside = !inside;
    if (inside) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == separator && depth == 0) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// The length of the number at the beginning of `text`, 0 if there is none.
std::size_t number_length(std::string_view text) {
  if (!text.empty() && text.front() == '+') return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return 0;
  return static_cast<std::size_t>(end - text.data());
}

Json as_value(std::string_view text) {
  if (auto json = parse_json(text)) return std::move(json).value();
  return std::string(text);
}

bool is_whole(std::string_view number) {
  return number.find_first_of(".eE") == std::string_view::npos;
}

// Accumulated binary steps show up as 0.30000000000000004; twelve digits are what a person could have meant.
double tidy(double value, double scale) {
  if (std::abs(value) < 1e-12 * scale) return 0;
  const std::string text = fmt::format("{:.12g}", value);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::size_t count_values(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured())
    for (const Json& child : value) count += count_values(child);
  return count;
}

}  // namespace

Result<SweepAxis> parse_sweep_axis(std::string_view text) {
  const auto fail = [&](std::string message) {
    return make_error(ErrorCode::command_line, std::move(message),
                      "Write a sweep as PATH=first:step:last or PATH=a,b,c, for example "
                      "excitation.frequency=1:0.5:3 GHz.");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return fail("expected PATH=values, found no '='");
  const auto pointer = to_pointer(trimmed(text.substr(0, equals)));
  if (!pointer) return fail(pointer.error().text);
  SweepAxis axis;
  axis.pointer = *pointer;
  const std::string_view values = trimmed(text.substr(equals + 1));
  if (values.empty()) return fail("the sweep over " + *pointer + " has no values");
  if (values.size() > (std::size_t{1} << 20)) return fail("the sweep over " + *pointer + " is longer than 1 MiB");

  const auto list = cut(values, ',');
  const auto range = cut(values, ':');
  if (list.size() > 1 || range.size() == 1 || number_length(range.front()) == 0) {
    if (list.size() > max_axis) return fail("the sweep over " + *pointer + " has more than 100000 values");
    // "1, 2, 3 GHz": bare numbers take the unit of the last.
    std::string unit;
    const std::size_t last = number_length(list.back());
    if (last > 0) unit = trimmed(list.back().substr(last));
    const bool shared = !unit.empty() && known_unit(unit) && list.size() > 1 &&
                        std::all_of(list.begin(), list.end() - 1,
                                    [](std::string_view v) { return number_length(v) == v.size() && !v.empty(); });
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].empty()) return fail("the sweep over " + *pointer + " has an empty value");
      if (shared && i + 1 < list.size())
        axis.values.emplace_back(std::string(list[i]) + " " + unit);
      else
        axis.values.push_back(as_value(list[i]));
    }
    return axis;
  }
  if (range.size() != 3)
    return fail("expected first:step:last, found " + std::to_string(range.size()) + " parts in '" +
                std::string(values.substr(0, 60)) + "'");

  // Each part in the unit of the first that has one.
  std::string unit;
  std::array<std::size_t, 3> length{};
  bool all_bare_but_last = true;
  for (std::size_t i = 0; i < 3; ++i) {
    length[i] = number_length(range[i]);
    if (length[i] == 0) return fail("expected a number, found '" + std::string(range[i].substr(0, 60)) + "'");
    const std::string_view own = trimmed(range[i].substr(length[i]));
    if (unit.empty()) unit = own;
    if (i < 2 && !own.empty()) all_bare_but_last = false;
  }
  std::array<double, 3> number{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (unit.empty()) {
      std::from_chars(range[i].data(), range[i].data() + range[i].size(), number[i]);
      continue;
    }
    if (trimmed(range[i].substr(length[i])).empty() && !all_bare_but_last)
      return fail("'" + std::string(range[i]) + "' has no unit, but another part of the range has");
    if (!known_unit(unit)) return fail("unknown unit '" + unit.substr(0, 60) + "'");
    const auto quantity = parse_quantity(range[i], unit);
    if (!quantity) return fail(quantity.error().text);
    number[i] = quantity->value;
  }
  const auto [first, step, end] = number;
  if (step == 0) return fail("the step of the sweep over " + *pointer + " is 0");
  const double count = (end - first) / step;
  if (count < -1e-9)
    return fail("the sweep over " + *pointer + " steps away from its last value; check the sign of the step");
  if (!(count < static_cast<double>(max_axis) - 0.5))
    return fail("the sweep over " + *pointer + " has more than 100000 values");
  const bool whole =
      unit.empty() && is_whole(range[0]) && is_whole(range[1]) && std::abs(first) < 1e15 && std::abs(end) < 1e15;
  const auto steps = static_cast<std::size_t>(std::floor(count + 1e-9 * std::max(1.0, count)));
  const double scale = std::max(std::abs(first), std::abs(end));
  for (std::size_t i = 0; i <= steps; ++i) {
    const double value = tidy(first + static_cast<double>(i) * step, scale);
    if (whole)
      axis.values.emplace_back(static_cast<std::int64_t>(std::llround(first + static_cast<double>(i) * step)));
    else if (unit.empty())
      axis.values.emplace_back(value);
    else
      axis.values.emplace_back(fmt::format("{:.12g} {}", value, unit));
  }
  return axis;
}

Result<std::size_t> sweep_size(const std::vector<SweepAxis>& axes) {
  std::size_t size = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (axes[k].pointer == axes[i].pointer)
        return make_error(ErrorCode::command_line, "two sweeps over " + axes[i].pointer, "Give each path once.");
    if (axes[i].values.empty())
      return make_error(ErrorCode::command_line, "the sweep over " + axes[i].pointer + " has no values");
    size *= axes[i].values.size();
    if (size > 1'000'000'000)
      return make_error(ErrorCode::command_line, "the sweep has more than 10^9 points", "Use fewer or shorter axes.");
  }
  return size;
}

Result<SweepPoint> sweep_point(const CaseDocument& base, const std::vector<SweepAxis>& axes, std::size_t index) {
  SweepPoint point{base, {}};
  std::vector<std::size_t> chosen(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    const std::size_t n = std::max<std::size_t>(axes[a].values.size(), 1);
    chosen[a] = index % n;
    index /= n;
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].values.empty()) continue;
    const Json& value = axes[a].values[chosen[a]];
    if (auto status = point.document.set_json(axes[a].pointer, value); !status) return status.error();
    point.set.emplace_back(axes[a].pointer, value);
  }
  return point;
}

Result<std::vector<SweepPoint>> expand_sweep(const CaseDocument& base, const std::vector<SweepAxis>& axes) {
  const auto size = sweep_size(axes);
  if (!size) return size.error();
  const std::size_t values = count_values(base.json()) + axes.size();
  if (*size > max_points || *size * values > max_total_values)
    return make_error(ErrorCode::command_line,
                      "the sweep has " + std::to_string(*size) +
                          " points, too many to hold at once (at most 100000, fewer for large cases)",
                      "Use fewer or shorter axes, or several sweeps.");
  std::vector<SweepPoint> points;
  points.reserve(*size);
  for (std::size_t i = 0; i < *size; ++i) {
    auto point = sweep_point(base, axes, i);
    if (!point) return point.error();
    points.push_back(std::move(point).value());
  }
  return points;
}

}  // namespace conoid
