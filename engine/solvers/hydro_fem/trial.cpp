// SPDX-License-Identifier: BSD-3-Clause
// A short march on a coarser grid.
#include "engine/solvers/hydro_fem/trial.hpp"

#include "engine/solvers/hydro_fem/geometry.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

constexpr double enough_points = 3000;
constexpr double most_points =
    3e5;  // about 0.6 s: every run begins with this, and a stop has to be heard within a second

double points_of(const Case& input, const Mesh* mesh) {
  const ZoneCount count = count_case_zones(input, mesh);
  return static_cast<double>(count.zones) *
         std::pow(2 * static_cast<double>(input["parameters"]["order"].integer()), count.dim);
}

/// The case with f times fewer zones along each axis; nothing where that is no whole number, leaves fewer than three, or puts a
/// border of a region inside a zone.
Result<Case> coarser(const Case& input, Index f) {
  CaseDocument document = input.document();
  const Values zones = input["grid"]["zones"];
  Json fewer = Json::array();
  for (std::size_t d = 0; d < zones.size(); ++d) {
    const Index n = zones.at(d).integer();
    if (n % f != 0 || n / f < 3) return make_error(ErrorCode::invalid_input, "not so coarse");
    fewer.push_back(n / f);
  }
  if (const Status set = document.set_json("/grid/zones", std::move(fewer)); !set) return set.error();
  auto out = Case::resolve(document, input.schema());
  if (out && has_errors(check_problem(*out, nullptr))) return make_error(ErrorCode::invalid_input, "not so coarse");
  return out;
}

}  // namespace

Trial march_a_trial(const Case& input, const Mesh* mesh, double longest) {
  const double points = points_of(input, mesh);
  Case small = input;
  Index factor = 1;
  if (mesh == nullptr)
    for (Index f = 2; f <= 64 && points_of(small, nullptr) > enough_points; ++f)
      if (auto next = coarser(input, f)) {
        small = std::move(*next);
        factor = f;
      }
  const double tried = points_of(small, mesh);
  if (tried > most_points) return {0, 0, "the number of steps follows from the flow"};
  const Problem problem = make_problem(small, mesh);
  Team team({WorkerSpec{}});
  Operator op(problem.setup, best_kernels(), team);
  March march(op, problem.march);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto gone = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  while (march.accepted() < 3 || gone() < longest)
    if (!march.step()) break;
  const double seconds = gone(), taken = static_cast<double>(march.accepted());
  double steps = taken;
  if (!march.finished()) {
    const double b = std::clamp(march.time() / (taken * march.taken_step()), 0.25, 1.5);
    steps *= std::pow(problem.march.end_time / march.time(), b);
  }
  Trial out;
  out.steps = steps * static_cast<double>(factor);
  out.seconds = out.steps * points * seconds / (taken * tried);
  out.basis = fmt::format("from {} on {} zones; strong shear takes up to three times as many steps",
                          march.finished() ? "a trial" : "the first steps", problem.zones_text);
  return out;
}

}  // namespace conoid::hydro_fem
