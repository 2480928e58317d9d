// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/time_curve.hpp"

#include "engine/case/expression.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

using Formula = std::function<double(double)>;
constexpr int panels = 32;         // of a step, at whose ends a formula is looked at
constexpr int halvings = 24;       // of a panel in which it jumps
constexpr int points = 7;          // of the polynomial that it is compared with
constexpr double apart = 0.01;     // of its range, which it may be off that
constexpr double crossing = 1e-6;  // of a step, in which a jump is crossed

double place(double from, double to, int panel) {
  return panel == panels ? to : from + (to - from) * panel / panels;
}

/// Values of a formula at the ends of the panels, and their range.
struct Samples {
  Samples(const Formula& formula, double from, double to) {
    for (int i = 0; i <= panels; ++i) at[u(i)] = formula(place(from, to, i));
    const auto [low, high] = std::minmax_element(at.begin(), at.end());
    range = *high - *low;
    if (range <= 1e-12 * std::max(std::abs(*low), std::abs(*high))) range = 0;  // rounding
  }
  std::array<double, panels + 1> at{};
  double range = 0;
};

bool smooth(const Formula& formula, const Samples& samples, double from, double to) {
  if (samples.range == 0) return true;
  std::array<double, points> node{}, value{};
  for (int j = 0; j < points; ++j) {
    node[u(j)] = 0.5 - 0.5 * std::cos(j * std::numbers::pi / (points - 1));
    value[u(j)] = formula(j == points - 1 ? to : from + node[u(j)] * (to - from));
  }
  for (int i = 1; i < panels; ++i) {
    // Barycentric interpolation: weights of Chebyshev's points alternate, those of the ends count half.
    const double x = static_cast<double>(i) / panels;
    double above = 0, below = 0, found = HUGE_VAL;
    for (int j = 0; j < points; ++j) {
      if (std::abs(x - node[u(j)]) < 1e-14) found = value[u(j)];
      const double weight = (j % 2 == 0 ? 1 : -1) * (j == 0 || j == points - 1 ? 0.5 : 1) / (x - node[u(j)]);
      above += weight * value[u(j)];
      below += weight;
    }
    if (!std::isfinite(found)) found = above / below;
    if (std::abs(found - samples.at[u(i)]) > apart * samples.range) return false;
  }
  return true;
}

bool smooth(const Formula& formula, double from, double to) {
  return smooth(formula, Samples(formula, from, to), from, to);
}

/// Integral between two places at which the values are known; straight to `little` of a value.
double integral(const Formula& formula, double a, double fa, double b, double fb, double little, int depth) {
  const double middle = 0.5 * (a + b), fm = formula(middle);
  if (depth == 0 || std::abs(fa + fb - 2 * fm) <= little) return (fa + 4 * fm + fb) / 6 * (b - a);
  return integral(formula, a, fa, middle, fm, little, depth - 1) +
         integral(formula, middle, fm, b, fb, little, depth - 1);
}

/// The least of values of which none is larger than `most`: a pulse that ends at zero but for rounding does not go below it.
double without_rounding(double least, double most) {
  return least < 0 && least > -1e-12 * most ? 0 : least;
}

}  // namespace

std::optional<double> bent_mean(const Formula& formula, double from, double to) {
  const Samples samples(formula, from, to);
  if (smooth(formula, samples, from, to)) return std::nullopt;
  double sum = 0;
  for (int i = 0; i < panels; ++i)
    sum += integral(formula, place(from, to, i), samples.at[u(i)], place(from, to, i + 1), samples.at[u(i + 1)],
                    1e-4 * samples.range, halvings);
  return sum / (to - from);
}

double end_of_step(const Formula& formula, double from, double to) {
  if (smooth(formula, from, to)) return to;
  double good = from, bad = to;
  for (int i = panels - 1; i > 0 && good == from; --i)
    (smooth(formula, from, place(from, to, i)) ? good : bad) = place(from, to, i);
  const double least = std::max(crossing * (to - from), 8 * std::numeric_limits<double>::epsilon() * std::abs(to));
  while (bad - good > least) {
    const double middle = 0.5 * (good + bad);
    (smooth(formula, from, middle) ? good : bad) = middle;
  }
  return good - from > least ? good : bad;
}

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
  const double end = r.input["parameters"]["end_time"].number();
  if (side.has(file)) {
    auto read = read_time_table(r.input.path(side[file].text()), quantity, unit);
    if (!read) {
      r.fail(side[file], read.error().render(), fmt::format("The table needs the columns time and {}.", quantity));
      return {};
    }
    const auto table = std::make_shared<const TimeTable>(std::move(read).value());
    double least = std::min(table->at(0), table->at(end)),
           most = std::max(std::abs(table->at(0)), std::abs(table->at(end)));
    for (std::size_t i = 0; i < table->times.size(); ++i)
      if (table->times[i] > 0 && table->times[i] < end) {
        least = std::min(least, table->values[i]);
        most = std::max(most, std::abs(table->values[i]));
      }
    return {[table](double t) { return table->at(t); },
            [table](double from, double to) { return bent_mean(*table, from, to); },
            [table](double from, double to) { return end_of_step(*table, from, to); }, without_rounding(least, most)};
  }
  if (!side.has(formula)) return {};
  const auto parsed = Expression::parse(side[formula].text(), {"t"});
  if (!parsed) {
    r.fail(side[formula], parsed.error().text, parsed.error().hint);
    return {};
  }
  const Expression& value = *parsed;
  for (const double t : {0.0, end})
    if (const double now = value(std::span(&t, 1)); !std::isfinite(now)) {
      r.fail(side[formula], fmt::format("the {} is {} at t = {:g} s", quantity, now, t),
             "Give a formula that is finite during the whole run.");
      return {};
    }
  const Formula at = [value, quantity](double t) {
    const double now = value(std::span(&t, 1));
    if (!std::isfinite(now))
      throw Failure(make_error(ErrorCode::invalid_input,
                               fmt::format("the formula of a boundary's {} is {} at t = {:g} s", quantity, now, t),
                               "Give a formula that is finite during the whole run."));
    return now;
  };
  constexpr int moments = 1000;
  double least = at(0), most = std::abs(least);
  for (int i = 1; i <= moments; ++i) {
    const double t = end * i / moments, now = value(std::span(&t, 1));
    least = std::fmin(least, now);  // what is not finite is told when it is met
    most = std::fmax(most, std::abs(now));
  }
  return {at, [at](double from, double to) { return bent_mean(at, from, to); },
          [at](double from, double to) { return end_of_step(at, from, to); }, without_rounding(least, most)};
}

}  // namespace conoid::hydro_fem
