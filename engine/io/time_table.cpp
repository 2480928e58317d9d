// SPDX-License-Identifier: BSD-3-Clause
// Reading, interpolation.
#include "engine/io/time_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "engine/io/csv.hpp"

namespace conoid {

double TimeTable::at(double t) const {
  const auto above = std::upper_bound(times.begin(), times.end(), t);
  if (above == times.begin()) return values.front();
  if (above == times.end()) return values.back();
  const auto i = static_cast<std::size_t>(above - times.begin());
  const double share = (t - times[i - 1]) / (times[i] - times[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

Result<TimeTable> read_time_table(const std::filesystem::path& file, const std::string& column,
                                  const std::string& unit) {
  const auto read = read_csv(file);
  if (!read) return read.error();
  const auto wrong = [&](std::string text, std::string hint) {
    return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), Place{file.string(), 0, ""});
  };
  const std::array<std::string, 2> names{"time", column}, units{"s", unit};
  std::array<std::vector<double>, 2> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t c = read->find(names[i]);
    if (c == CsvTable::npos)
      return wrong(fmt::format("the table has no column '{}'", names[i]),
                   fmt::format("Name the columns in the first line: time[s],{}[{}].", column, unit));
    const auto factor = column_factor(read->columns[c], units[i]);
    if (!factor) return wrong(factor.error().text, factor.error().hint);
    columns[i] = read->column(c);
    for (std::size_t r = 0; r < columns[i].size(); ++r) {
      columns[i][r] *= *factor;
      if (!std::isfinite(columns[i][r]))
        return wrong(fmt::format("row {}: {} is not a finite number", r + 1, names[i]), "Correct or remove the row.");
      if (i == 0 && r > 0 && !(columns[0][r] > columns[0][r - 1]))
        return wrong(
            fmt::format("row {}: the time {:g} s does not follow {:g} s", r + 1, columns[0][r], columns[0][r - 1]),
            "Sort the rows by time, each time once; a jump is two times close together.");
    }
  }
  if (columns[0].size() < 2)
    return wrong(fmt::format("the table has {} rows", columns[0].size()), "Give two rows or more.");
  return TimeTable{std::move(columns[0]), std::move(columns[1])};
}

}  // namespace conoid
