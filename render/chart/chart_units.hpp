// SPDX-License-Identifier: BSD-3-Clause
// A chart in another unit: what a solver publishes in several units, and decibels of square metres as areas.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// A table as the run holds it.
struct ChartTable {
  const TableInfo* info = nullptr;
  const std::vector<std::vector<double>>* rows = nullptr;
};

/// Units in which the curves of a table may be seen, its own first. A table whose columns have several units is seen one unit at a
/// time: on one axis the largest numbers would hide all others. Of others: another unit is one in which another table gives the
/// same curves (equal labels) over the same abscissa (equal first column and rows); "dBsm" may always be seen as "m^2",
/// σ = 10^(x/10) m². One entry: there is no choice.
[[nodiscard]] std::vector<std::string> units_of(const ChartTable& table, std::span<const ChartTable> all);
/// What a table of several units holds in one of them, by the name of the first column: "density"; empty for tables of one unit.
[[nodiscard]] std::string quantity_of(const TableInfo& info, const std::string& unit);
/// The chart of a table in one of these units, its own for an empty or unknown one. Exact curves, which are published once, are shifted as the curves they
/// belong to: by the difference of the decibels, by the ratio of areas.
[[nodiscard]] ChartSpec chart_in_unit(const ChartTable& table, std::span<const ChartTable> all,
                                      const std::string& unit);

}  // namespace conoid
