// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/time_curve.hpp"

#include "engine/case/expression.hpp"
#include "engine/io/csv.hpp"
#include "engine/solvers/hydro_fem/index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/core.h>

namespace conoid::hydro_fem {

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

std::function<double(double)> read_time_curve(CaseReader& r, const Values& side, const std::string& quantity,
                                              const std::string& unit) {
  const std::string formula = quantity + "_formula", file = quantity + "_file";
  if (side.has(file)) {
    auto table = read_time_table(r.input.path(side[file].text()), quantity, unit);
    if (!table) {
      r.wrong(side[file], table.error().render(), fmt::format("The table needs the columns time and {}.", quantity));
      return {};
    }
    return [table = std::move(table).value()](double t) { return table.at(t); };
  }
  if (!side.has(formula)) return {};
  const auto parsed = Expression::parse(side[formula].text(), {"t"});
  if (!parsed) {
    r.wrong(side[formula], parsed.error().text, parsed.error().hint);
    return {};
  }
  const Expression& value = *parsed;
  for (const double t : {0.0, r.input["parameters"]["end_time"].number()})
    if (const double now = value(std::span(&t, 1)); !std::isfinite(now)) {
      r.wrong(side[formula], fmt::format("the {} is {} at t = {:g} s", quantity, now, t),
              "Give a formula that is finite during the whole run.");
      return {};
    }
  return [value, quantity](double t) {
    const double now = value(std::span(&t, 1));
    if (!std::isfinite(now))
      throw Failure(make_error(ErrorCode::invalid_input,
                               fmt::format("the formula of a boundary's {} is {} at t = {:g} s", quantity, now, t),
                               "Give a formula that is finite during the whole run."));
    return now;
  };
}

}  // namespace conoid::hydro_fem
