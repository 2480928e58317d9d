// SPDX-License-Identifier: BSD-3-Clause
// The two integrators and the step control.
#include "engine/solvers/hydro_fem/stepping/march.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace conoid::hydro_fem {

using Row = Backend::Row;
using Part = Backend::Part;
using Ref = Backend::Ref;

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
  const double viscous = std::min(0.5, (of.stiff ? 0.75 : 1) * stable_courant(of.k, of.dim));
  return of.vanishes ? std::min(viscous, stable_courant_of_sound(of.k, of.dim, of.integrator)) : viscous;
}

March::March(Operator& op, MarchOptions options) : March(host_backend(op), options) {}

March::March(std::unique_ptr<Backend> backend, MarchOptions options) : backend_(std::move(backend)), options_(options) {
  limit_ = backend_->update(Row::state, time_);
  stress_is_current_ = true;
  dt_ = options_.courant * limit_;
}

double March::rk2_average(double dt) {
  // Stage 1 at S0, stage 2 at the half step; v̄ is the average velocity, so that the work of F·1 on v̄ is what the
  // energy equation receives: total energy changes by the error of the mass solve only.
  Backend& b = *backend_;
  if (!stress_is_current_) limit_ = b.update(Row::state, time_);
  stress_is_current_ = false;
  double limit = limit_;
  const Ref vbar{Row::rate, Part::x};
  const auto move = [&](double factor) {
    b.add(factor, {{{Row::next, Part::v}, {Row::state, Part::v}, Part::v},
                   {{Row::next, Part::e}, {Row::state, Part::e}, Part::e},
                   {{Row::next, Part::x}, {Row::state, Part::x}, Part::x}});
  };
  b.acceleration(Row::state, {time_, time_, dt, 2, 0});
  b.add(0.5 * dt, {{vbar, {Row::state, Part::v}, Part::v}});
  b.energy_rate(Row::state, vbar, time_);
  b.heat(time_, time_ + dt);
  move(0.5 * dt);
  limit = std::min(limit, b.update(Row::next, time_ + 0.5 * dt));
  b.acceleration(Row::next, {time_ + 0.5 * dt, time_, dt, 0, 1});
  b.add(0.5 * dt, {{vbar, {Row::state, Part::v}, Part::v}});
  b.energy_rate(Row::next, vbar, time_ + 0.5 * dt);
  b.heat(time_, time_ + dt);
  move(dt);
  return limit;
}

double March::rk4(double dt) {
  Backend& b = *backend_;
  const auto combine = [&](Row out, Row base, double factor) {  // out = base + factor × rate of the stage
    b.add(factor, {{{out, Part::x}, {base, Part::x}, Part::x},
                   {{out, Part::v}, {base, Part::v}, Part::v},
                   {{out, Part::e}, {base, Part::e}, Part::e}});
  };
  double limit = 1e300;
  constexpr std::array<double, 4> weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  constexpr std::array<double, 4> ahead = {0.5, 0.5, 1.0, 0.0};
  // Pistons: stages two to four and the end have w(t + dt/2), w(t + dt/2), w(t + dt), w(t + dt).
  constexpr std::array<double, 4> half = {2, 2, 0, -6}, whole = {0, 0, 1, 4};
  for (std::size_t k = 0; k < 4; ++k) {
    const Row stage = k == 0 ? Row::state : Row::stage;
    const double t = time_ + (k == 0 ? 0.0 : ahead[k - 1]) * dt;
    if (k > 0 || !stress_is_current_) {
      const double at_stage = b.update(stage, t);
      if (k == 0) limit_ = at_stage;
      limit = std::min(limit, at_stage);
    }
    limit = std::min(limit, limit_);
    stress_is_current_ = false;
    b.acceleration(stage, {t, time_, dt, half[k], whole[k]});
    b.energy_rate(stage, {stage, Part::v}, t);
    b.heat(time_, time_ + dt);
    b.copy({Row::rate, Part::x}, {stage, Part::v});
    combine(Row::next, k == 0 ? Row::state : Row::next, weight[k] * dt);
    if (k < 3) combine(Row::stage, Row::state, ahead[k] * dt);
  }
  return limit;
}

bool March::step() {
  if (finished()) return false;
  if (!(dt_ > 0)) throw Failure(collapse());  // steps of no length would never end
  for (int attempt = 0;; ++attempt) {
    const double whole = std::min(time_ + dt_, options_.end_time);
    const double to = options_.step_end ? options_.step_end(time_, whole) : whole;
    const bool early = to < whole, exact = early || to >= options_.end_time;
    const double dt = exact ? to - time_ : dt_;
    if (!early) dt_ = dt;
    double limit = options_.integrator == Integrator::rk4 ? rk4(dt) : rk2_average(dt);
    const double limit_of_next = backend_->update(Row::next, time_ + dt);
    limit = std::min(limit, limit_of_next) * options_.courant;
    if (limit < dt) {
      // Too far for what the step led to: again, shorter.
      ++repeated_;
      dt_ = 0.85 * dt;
      if (!(dt_ > 1e-12 * options_.end_time) || attempt > 200 || dt_ < 1e-6 * longest_) throw Failure(collapse());
      continue;
    }
    backend_->accept();
    limit_ = limit_of_next;
    stress_is_current_ = true;
    taken_ = dt;
    longest_ = std::max(longest_, dt);
    time_ = exact ? to : time_ + dt;
    ++accepted_;
    if (limit > 1.25 * dt_) dt_ *= 1.02;
    return true;
  }
}

Error March::collapse() const {
  const auto [zone, reason] = backend_->limit(Row::next);
  const Vec3 centre = backend_->centre(Row::next, zone);
  return make_error(
      ErrorCode::not_converged,
      fmt::format("the time step collapsed to {:.3g} s at t = {:.6g} s in zone {} at ({:.5g}, {:.5g}, {:.5g}): {}", dt_,
                  time_, zone, centre[0], centre[1], centre[2], reason),
      "Use a finer or better shaped mesh there, a lower order, or a lower Courant number; "
      "check that the viscosity is on where there are shocks. What was computed is kept.");
}

void March::restore(State state, const Memory& memory) {
  backend_->set_state(std::move(state));
  time_ = memory.time;
  dt_ = memory.dt;
  taken_ = memory.taken;
  longest_ = memory.longest;
  accepted_ = memory.accepted;
  repeated_ = memory.repeated;
  limit_ = backend_->update(Row::state, time_);
  stress_is_current_ = true;
}

}  // namespace conoid::hydro_fem
