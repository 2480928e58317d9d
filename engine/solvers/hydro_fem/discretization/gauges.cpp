// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/discretization/gauges.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

// A gauge in a checkpoint: its place, whether it moves, its sums and, but for older ones, their levels.
constexpr std::size_t numbers_of_old = 10;
constexpr std::size_t numbers_kept = numbers_of_old + 1 + std::tuple_size_v<decltype(GaugeSums::passed)>;
constexpr double least_mark = 1e-6;  // of the peak: what runs ahead of a shock has less

}  // namespace

Error lies_in_no_zone(const std::string& gauge) {
  return make_error(ErrorCode::invalid_input, fmt::format("{} lies in no zone", gauge),
                    "Put it inside the material, or let it stay in space.");
}

void GaugeSums::add(double t, double pressure, double threshold) {
  if (time < 0) {
    start = pressure;
    time = t;
    return;
  }
  if (!(t > time)) return;
  const double before = last, now = pressure - start, dt = t - time;
  const double mark = threshold > 0 ? threshold : 0.01 * std::abs(start);
  if (arrival < 0 && now > mark) arrival = before < mark ? time + dt * (mark - before) / (now - before) : time;
  // Of a straight line that crosses zero only the positive part counts.
  if (before >= 0 && now >= 0)
    impulse += 0.5 * (before + now) * dt;
  else if (before > 0 || now > 0)
    impulse += 0.5 * std::max(before, now) * std::max(before, now) / std::abs(now - before) * dt;
  pass_levels(before, now, dt);
  peak = std::max(peak, now);
  if (arrival >= 0 && threshold <= 0 && mark < least_mark * peak && level != no_level)
    arrival = passed[peak > 0.015625 * std::ldexp(100.0, level)
                         ? 5
                         : 6];  // the lowest of them at a hundredth of the peak or above
  last = now;
  time = t;
}

void GaugeSums::begin_levels() {
  if (!(peak > 0)) return;
  level = std::ilogb(peak);
  passed.fill(arrival >= 0 ? arrival : time);
}

void GaugeSums::pass_levels(double before, double now, double dt) {
  if (!(now > peak) || !(now > 0)) return;
  const int top = std::ilogb(now);
  for (int next = std::max(level + 1, top - static_cast<int>(passed.size()) + 1); next <= top; ++next) {
    std::rotate(passed.rbegin(), passed.rbegin() + 1, passed.rend());
    passed[0] = time + dt * (std::ldexp(1.0, next) - before) / (now - before);
  }
  level = std::max(level, top);
}

Gauges::Gauges(std::vector<Gauge> gauges) : gauges_(std::move(gauges)), spots_(gauges_.size()), sums_(gauges_.size()) {}

Gauges::Gauges(std::vector<Gauge> gauges, const View& view, const State& initial) : Gauges(std::move(gauges)) {
  if (const Index lost = place(view, initial); lost >= 0) throw Failure(lies_in_no_zone(gauges_[u(lost)].name));
}

/// Where those that move, or those that stay, are in a state.
void Gauges::find(const View& view, const State& state, bool moving) {
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < gauges_.size(); ++i)
    if (gauges_[i].moves == moving) which.push_back(i);
  if (which.empty()) return;
  const View::Boxes boxes = view.boxes(state);
  std::vector<View::Searched> points;
  for (const std::size_t i : which) points.push_back({&boxes, gauges_[i].position});
  const std::vector<View::Spot> found = view.find(state, points);
  for (std::size_t i = 0; i < which.size(); ++i) spots_[which[i]] = found[i];
}

Index Gauges::place(const View& view, const State& initial) {
  find(view, initial, true);
  for (std::size_t i = 0; i < gauges_.size(); ++i)
    if (gauges_[i].moves && spots_[i].zone < 0) return static_cast<Index>(i);
  return -1;
}

std::vector<double> Gauges::sample(const View& view, const State& state, double t) {
  std::vector<double> out;
  if (gauges_.empty()) return out;
  find(view, state, false);
  const std::vector<PointValues> values = view.at(state, spots_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back(values[i].pressure);
    sums_[i].add(t, out.back(), gauges_[i].threshold);
  }
  return out;
}

std::vector<double> Gauges::kept() const {
  std::vector<double> out;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const GaugeSums& s = sums_[i];
    const Gauge& g = gauges_[i];
    out.insert(out.end(), {g.position[0], g.position[1], g.position[2], g.moves ? 1.0 : 0.0, s.start, s.peak, s.impulse,
                           s.arrival, s.last, s.time, static_cast<double>(s.level)});
    out.insert(out.end(), s.passed.begin(), s.passed.end());
  }
  return out;
}

std::vector<std::string> Gauges::restore(const std::vector<double>& kept, bool older) {
  const std::size_t each = older ? numbers_of_old : numbers_kept;
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Gauge& g = gauges_[i];
    sums_[i] = {};
    std::size_t at = 0;
    for (; at + each <= kept.size(); at += each)
      if (kept[at] == g.position[0] && kept[at + 1] == g.position[1] && kept[at + 2] == g.position[2] &&
          (kept[at + 3] != 0) == g.moves)
        break;
    if (at + each > kept.size()) {
      unknown.push_back(g.name);
      continue;
    }
    const double* k = &kept[at + 4];
    sums_[i] = {k[0], k[1], k[2], k[3], k[4], k[5]};
    if (older) {
      sums_[i].begin_levels();
      continue;
    }
    sums_[i].level = static_cast<int>(k[6]);
    std::copy_n(k + 7, sums_[i].passed.size(), sums_[i].passed.begin());
  }
  return unknown;
}

}  // namespace conoid::hydro_fem
