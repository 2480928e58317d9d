// SPDX-License-Identifier: BSD-3-Clause
// Names to curves, curves to lines.
#include "engine/cli/bench_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "engine/cli/html_page.hpp"
#include "engine/cli/output.hpp"

namespace conoid::cli {
namespace {

struct Point {
  double size = 0, value = 0, published = 0;
};
struct Curve {
  std::string name;
  std::vector<Point> points;
};
struct Figure {
  std::string name, unit, of;  ///< `of`: what the sizes count
  std::vector<Curve> curves;
};

/// "Ghmatecd, 240 elements, 1 thread" as 240, "elements" and "Ghmatecd, 1 thread"; size 0: there is none.
struct Sized {
  double size = 0;
  std::string of, rest;
};
Sized sized(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (std::size_t begin = 0; begin < name.size(); begin = name.find(", ", begin)) {
    if (begin > 0) begin += 2;
    char* end = nullptr;
    const double value = std::strtod(name.c_str() + begin, &end);
    const auto at = static_cast<std::size_t>(end - name.c_str());
    const std::size_t comma = std::min(name.find(", ", begin), name.size());
    if (at == begin || at + 1 >= comma || name[at] != ' ' || !(value > 0)) continue;
    const std::string of = name.substr(at + 1, comma - at - 1);
    if (!std::all_of(of.begin(), of.end(), letter)) continue;
    std::string rest = name.substr(0, begin) + (comma < name.size() ? name.substr(comma + 2) : std::string());
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == ',')) rest.pop_back();
    return {value, of, rest};
  }
  return {};
}

std::vector<Figure> figures_in(const Json& rows) {
  std::vector<Figure> out;
  for (const Json& row : rows) {
    const std::string name = row.value("name", std::string());
    const std::size_t colon = name.find(": ");
    if (!name.starts_with("Fig") || colon == std::string::npos || !row.contains("value") || !row["value"].is_number())
      continue;
    const Sized size = sized(name.substr(colon + 2));
    const double value = row["value"].get<double>();
    if (!(size.size > 0) || !(value > 0)) continue;
    const std::string figure = name.substr(0, colon), unit = row.value("unit", std::string());
    auto to = std::ranges::find_if(
        out, [&](const Figure& f) { return f.name == figure && f.unit == unit && f.of == size.of; });
    if (to == out.end()) to = out.insert(out.end(), {figure, unit, size.of, {}});
    auto curve = std::ranges::find(to->curves, size.rest, &Curve::name);
    if (curve == to->curves.end()) curve = to->curves.insert(to->curves.end(), {size.rest, {}});
    const Json& published = row.contains("published") ? row["published"] : Json();
    curve->points.push_back({size.size, value, published.is_number() ? published.get<double>() : 0.0});
  }
  std::erase_if(out, [](const Figure& f) {
    return std::ranges::all_of(f.curves, [](const Curve& c) { return c.points.size() < 2; });
  });
  return out;
}

/// Whole powers of ten around the values.
struct Axis {
  double low = 1e300, high = 0;
  void hold(double v) {
    if (!(v > 0)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  void close() {
    low = std::floor(std::log10(low));
    high = std::max(low + 1, std::ceil(std::log10(high)));
  }
  [[nodiscard]] double part(double v) const { return (std::log10(v) - low) / (high - low); }
};

std::string drawn(const Figure& f) {
  constexpr double width = 880, left = 70, bottom = 370, right = 500, top = 20;
  constexpr std::array<const char*, 8> colours{"#1f6fb4", "#d2691e", "#2e8b57", "#a03070",
                                               "#7a5cc0", "#7a7a20", "#444444", "#b03a2e"};
  const double height = std::max(420.0, top + 40 + 18 * static_cast<double>(f.curves.size()));
  Axis x, y;
  for (const Curve& c : f.curves)
    for (const Point& p : c.points) {
      x.hold(p.size);
      y.hold(p.value);
      y.hold(p.published);
    }
  x.close();
  y.close();
  const auto at_x = [&](double v) { return left + (right - left) * x.part(v); };
  const auto at_y = [&](double v) { return bottom - (bottom - top) * y.part(v); };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\"><rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      width, height);
  for (double e = x.low; e <= x.high; ++e)
    out += fmt::format(
        "<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#dde2e7\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        at_x(std::pow(10, e)), top, bottom, bottom + 18, number_text(std::pow(10, e)));
  for (double e = y.low; e <= y.high; ++e)
    out += fmt::format(
        "<path d=\"M{1} {0:.1f}H{2}\" stroke=\"#dde2e7\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        at_y(std::pow(10, e)), left, right, left - 8, at_y(std::pow(10, e)) + 4, number_text(std::pow(10, e)));
  out += fmt::format(
      "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{2}</text><text x=\"16\" y=\"{3}\" text-anchor=\"middle\" "
      "transform=\"rotate(-90 16 {3})\">{4}</text>\n",
      (left + right) / 2, bottom + 38, html_escaped(f.of), (top + bottom) / 2,
      f.unit == "1" ? std::string("value") : html_escaped(f.unit));
  for (std::size_t k = 0; k < f.curves.size(); ++k) {
    const char* const colour = colours.at(k % colours.size());
    std::string path;
    for (const Point& p : f.curves[k].points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x(p.size), at_y(p.value));
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", at_x(p.size), at_y(p.value),
                         colour);
      if (p.published > 0)
        out += fmt::format("<path d=\"M{0:.1f} {1:.1f}l10 10m0 -10l-10 10\" stroke=\"{2}\" stroke-width=\"2\"/>\n",
                           at_x(p.size) - 5, at_y(p.published) - 5, colour);
    }
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/><text x=\"{}\" y=\"{}\" "
        "fill=\"{}\">{}</text>\n",
        path, colour, right + 10, top + 12 + 18 * static_cast<double>(k), colour, html_escaped(f.curves[k].name));
  }
  return out + "</svg>\n";
}

}  // namespace

std::vector<BenchFigure> bench_figures(const Json& rows) {
  std::vector<BenchFigure> out;
  if (!rows.is_array()) return out;
  for (const Figure& f : figures_in(rows)) out.push_back({f.name + (f.unit == "1" ? "" : ", " + f.unit), drawn(f)});
  return out;
}

}  // namespace conoid::cli
