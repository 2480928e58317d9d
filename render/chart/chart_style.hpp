// SPDX-License-Identifier: BSD-3-Clause
// What a person changes about a chart: limits of its axes, titles, names and colours of curves; and the texts in which
// the command line says the same.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "render/chart/chart_spec.hpp"

namespace conoid {

struct CurveStyle {
  std::string name;          ///< empty: its own
  std::optional<Rgb> ink{};  ///< none: its turn in the theme's palette
  bool hidden = false;
};

/// Of one chart; empty members leave it as it is.
struct ChartStyle {
  std::string title, x_label, y_label;
  std::optional<bool> x_log, y_log;
  ChartLimits limits{};
  std::map<std::string, CurveStyle> curves{};  ///< by the label that a curve has by itself
};

/// The chart in this style; hidden curves are left out. Overlays that are named after a curve ("north, exact") take its new name and
/// colour. Titles, names and colours are laid over lines and polar diagrams, and over gathers without the axis of traces.
[[nodiscard]] ChartSpec styled(ChartSpec spec, const ChartStyle& style);

/// "LOW:HIGH" of an axis in `unit`: numbers in that unit or with one of their own ("1ms:3ms"); either end may be empty (":10").
/// `flag` is named in the error.
[[nodiscard]] Result<std::pair<std::optional<double>, std::optional<double>>> parse_limits(std::string_view text,
                                                                                           std::string_view unit,
                                                                                           std::string_view flag);
/// One end: empty text gives none.
[[nodiscard]] Result<std::optional<double>> parse_limit(std::string_view text, std::string_view unit);

/// "LABEL=NAME", "LABEL=#c03020", "LABEL=NAME,#c03020" or "LABEL=none" (left out): label and style of a curve.
[[nodiscard]] Result<std::pair<std::string, CurveStyle>> parse_curve_style(std::string_view text);

}  // namespace conoid
