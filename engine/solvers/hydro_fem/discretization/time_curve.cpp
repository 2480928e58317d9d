// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/time_curve.hpp"

#include "engine/case/expression.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include <fmt/core.h>

namespace conoid::hydro_fem {

std::optional<double> bent_mean(const TimeTable& table, double from, double to) {
  auto t = std::upper_bound(table.times.begin(), table.times.end(), from);
  if (t == table.times.end() || *t >= to) return std::nullopt;
  double sum = 0, last = from;
  const auto add = [&](double until) {
    sum += 0.5 * (table.at(last) + table.at(until)) * (until - last);
    last = until;
  };
  for (; t != table.times.end() && *t < to; ++t) add(*t);
  add(to);
  return sum / (to - from);
}

double end_of_step(const TimeTable& table, double from, double to) {
  const auto mean = bent_mean(table, from, to);
  if (!mean) return to;
  double largest = 0;
  for (const double v : table.values) largest = std::max(largest, std::abs(v));
  const double first = table.at(from), last = table.at(to);
  const double here = std::max({std::abs(first), std::abs(last), std::abs(*mean)});
  if (std::abs(0.5 * (first + last) - *mean) <= std::max(1e-3 * here, 1e-5 * largest)) return to;
  return *std::upper_bound(table.times.begin(), table.times.end(), from);
}

TimeCurve read_time_curve(ProblemReader& r, const Values& side, const std::string& quantity, const std::string& unit) {
  const std::string formula = quantity + "_formula", file = quantity + "_file";
  if (side.has(file)) {
    auto read = read_time_table(r.input.path(side[file].text()), quantity, unit);
    if (!read) {
      r.fail(side[file], read.error().render(), fmt::format("The table needs the columns time and {}.", quantity));
      return {};
    }
    const auto table = std::make_shared<const TimeTable>(std::move(read).value());
    return {[table](double t) { return table->at(t); },
            [table](double from, double to) { return bent_mean(*table, from, to); },
            [table](double from, double to) { return end_of_step(*table, from, to); }};
  }
  if (!side.has(formula)) return {};
  const auto parsed = Expression::parse(side[formula].text(), {"t"});
  if (!parsed) {
    r.fail(side[formula], parsed.error().text, parsed.error().hint);
    return {};
  }
  const Expression& value = *parsed;
  for (const double t : {0.0, r.input["parameters"]["end_time"].number()})
    if (const double now = value(std::span(&t, 1)); !std::isfinite(now)) {
      r.fail(side[formula], fmt::format("the {} is {} at t = {:g} s", quantity, now, t),
             "Give a formula that is finite during the whole run.");
      return {};
    }
  return {
      [value, quantity](double t) {
        const double now = value(std::span(&t, 1));
        if (!std::isfinite(now))
          throw Failure(make_error(ErrorCode::invalid_input,
                                   fmt::format("the formula of a boundary's {} is {} at t = {:g} s", quantity, now, t),
                                   "Give a formula that is finite during the whole run."));
        return now;
      },
      {},
      {}};
}

}  // namespace conoid::hydro_fem
