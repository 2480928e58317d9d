// SPDX-License-Identifier: BSD-3-Clause
// Pressures and speeds of boundaries over time, from a formula or a table.
#pragma once

#include "engine/core/error.hpp"
#include "engine/solvers/hydro_fem/geometry.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// Straight lines between samples, the first and the last value before and after them; times [s] ascend.
struct TimeTable {
  std::vector<double> times, values;
  [[nodiscard]] double at(double t) const;
};

/// CSV with the columns `time` and `column` (in `unit` where its heading names none), two rows or more. The error names the
/// column or the row that is wrong.
[[nodiscard]] Result<TimeTable> read_time_table(const std::filesystem::path& file, const std::string& column,
                                                const std::string& unit);

/// What `quantity`_formula (of t) or `quantity`_file of a side of the case says; empty where neither is given. It must be finite at
/// the start and at the end of the run; where it is not in between, calling it throws Failure(invalid_input) with the time. From one
/// thread.
[[nodiscard]] std::function<double(double)> read_time_curve(CaseReader& reader, const Values& side,
                                                            const std::string& quantity, const std::string& unit);

}  // namespace conoid::hydro_fem
