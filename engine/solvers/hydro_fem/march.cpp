// SPDX-License-Identifier: BSD-3-Clause
// The two integrators and the step control.
#include "engine/solvers/hydro_fem/march.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

/// out = base + factor * direction
void add(std::vector<double>& out, const std::vector<double>& base, double factor, const std::vector<double>& direction) {
  out.resize(base.size());
  for (std::size_t i = 0; i < base.size(); ++i) out[i] = base[i] + factor * direction[i];
}

}  // namespace

March::March(Operator& op, MarchOptions options) : op_(op), options_(options), state_(op.initial()) {
  a_.assign(state_.v.size(), 0);
  dt_ = options_.courant * op_.update(state_);
}

double March::rk2_average(double dt) {
  // Stage 1 at S0, stage 2 at the half step; v̄ is the average velocity, so that the work of F·1 on v̄ is what the
  // energy equation receives: total energy changes by the error of the mass solve only.
  const State& s0 = state_;
  double limit = op_.update(s0);
  std::vector<double> vbar;
  op_.acceleration(s0, a_);
  add(vbar, s0.v, 0.5 * dt, a_);
  op_.energy_rate(s0, vbar, de_);
  add(next_.v, s0.v, 0.5 * dt, a_);
  add(next_.e, s0.e, 0.5 * dt, de_);
  add(next_.x, s0.x, 0.5 * dt, vbar);
  limit = std::min(limit, op_.update(next_));
  op_.acceleration(next_, a_);
  add(vbar, s0.v, 0.5 * dt, a_);
  op_.energy_rate(next_, vbar, de_);
  add(next_.v, s0.v, dt, a_);
  add(next_.e, s0.e, dt, de_);
  add(next_.x, s0.x, dt, vbar);
  return limit;
}

double March::rk4(double dt) {
  const State s0 = state_;
  State stage = s0;
  next_ = s0;
  double limit = 1e300;
  constexpr std::array<double, 4> weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  constexpr std::array<double, 4> ahead = {0.5, 0.5, 1.0, 0.0};
  for (std::size_t k = 0; k < 4; ++k) {
    limit = std::min(limit, op_.update(stage));
    op_.acceleration(stage, a_);
    op_.energy_rate(stage, stage.v, de_);
    for (std::size_t i = 0; i < s0.x.size(); ++i) next_.x[i] += weight[k] * dt * stage.v[i];
    for (std::size_t i = 0; i < s0.v.size(); ++i) next_.v[i] += weight[k] * dt * a_[i];
    for (std::size_t i = 0; i < s0.e.size(); ++i) next_.e[i] += weight[k] * dt * de_[i];
    if (k == 3) break;
    const std::vector<double> rate = stage.v;
    add(stage.x, s0.x, ahead[k] * dt, rate);
    add(stage.v, s0.v, ahead[k] * dt, a_);
    add(stage.e, s0.e, ahead[k] * dt, de_);
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
    limit = std::min(limit, op_.update(next_));
    limit *= options_.courant;
    if (limit < dt) {
      // Too far for what the step led to: again, shorter.
      ++repeated_;
      dt_ = 0.85 * dt;
      if (!(dt_ > 1e-12 * options_.end_time) || attempt > 200)
        throw Failure(make_error(
            ErrorCode::not_converged,
            fmt::format("the time step collapsed to {:.3g} at t = {:.6g} in zone {}", dt_, time_, op_.limiting_zone()),
            "That zone is tangled or squeezed flat. Use a finer or better shaped mesh there, or a lower Courant number."));
      continue;
    }
    std::swap(state_, next_);
    time_ = last ? options_.end_time : time_ + dt;
    ++accepted_;
    if (limit > 1.25 * dt) dt_ *= 1.02;
    return true;
  }
}

void March::restore(State state, const Memory& memory, std::vector<double> start_vector) {
  state_ = std::move(state);
  time_ = memory.time;
  dt_ = memory.dt;
  accepted_ = memory.accepted;
  repeated_ = memory.repeated;
  a_ = std::move(start_vector);
}

}  // namespace conoid::hydro_fem
