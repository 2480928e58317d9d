// SPDX-License-Identifier: BSD-3-Clause
// Time integration: RK2-average, which keeps total energy to round-off, classical RK4, and the control of the step.
#pragma once

#include "engine/solvers/hydro_fem/operator.hpp"

namespace conoid::hydro_fem {

enum class Integrator { rk2_average, rk4 };

struct MarchOptions {
  Integrator integrator = Integrator::rk2_average;
  double courant = 0.5;
  double end_time = 1;
};

/// Advances a state step by step. After a step whose new limit is smaller than the step taken, the step is taken again
/// with 0.85 of it; when the limit exceeds 1.25 of it, the next step is 1.02 times as long (as the published proxy of the
/// method does). The last step ends exactly at end_time.
class March {
 public:
  March(Operator& op, MarchOptions options);

  /// One accepted step. False when end_time has been reached. Throws Failure(not_converged) when the step collapses.
  bool step();

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] double last_step() const { return dt_; }      ///< to be tried next
  [[nodiscard]] double taken_step() const { return taken_; }  ///< the last accepted one; 0 before it
  [[nodiscard]] Index accepted() const { return accepted_; }
  [[nodiscard]] Index repeated() const { return repeated_; }
  [[nodiscard]] bool finished() const { return time_ >= options_.end_time; }

  /// For checkpoints: everything that step() depends on.
  struct Memory {
    double time, dt, taken;
    Index accepted, repeated;
  };
  [[nodiscard]] Memory memory() const { return {time_, dt_, taken_, accepted_, repeated_}; }
  void restore(State state, const Memory& memory);

 private:
  [[nodiscard]] double rk2_average(double dt);
  [[nodiscard]] double rk4(double dt);
  [[nodiscard]] Error collapse() const;

  Operator& op_;
  MarchOptions options_;
  State state_, next_;
  std::vector<double> a_, de_, vbar_;
  double time_ = 0;
  double dt_ = 0;
  double taken_ = 0;
  double limit_ = 0;                // of state_
  bool stress_is_current_ = false;  // the operator's stress is that of state_
  Index accepted_ = 0;
  Index repeated_ = 0;
};

}  // namespace conoid::hydro_fem
