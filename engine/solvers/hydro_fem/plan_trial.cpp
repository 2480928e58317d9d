// SPDX-License-Identifier: BSD-3-Clause
// Short marches of coarser twins.
#include "engine/solvers/hydro_fem/plan_trial.hpp"

#include "engine/core/hash.hpp"
#include "engine/core/kept_values.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/rate_book.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

constexpr double most_points = 3e5;   // no twin has more: some steps of it take a second
constexpr double share_of_run = 0.1;  // of the work foreseen, for all twins
constexpr double least_work = 4e5;    // point-steps, a tenth of a second
constexpr double usual_growth = 1.5;  // p where a single twin was marched: between blasts and shear

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Twin {
  Problem problem;
  double points = 0;      ///< of quadrature
  double resolution = 0;  ///< N
  double longest = 0;     ///< zones along the longest axis; of a mesh the root of all
  int order = 1;
};

Twin twin_of(Problem problem) {
  const Geometry& g = problem.geometry;
  const double zones = g.count().zones, k = problem.setup.k;
  const double longest = g.is_grid()
                             ? static_cast<double>(*std::max_element(g.counts.begin(), g.counts.begin() + g.dim))
                             : std::pow(zones, 1.0 / g.dim);
  const double points = zones * std::pow(2 * k, g.dim);
  const int order = problem.setup.k;
  return {std::move(problem), points, longest * k, longest, order};
}

/// Zones of a grid that are about `factor` times as coarse and allowed, at least two along an axis, or as many as there are: first
/// along the longest axis, then along the others by what that became. Empty: none.
std::vector<Index> coarser(const Problem& problem, double factor) {
  const auto& counts = problem.geometry.counts;
  const std::vector<Index> all(counts.begin(), counts.begin() + problem.geometry.dim);
  std::vector<std::size_t> axes(all.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) { return all[a] > all[b]; });
  std::vector<Index> out = all;
  for (const std::size_t d : axes) {
    const double wanted = static_cast<double>(all[d]) / factor;
    const Index low = std::max<Index>(std::min<Index>(all[d], 2), static_cast<Index>(std::ceil(0.7 * wanted))),
                high = std::min(all[d], static_cast<Index>(1.45 * wanted));
    std::vector<Index> tries;
    for (Index n = low; n <= high; ++n) tries.push_back(n);
    const auto off = [&](Index n) { return std::abs(std::log(static_cast<double>(n) / wanted)); };
    std::sort(tries.begin(), tries.end(), [&](Index a, Index b) { return off(a) < off(b); });
    if (tries.size() > 24) tries.resize(24);
    bool found = false;
    for (std::size_t i = 0; i < tries.size() && !found; ++i) {
      std::vector<Index> other = all;  // borders along one axis do not depend on the others
      other[d] = tries[i];
      if (!at_resolution(problem, other, problem.setup.k)) continue;
      out[d] = tries[i];
      found = true;
    }
    if (!found) return {};
    if (d == axes.front()) factor = static_cast<double>(all[d]) / static_cast<double>(out[d]);
  }
  return out;
}

/// From the coarsest to the case itself, each of at least a third more points than the one before.
std::vector<Twin> twins_of(const Problem& problem) {
  const int order = problem.setup.k;
  const bool grid = problem.geometry.is_grid();
  const Twin whole = twin_of(problem);
  std::vector<Twin> out;
  std::vector<int> orders{order};
  // Order 1 has energies that are constant in a zone, and on grids another law than the rest.
  for (int k = grid ? 2 : 1; k < order; ++k) orders.push_back(k);
  const auto add = [&](const std::vector<Index>& zones, int k) {
    if (auto made = at_resolution(problem, zones, k)) out.push_back(twin_of(std::move(*made)));
  };
  if (grid) {
    for (double factor = std::sqrt(2.0); factor < whole.longest / 3.5; factor *= std::sqrt(2.0))
      if (const auto zones = coarser(problem, factor); !zones.empty())
        for (const int k : orders) add(zones, k);
  } else {
    for (const int k : orders)
      if (k < order) add({}, k);
  }
  std::stable_sort(out.begin(), out.end(), [](const Twin& a, const Twin& b) { return a.points < b.points; });
  std::vector<Twin> rare;
  for (Twin& twin : out)
    if (twin.points < 0.75 * whole.points && twin.points <= most_points &&
        (rare.empty() || twin.points > 1.33 * rare.back().points))
      rare.push_back(std::move(twin));
  if (whole.points <= most_points) rare.push_back(whole);
  return rare;
}

