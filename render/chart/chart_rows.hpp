// SPDX-License-Identifier: BSD-3-Clause
// A chart as rows of numbers: for a table beside it, for spreadsheets and for CSV files.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

struct ChartRows {
  std::vector<std::string> heads;         ///< "t [s]", "north [Pa]"
  std::vector<std::vector<double>> rows;  ///< as many as heads; not-a-number: no value
};

/// What lines, polar diagrams and gathers show: curves of one abscissa share its column, others bring their own. Curves in `hidden` are
/// left out, and so are rows outside `within`, two values of the abscissa. Empty for a balance of workers.
[[nodiscard]] ChartRows rows_of_chart(const ChartSpec& spec, const std::set<std::string>& hidden = {},
                                      std::optional<std::pair<double, double>> within = {});
/// With a line of heads, fields quoted where they must be; `separator` is ',' or a tab.
[[nodiscard]] std::string text_of(const ChartRows& rows, char separator);

}  // namespace conoid
