// SPDX-License-Identifier: BSD-3-Clause
// Charts over the points of a sweep, and what one chart differs from another by.
#pragma once

#include <string>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// Rows of a table of runs: what was set, what came out.
struct SweepTable {
  std::vector<Column> columns;
  std::vector<std::vector<double>> rows;  ///< not-a-number: no value, or a text
  std::size_t swept = 0;                  ///< so many of the first columns were set
};

/// sweep.csv of a folder that `conoid sweep` made, or such a file itself.
[[nodiscard]] Result<SweepTable> read_sweep(const std::filesystem::path& where);

/// A column against another over all rows; each combination of the other swept columns is a curve of its own, named after its values
/// ("order 4"). Names as in the table, or their last part ("frequency" for "/source/frequency"). Empty `x`: the first swept one; empty
/// `y`: the first that was not set. Rows are put in ascending order of x. Errors list the columns.
[[nodiscard]] Result<ChartSpec> sweep_chart(const SweepTable& table, const std::string& x, const std::string& y);

/// second − first, curve by curve of the same label, at the abscissae of the first within what both span (linear between samples).
/// Overlays are left out; decibels are subtracted as they are.
[[nodiscard]] ChartSpec difference_chart(const ChartSpec& first, const ChartSpec& second);

}  // namespace conoid