/// The start that another run gives is as thin in its middle as zones are small there: steps follow no power of N, and only zones like the
/// case's own tell. The finest twin that can take some steps, or the coarsest.
void keep_finest(std::vector<Twin>& twins, double work) {
  constexpr double least_steps = 60;
  const auto too_fine =
      std::find_if(twins.begin() + 1, twins.end(), [&](const Twin& twin) { return twin.points * least_steps > work; });
  twins.erase(too_fine, twins.end());
  twins.erase(twins.begin(), twins.end() - 1);
}

struct Marched {
  double courant = 1, work = 0, seconds = 0;
  bool finished = false;
  std::vector<double> times;  ///< after each step
  std::string zones;
  [[nodiscard]] double steps() const { return static_cast<double>(times.size()); }
  /// Steps up to time t.
  [[nodiscard]] double steps_until(double t) const {
    return static_cast<double>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
  }
};

/// The march of a twin for at most `work` point-steps; those of a flow that collapses end there.
Marched march_of(const Twin& twin, double work) {
  Problem problem = twin.problem;
  problem.make_zones();
  Team team({WorkerSpec{}});
  Operator op(problem.setup, best_kernels(), team);
  March march(op, problem.march);
  Marched out;
  out.courant = problem.march.courant;
  out.zones = problem.geometry.count().text;
  const double start = processor_seconds();
  try {
    while (out.work < work || out.times.size() < 3) {
      if (!march.step()) break;
      out.times.push_back(march.time());
      out.work = static_cast<double>(march.accepted() + march.repeated()) * twin.points;
    }
  } catch (const Failure&) {
    if (out.times.size() < 3) throw;
  }
  out.finished = march.finished();
  out.seconds = processor_seconds() - start;
  return out;
}

/// Steps of the whole march, where it did not reach the end by the law of the last ones.
double steps_to_the_end(const Marched& m, double end_time) {
  if (m.finished) return m.steps();
  const std::size_t last = m.times.size() - 1, before = std::min(last - 1, last - last / 10);
  const double step = (m.times[last] - m.times[before]) / static_cast<double>(last - before);
  const double b = std::clamp(m.times[last] / (m.steps() * step), 0.25, 1.5);
  return m.steps() * std::pow(end_time / m.times[last], b);
}

/// Whether its steps grow with time: the last tenth of the time has less than a tenth of the steps.
bool steps_grow(const Marched& m) {
  return m.steps() - m.steps_until(0.9 * m.times.back()) < 0.1 * m.steps();
}

/// p from two twins of a flow whose steps grow or do not.
double growth_of(const Marched& a, const Twin& of_a, const Marched& b, const Twin& of_b, bool steps_grow) {
  const double t = std::min(a.times.back(), b.times.back());
  const double ratio = b.courant * b.steps_until(t) / (a.courant * std::max(1.0, a.steps_until(t)));
  double p = std::log(ratio) / std::log(of_b.resolution / of_a.resolution);
  p = std::clamp(p, 0.8, steps_grow ? 1.3 : 2.5);
  return 1 + (p - 1) * std::min(1.0, of_a.longest / 8);
}

/// The marches that were made, from the coarsest on.
using Marches = std::vector<std::pair<const Twin*, Marched>>;

struct Foreseen {
  double steps = 0;
  double unsure = 2;  ///< it may be so many times less or more: p is known to about a half
};

/// Steps of the case from the finest march and the best one to compare it with: of the same order, if there is one.
Foreseen steps_from(const Marches& all, const Twin& whole, double courant, double end_time) {
  const auto& [fine, m] = all.back();
  const std::pair<const Twin*, Marched>* coarse = nullptr;
  for (const auto& other : all)
    if (other.second.finished && other.first->resolution < 0.85 * fine->resolution &&
        (coarse == nullptr || other.first->order == fine->order || coarse->first->order != fine->order))
      coarse = &other;
  const auto& [from, marched] = coarse && !m.finished ? *coarse : all.back();
  const bool grow = steps_grow(marched);  // of one that saw the end, if there is any
  double growth = coarse ? growth_of(coarse->second, *coarse->first, m, *fine, grow) : usual_growth;
  if (!grow) growth = std::min(2.5, growth + 0.25 * std::log2(whole.resolution / from->resolution));
  const double finer = whole.resolution / from->resolution;
  return {steps_to_the_end(marched, end_time) * marched.courant / courant * std::pow(finer, growth),
          std::max(marched.finished ? 2.0 : 3.0, std::round(std::sqrt(finer)))};
}

}  // namespace

