// SPDX-License-Identifier: BSD-3-Clause
// Pressures and speeds of boundaries over time, from a formula or a table.
#pragma once

#include "engine/io/time_table.hpp"
#include "engine/solvers/hydro_fem/discretization/geometry.hpp"

#include <functional>
#include <optional>
#include <string>

namespace conoid::hydro_fem {

/// Mean of a table between two times, from < to, where it bends between them: exactly that of its straight lines; nothing where no sample
/// lies between.
[[nodiscard]] std::optional<double> bent_mean(const TimeTable& table, double from, double to);

/// Where a step of a wall whose speed is the table's must end: a wall goes half the sum of its speeds at the ends of a step. The first
/// sample between from < to, where that is off the table's own mean by more than a thousandth of the speeds there and 1e-5 of the largest;
/// otherwise `to`.
[[nodiscard]] double end_of_step(const TimeTable& table, double from, double to);

/// The same of a formula, which has no samples to look at. Within a step it is as smooth as the march takes it to be where the polynomial of
/// degree 6 through its values at Chebyshev's points is off 33 others by no more than a hundredth of its range: jumps, corners and pulses
/// that last longer than a thirty-second of a step are none. Its mean is then that of intervals halved until they are straight, or 2^-24 of
/// a thirty-second. A step ends where the formula stops to be smooth, to a millionth of the step, and the next crosses that place.
[[nodiscard]] std::optional<double> bent_mean(const std::function<double(double)>& formula, double from, double to);
[[nodiscard]] double end_of_step(const std::function<double(double)>& formula, double from, double to);

/// Over time; `bent` is BoundaryCondition's and `step_end` MarchOptions'.
struct TimeCurve {
  std::function<double(double t)> at;
  std::function<std::optional<double>(double from, double to)> bent;
  std::function<double(double from, double to)> step_end;
  double least = 0;  ///< during the run; of a formula among a thousand moments of it
};

/// What `quantity`_formula (of t) or `quantity`_file of a side of the case says; empty where neither is given. It must be finite at
/// the start and at the end of the run; where it is not in between, calling it throws Failure(invalid_input) with the time. From one
/// thread.
[[nodiscard]] TimeCurve read_time_curve(ProblemReader& reader, const Values& side, const std::string& quantity,
                                        const std::string& unit);

}  // namespace conoid::hydro_fem
