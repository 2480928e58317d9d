// SPDX-License-Identifier: BSD-3-Clause
// Curves of a table of somebody else (measured, or of another program) in the units of a chart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// Which column of a table is meant, and in which unit its numbers are. An empty unit: that of its heading, else the chart's.
struct ColumnChoice {
  std::size_t column = 0;
  std::string unit;
  std::string name;  ///< of the curve; empty: the heading, else the file's name
};

struct MeasuredChoice {
  ColumnChoice x{};
  std::vector<ColumnChoice> curves;  ///< empty: all other columns
};

/// "2,5 [mPa],north": columns by number from 1 or by name, the first one the abscissa, units in brackets where the file has others
/// than those its headings name (or names none). Empty text: the first against all others.
[[nodiscard]] Result<MeasuredChoice> parse_measured_choice(std::string_view text, const CsvTable& table);

/// Curves as overlays; a column with the name of a curve of the chart is called "<name>, measured" and so takes its colour. `words`
/// is that ending. Rows whose abscissa is no number are left out. Errors name column and unit.
[[nodiscard]] Result<std::vector<Series>> measured_curves(const CsvTable& table, const MeasuredChoice& choice,
                                                          const ChartSpec& spec, const std::string& file_name,
                                                          const std::string& words = "measured");

}  // namespace conoid