Trial march_a_trial(const Problem& problem, double longest) {
  std::vector<Twin> twins = twins_of(problem);
  if (twins.empty()) return {0, 0, "the number of steps follows from the flow"};
  const Twin whole = twin_of(problem);
  const int dim = problem.geometry.dim;
  const double end_time = problem.march.end_time, most = longest / (dim == 3 ? 2 : 1);
  const double courant = problem.march.courant;
  if (problem.initial) keep_finest(twins, most);
  Marches all;
  double spent = 0, unsure = 2;
  Trial out;
  for (const Twin& twin : twins) {
    double budget = most;
    if (!all.empty()) {
      budget = std::min(most, std::max(least_work, share_of_run * out.steps * whole.points)) - spent;
      const auto& [before, m] = all.back();
      const double foreseen = steps_to_the_end(m, end_time) * m.courant / courant *
                              std::pow(twin.resolution / before->resolution, usual_growth) * twin.points;
      if (foreseen > 2 * budget) break;  // less than half of the way tells little of what comes later
    }
    try {
      all.emplace_back(&twin, march_of(twin, budget));
    } catch (const Failure&) {
      if (all.empty() && &twin == &twins.back()) throw;
      continue;  // too coarse for this flow
    }
    spent += all.back().second.work;
    const Foreseen foreseen = steps_from(all, whole, courant, end_time);
    out.steps = foreseen.steps;
    unsure = foreseen.unsure;
    if (!all.back().second.finished) break;
  }
  const auto& finest = all.back().first;
  const auto& m = all.back().second;
  const double rate = kept_rate(fmt::format("hydro-fem | point-steps | {} dimensions | order {}{}", dim, finest->order,
                                            problem.geometry.is_grid() ? "" : " | mesh"),
                                1, [&] { return m.seconds > 0 ? m.work / m.seconds : 0.0; });
  if (rate > 0) out.seconds = out.steps * whole.points / rate;
  const std::string range = unsure <= 2   ? "it may be half or twice as much"
                            : unsure <= 4 ? "it may be four times less or more"
                                          : "it may be ten times less or more";
  out.basis = finest->points == whole.points && m.finished ? "from a march of the case itself"
              : all.size() == 1 && !m.finished ? fmt::format("from the first steps on {} zones; {}", m.zones, range)
                                               : fmt::format("from trials on up to {} zones; {}", m.zones, range);
  return out;
}

Trial kept_trial(const Problem& problem, const Case& input, const Mesh* mesh, const std::string& folder) {
  // To be raised when twins are marched otherwise.
  constexpr int version = 3;
  Sha256 shape;
  shape.update(input.hash());
  if (const auto& run = problem.initial) {  // what lies in that folder may have changed
    const std::array<double, 4> start = {run->time(), run->reach(), run->amounts().mass, run->amounts().energy};
    shape.update(std::as_bytes(std::span(start)));
  }
  if (mesh != nullptr)
    for (Index p = 0; p < mesh->point_count(); ++p) {
      const Vec3 x = mesh->point(p);
      shape.update(std::as_bytes(std::span(x)));
    }
  const std::string key = fmt::format("{} | hydro-fem {} | {}", this_machine().processor, version, shape.hex());
  const KeptValues kept("trials", folder);
  if (const auto text = kept.recall(key)) {
    Trial out;
    std::istringstream in(*text);
    if (in >> out.steps >> out.seconds && out.steps > 0 && std::getline(in >> std::ws, out.basis)) return out;
  }
  Trial out = march_a_trial(problem);
  if (out.steps > 0) kept.remember(key, fmt::format("{:.6g} {:.6g} {}", out.steps, out.seconds, out.basis));
  return out;
}

}  // namespace conoid::hydro_fem
