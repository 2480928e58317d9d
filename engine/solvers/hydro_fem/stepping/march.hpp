// SPDX-License-Identifier: BSD-3-Clause
// Time integration: RK2-average, which keeps total energy to round-off, classical RK4, and the control of the step.
#pragma once

#include "engine/solvers/hydro_fem/stepping/backend.hpp"

#include <functional>

namespace conoid::hydro_fem {

enum class Integrator { rk2_average, rk4 };

struct MarchOptions {
  Integrator integrator = Integrator::rk2_average;
  double courant = 0.5;
  double end_time = 1;
  /// Where a step between two times must end so that driven walls get where they are led, and powers are seen: the second time, or one
  /// between. None: there.
  std::function<double(double from, double to)> step_end{};
};

/// The largest Courant number at which RK2 holds the artificial viscosity by itself. A point allows the step
/// h / (2.25 c k) where the linear part ν = ½ ρ (h/k) c rules, h the zone's side; but the fastest mode of Q_k decays at the
/// rate f λ ν/(ρ h²), λ ~ k⁴ the largest eigenvalue of ∫w'w' over ∫ww on [0,1] (12, 60, 170, 380 … 3339 for k = 1 … 8),
/// f = 1, 3/2, 2 in 1, 2, 3 dimensions, and the midpoint rule holds a decay up to 2 over the step: C = 9 k² / (f λ).
[[nodiscard]] double stable_courant(int k, int dim);
/// The same where there is no viscosity: a point then allows h / (c k), the fastest sound has the frequency
/// c sqrt(dim λ) / h at most, and an integrator holds frequencies times step up to 2 (RK2-average, whose amplification has
/// the determinant 1 - z⁴/8 and the trace 2 - z² + z⁴/8) or 2√2 (RK4): C = 2 k / sqrt(dim λ) or √2 times that.
[[nodiscard]] double stable_courant_of_sound(int k, int dim, Integrator integrator);
/// What is taken where nothing is said: 0.5, as in the published runs of this method, or the stable number where that is
/// less, three quarters of it in stiff matter. Above it the noise of rounding grows in gas at rest until the oscillations
/// change the speed of sound: to a kinetic energy of 1e-7 of the internal one at orders 3 and 4 with 0.5.
struct UsualCourant {
  int k = 2, dim = 2;
  bool viscosity = true, stiff = false;
  Integrator integrator = Integrator::rk2_average;
  bool vanishes = false;  ///< the viscosity, in smooth flow, where the step is that of sound
};
[[nodiscard]] double usual_courant(const UsualCourant& of);

/// Advances a state step by step. After a step whose new limit is smaller than the step taken, the step is taken again
/// with 0.85 of it; when the limit exceeds 1.25 of it, the next step is 1.02 times as long (as the published proxy of the
/// method does). The last step ends exactly at end_time. A step that ends
/// early for a driven wall does not shorten those that follow.
class March {
 public:
  /// On the processors, from the operator's initial state.
  March(Operator& op, MarchOptions options);
  /// Wherever the backend computes, from the state it holds.
  March(std::unique_ptr<Backend> backend, MarchOptions options);

  /// One accepted step. False when end_time has been reached. Throws Failure(not_converged) when the step collapses.
  bool step();

  /// On the host, brought there when it is asked for; Backend says what of it a rank has.
  [[nodiscard]] const State& state() const { return backend_->state(); }
  [[nodiscard]] Energies energies() const { return backend_->energies(); }
  [[nodiscard]] KernelTimes times() const { return backend_->times(); }
  /// Of the state, as Operator has them.
  [[nodiscard]] Index outside() const { return backend_->outside(); }
  [[nodiscard]] Operator::Limit first_outside() const { return backend_->first_outside(Backend::Row::state); }
  [[nodiscard]] std::string where() const { return backend_->name(); }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] double last_step() const { return dt_; }      ///< to be tried next
  [[nodiscard]] double taken_step() const { return taken_; }  ///< the last accepted one; 0 before it
  [[nodiscard]] Index accepted() const { return accepted_; }
  [[nodiscard]] Index repeated() const { return repeated_; }
  [[nodiscard]] bool finished() const { return time_ >= options_.end_time; }

  /// For checkpoints: everything that step() depends on.
  struct Memory {
    double time, dt, taken, longest;
    Index accepted, repeated;
  };
  [[nodiscard]] Memory memory() const { return {time_, dt_, taken_, longest_, accepted_, repeated_}; }
  void restore(State state, const Memory& memory);

 private:
  [[nodiscard]] double rk2_average(double dt);
  [[nodiscard]] double rk4(double dt);
  [[nodiscard]] Error collapse() const;

  std::unique_ptr<Backend> backend_;
  MarchOptions options_;
  double time_ = 0;
  double dt_ = 0;
  double taken_ = 0;
  double longest_ = 0;              // accepted so far; a step of a millionth of it has collapsed
  double limit_ = 0;                // of the state
  bool stress_is_current_ = false;  // the stress is that of the state
  Index accepted_ = 0;
  Index repeated_ = 0;
};

}  // namespace conoid::hydro_fem
