// SPDX-License-Identifier: BSD-3-Clause
// The two integrators and the step control.
#include "engine/solvers/hydro_fem/march.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace conoid::hydro_fem {

double stable_courant(int k, int dim) {
  const double factor = dim == 1 ? 1 : dim == 2 ? 1.5 : 2;
  return 9.0 * k * k / (factor * largest_stiffness(k));
}

double stable_courant_of_sound(int k, int dim, Integrator integrator) {
  const double longest = integrator == Integrator::rk4 ? 2 * std::numbers::sqrt2 : 2;
  return longest * k / std::sqrt(dim * largest_stiffness(k));
}

double usual_courant(const UsualCourant& of) {
  if (!of.viscosity) return std::min(0.5, stable_courant_of_sound(of.k, of.dim, of.integrator));
  return std::min(0.5, (of.stiff ? 0.75 : 1) * stable_courant(of.k, of.dim));
}

March::March(Operator& op, MarchOptions options) : op_(op), options_(options), state_(op.initial()) {
  a_.assign(state_.v.size(), 0);
  limit_ = op_.update(state_);
  stress_is_current_ = true;
  dt_ = options_.courant * limit_;
}

double March::rk2_average(double dt) {
  // Stage 1 at S0, stage 2 at the half step; v̄ is the average velocity, so that the work of F·1 on v̄ is what the
  // energy equation receives: total energy changes by the error of the mass solve only.
  const State& s0 = state_;
  if (!stress_is_current_) limit_ = op_.update(s0);
  stress_is_current_ = false;
  double limit = limit_;
  std::vector<double>& vbar = vbar_;
  op_.acceleration(s0, a_);
  op_.add(0.5 * dt, {{vbar, s0.v, a_}});
  op_.energy_rate(s0, vbar, time_, de_);
  op_.add(0.5 * dt, {{next_.v, s0.v, a_}, {next_.e, s0.e, de_}, {next_.x, s0.x, vbar}});
  limit = std::min(limit, op_.update(next_));
  op_.acceleration(next_, a_);
  op_.add(0.5 * dt, {{vbar, s0.v, a_}});
  op_.energy_rate(next_, vbar, time_ + 0.5 * dt, de_);
  op_.add(dt, {{next_.v, s0.v, a_}, {next_.e, s0.e, de_}, {next_.x, s0.x, vbar}});
  return limit;
}

double March::rk4(double dt) {
  const State& s0 = state_;
  if (stage_.x.empty()) stage_ = s0;
  const auto combine = [&](State& out, const State& base, double factor) {  // out = base + factor × rate of the stage
    op_.add(factor, {{out.x, base.x, vbar_}, {out.v, base.v, a_}, {out.e, base.e, de_}});
  };
  double limit = 1e300;
  constexpr std::array<double, 4> weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  constexpr std::array<double, 4> ahead = {0.5, 0.5, 1.0, 0.0};
  for (std::size_t k = 0; k < 4; ++k) {
    const State& stage = k == 0 ? s0 : stage_;
    if (k > 0 || !stress_is_current_) {
      const double at_stage = op_.update(stage);
      if (k == 0) limit_ = at_stage;
      limit = std::min(limit, at_stage);
    }
    limit = std::min(limit, limit_);
    stress_is_current_ = false;
    op_.acceleration(stage, a_);
    op_.energy_rate(stage, stage.v, time_ + (k == 0 ? 0.0 : ahead[k - 1]) * dt, de_);
    vbar_ = stage.v;
    combine(next_, k == 0 ? s0 : next_, weight[k] * dt);
    if (k < 3) combine(stage_, s0, ahead[k] * dt);
  }
  return limit;
}

bool March::step() {
  if (finished()) return false;
  for (int attempt = 0;; ++attempt) {
    const bool last = time_ + dt_ >= options_.end_time;
    const double dt = last ? options_.end_time - time_ : dt_;
    dt_ = dt;
    double limit = options_.integrator == Integrator::rk4 ? rk4(dt) : rk2_average(dt);
    const double limit_of_next = op_.update(next_);
    limit = std::min(limit, limit_of_next) * options_.courant;
    if (limit < dt) {
      // Too far for what the step led to: again, shorter.
      ++repeated_;
      dt_ = 0.85 * dt;
      if (!(dt_ > 1e-12 * options_.end_time) || attempt > 200 || dt_ < 1e-6 * longest_) throw Failure(collapse());
      continue;
    }
    std::swap(state_, next_);
    limit_ = limit_of_next;
    stress_is_current_ = true;
    taken_ = dt;
    longest_ = std::max(longest_, dt);
    time_ = last ? options_.end_time : time_ + dt;
    ++accepted_;
    if (limit > 1.25 * dt) dt_ *= 1.02;
    return true;
  }
}

Error March::collapse() const {
  const Space& s = op_.space();
  const auto [zone, reason] = op_.limit(next_);
  Vec3 centre{};
  for (int i = 0; i < s.zone_nodes; ++i)
    for (int d = 0; d < s.dim; ++d)
      centre[static_cast<std::size_t>(d)] +=
          next_.x[static_cast<std::size_t>(d * s.nodes + s.map[static_cast<std::size_t>(zone * s.zone_nodes + i)])] /
          s.zone_nodes;
  return make_error(
      ErrorCode::not_converged,
      fmt::format("the time step collapsed to {:.3g} s at t = {:.6g} s in zone {} at ({:.5g}, {:.5g}, {:.5g}): {}", dt_,
                  time_, zone, centre[0], centre[1], centre[2], reason),
      "Use a finer or better shaped mesh there, a lower order, or a lower Courant number; "
      "check that the viscosity is on where there are shocks. What was computed is kept.");
}

void March::restore(State state, const Memory& memory) {
  state_ = std::move(state);
  time_ = memory.time;
  dt_ = memory.dt;
  taken_ = memory.taken;
  longest_ = memory.longest;
  accepted_ = memory.accepted;
  repeated_ = memory.repeated;
  limit_ = op_.update(state_);
  stress_is_current_ = true;
}

}  // namespace conoid::hydro_fem
