// SPDX-License-Identifier: BSD-3-Clause
// Which rows are points of one curve.
#include "engine/cli/paper_figures.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/cli/svg_curves.hpp"

namespace conoid::cli {
namespace {

/// A number in the name of a row with what it counts: "numS 1572", "8 threads".
struct Counted {
  std::string what;
  double value = 0;
  std::string rest;  ///< the name without both
};

struct Point {
  std::string name;  ///< behind that of the figure
  double value = 0, published = 0;
  std::vector<Counted> numbers;
};

std::string trimmed(std::string text) {
  const auto is_edge = [](char c) { return c == ' ' || c == ',' || c == ':'; };
  while (!text.empty() && is_edge(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_edge));
  return text;
}

/// Whole words that are numbers, each with the word behind it or, before a comma or the end, the word before it.
std::vector<Counted> numbers_of(const std::string& name) {
  std::vector<Counted> out;
  const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(name[i])) != 0; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!digit(i) || (i > 0 && name[i - 1] != ' ')) continue;
    std::size_t end = i;
    while (end < name.size() && (digit(end) || (name[end] == '.' && end + 1 < name.size() && digit(end + 1)))) ++end;
    if (end < name.size() && name[end] != ' ' && name[end] != ',' && name[end] != ':') continue;
    Counted one;
    one.value = std::stod(name.substr(i, end - i));
    if (end + 1 < name.size() && name[end] == ' ') {
      const std::size_t stop = std::min(name.find_first_of(" ,:", end + 1), name.size());
      one.what = name.substr(end + 1, stop - end - 1);
      if (one.what.size() > 2 && one.what.back() == 's') one.what.pop_back();  // 1 device, 2 devices
      one.rest = trimmed(name.substr(0, i)) + name.substr(stop);
    } else if (i > 1) {
      const std::size_t space = name.find_last_of(" ,:", i - 2), start = space == std::string::npos ? 0 : space + 1;
      one.what = name.substr(start, i - 1 - start);
      one.rest = trimmed(name.substr(0, start)) + name.substr(end);
    }
    if (!one.what.empty()) out.push_back(std::move(one));
    i = end;
  }
  return out;
}

/// What takes most values; the later one in a name among equals.
std::string axis_of(const std::vector<Point>& points) {
  std::vector<std::string> order;
  std::map<std::string, std::set<double>> values;
  for (const Point& p : points)
    for (const Counted& n : p.numbers) {
      if (std::ranges::find(order, n.what) == order.end()) order.push_back(n.what);
      values[n.what].insert(n.value);
    }
  std::string best;
  std::size_t most = 1;
  for (const std::string& what : order)
    if (values[what].size() > 1 && values[what].size() >= most) {
      most = values[what].size();
      best = what;
    }
  return best;
}

/// Axes in decades where values spread over more than one.
bool spreads(double low, double high) {
  return low > 0 && high > 10 * low;
}

std::string drawn(const std::vector<Point>& points, const std::string& axis, const std::string& unit) {
  std::vector<std::string> order;
  std::map<std::string, std::map<double, const Point*>> curves;
  double low_x = HUGE_VAL, high_x = 0, low_y = HUGE_VAL, high_y = 0;
  for (const Point& p : points)
    for (const Counted& n : p.numbers) {
      if (n.what != axis) continue;
      if (!curves.contains(n.rest)) order.push_back(n.rest);
      curves[n.rest][n.value] = &p;
      low_x = std::min(low_x, n.value);
      high_x = std::max(high_x, n.value);
      low_y = std::min(low_y, p.value);
      high_y = std::max(high_y, p.value);
      break;
    }
  std::vector<Curve> out;
  for (const std::string& name : order) {
    Curve ours{name, {}, false}, source{"", {}, true};
    for (const auto& [x, p] : curves[name]) {
      ours.points.emplace_back(x, p->value);
      if (p->published > 0) source.points.emplace_back(x, p->published);
    }
    out.push_back(std::move(ours));
    if (!source.points.empty()) out.push_back(std::move(source));
  }
  return svg_of_curves(out, {axis, unit == "1" ? "" : unit, spreads(low_x, high_x), spreads(low_y, high_y)});
}

}  // namespace

std::vector<PaperFigure> paper_figures(const Json& rows) {
  std::vector<std::pair<std::string, std::string>> order;  // name and unit
  std::map<std::pair<std::string, std::string>, std::vector<Point>> figures;
  for (const Json& row : rows) {
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string() || !row.contains("value") ||
        !row["value"].is_number())
      continue;
    const std::string name = row["name"];
    const std::size_t end = name.find_first_of(",:");
    if (!name.starts_with("Fig. ") || end == std::string::npos) continue;
    const std::string unit = row.contains("unit") && row["unit"].is_string() ? row["unit"].get<std::string>() : "";
    const std::pair key(name.substr(0, end), unit);
    if (!figures.contains(key)) order.push_back(key);
    Point point{trimmed(name.substr(end)), row["value"], 0, {}};
    if (row.contains("published") && row["published"].is_number()) point.published = row["published"];
    point.numbers = numbers_of(point.name);
    figures[key].push_back(std::move(point));
  }
  std::vector<PaperFigure> out;
  for (const auto& key : order)
    if (const std::string axis = axis_of(figures[key]); !axis.empty())
      out.push_back({key.first, drawn(figures[key], axis, key.second),
                     std::ranges::any_of(figures[key], [](const Point& p) { return p.published > 0; })});
  return out;
}

}  // namespace conoid::cli
