// SPDX-License-Identifier: BSD-3-Clause
// A quantity over time from a file: what drives boundaries and loads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/error.hpp"

namespace conoid {

/// Straight lines between samples, the first and the last value before and after them; times [s] ascend.
struct TimeTable {
  std::vector<double> times, values;
  [[nodiscard]] double at(double t) const;
};

/// CSV with the columns `time` and `column` (in `unit` where its heading names none), two rows or more. The error names the
/// column or the row that is wrong.
[[nodiscard]] Result<TimeTable> read_time_table(const std::filesystem::path& file, const std::string& column,
                                                const std::string& unit);

}  // namespace conoid
