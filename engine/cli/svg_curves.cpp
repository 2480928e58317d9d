// SPDX-License-Identifier: BSD-3-Clause
// From numbers to paths.
#include "engine/cli/svg_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "engine/cli/html_page.hpp"

namespace conoid::cli {
namespace {

constexpr double left = 64, bottom = 370, right = 620, top = 20, height = 420, legend = 340;
constexpr std::array<const char*, 6> colours{"#1f6fb4", "#d2691e", "#2e8b57", "#a03070", "#7a5cc0", "#7a7a20"};

/// From values to a stretch of the drawing.
class Axis {
 public:
  Axis(bool log, double low, double high, double from, double to) : log_(log), from_(from), to_(to) {
    if (log) {
      low_ = std::floor(std::log10(low) + 1e-9);
      high_ = std::max(low_ + 1, std::ceil(std::log10(high) - 1e-9));
    } else {
      step_ = step(high);
      high_ = step_ * std::max(1.0, std::ceil(high / step_ - 1e-9));
    }
  }
  [[nodiscard]] bool shows(double value) const { return std::isfinite(value) && (log_ ? value > 0 : value >= 0); }
  [[nodiscard]] double at(double value) const {
    return from_ + (to_ - from_) * ((log_ ? std::log10(value) : value) - low_) / (high_ - low_);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> out;
    if (!log_) {
      for (int n = 0; n * step_ <= high_ * (1 + 1e-9); ++n) out.push_back(n * step_);
      return out;
    }
    for (int decade = static_cast<int>(low_); decade <= static_cast<int>(high_); ++decade)
      for (const double of : {1.0, 2.0, 5.0})
        if (of == 1 || (decade < static_cast<int>(high_) && high_ - low_ < 4)) out.push_back(of * std::pow(10, decade));
    return out;
  }

 private:
  /// 1, 2 or 5 of a decade, so that there are eight ticks at most.
  static double step(double high) {
    const double least = std::max(high, 1e-300) / 8, decade = std::pow(10, std::floor(std::log10(least)));
    for (const double of : {1.0, 2.0, 5.0})
      if (of * decade >= least * (1 - 1e-9)) return of * decade;
    return 10 * decade;
  }
  bool log_;
  double from_, to_, low_ = 0, high_ = 1, step_ = 1;
};

std::string grid(const Axis& x, const Axis& y, const CurveAxes& axes) {
  std::string out;
  for (const double v : x.ticks())
    out += fmt::format(
        "<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#dde2e7\"/><text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:g}"
        "</text>\n",
        x.at(v), top, bottom, bottom + 18, v);
  for (const double v : y.ticks())
    out += fmt::format(
        "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#dde2e7\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}"
        "</text>\n",
        left, y.at(v), right, left - 8, y.at(v) + 4, v);
  return out + fmt::format(
                   "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{3}</text><text x=\"16\" y=\"{2}\" "
                   "text-anchor=\"middle\" transform=\"rotate(-90 16 {2})\">{4}</text>\n",
                   (left + right) / 2, height - 12, (top + bottom) / 2, html_escaped(axes.x), html_escaped(axes.y));
}

}  // namespace

std::string svg_of_curves(const std::vector<Curve>& curves, const CurveAxes& axes) {
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {0, 0};
  const auto stretch = [&](int d, double v) {
    if (!std::isfinite(v) || v < 0 || (v == 0 && (d == 0 ? axes.log_x : axes.log_y))) return;
    low[d] = std::min(low[d], v);
    high[d] = std::max(high[d], v);
  };
  for (const Curve& c : curves)
    for (const auto& [x, y] : c.points) {
      stretch(0, x);
      stretch(1, y);
    }
  for (int d = 0; d < 2; ++d) {
    if (!(high[d] > 0)) high[d] = 1;
    if (!(low[d] > 0)) low[d] = high[d];
  }
  const Axis across(axes.log_x, low[0], high[0], left, right), up(axes.log_y, low[1], high[1], bottom, top);
  const bool named = std::any_of(curves.begin(), curves.end(), [](const Curve& c) { return !c.name.empty(); });
  const double width = right + 20 + (named ? legend : 0);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"13\"><rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      width, height);
  out += grid(across, up, axes);
  std::size_t colour = 0, line = 0;
  bool first = true;
  for (const Curve& c : curves) {
    if (!c.dashed && !std::exchange(first, false)) ++colour;
    const char* const ink = colours.at(colour % colours.size());
    std::string path;
    for (const auto& [x, y] : c.points) {
      if (!across.shows(x) || !up.shows(y)) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", across.at(x), up.at(y));
      if (!c.dashed)
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", across.at(x), up.at(y), ink);
    }
    if (!path.empty())
      out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path, ink,
                         c.dashed ? " stroke-dasharray=\"5 4\"" : "");
    if (!c.name.empty())
      out += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", right + 20,
                         top + 14 + 18 * static_cast<double>(line++), ink, html_escaped(c.name));
  }
  return out + "</svg>\n";
}

}  // namespace conoid::cli
