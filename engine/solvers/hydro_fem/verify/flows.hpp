// SPDX-License-Identifier: BSD-3-Clause
// The classic problems of this method, as set-ups: for the verification table, the bench and the tests.
#pragma once

#include "engine/solvers/hydro_fem/stepping/march.hpp"
#include "engine/solvers/row_team.hpp"

#include <memory>

namespace conoid::hydro_fem::flows {

/// n + 1 equal steps from a to b.
[[nodiscard]] std::vector<double> line(double a, double b, Index n);

/// [0,7]×[0,3]; a driver of p = 1 left of x = 1, beside it a heavy gas below y = 1.5 and a light one above.
[[nodiscard]] Setup triple_point(int k, Index nx, Index ny);
/// Cold gas of density 1 in [0,size]^dim with `energy` in the zone at the origin (gamma 1.4).
[[nodiscard]] Setup sedov(int dim, int k, Index n, double size, double energy);
/// A flow along a line as that along the radius of cylinders (turns 1) or spheres (2); its energy is that of the whole.
[[nodiscard]] Setup radial(Setup line, int turns);
class Flow;
/// `target` begins with a flow along a line or radius as it is at a time, whose middle lies at the origin, where that has material.
/// Throws Failure where it cannot.
[[nodiscard]] Setup begun_with(Setup target, Flow& line, double time);
/// Sedov's blast turned about the x axis; `energy` is that of the half ball.
[[nodiscard]] Setup sedov_axisymmetric(int k, Index n, double size, double energy);
/// Steady vortex on [-0.5,0.5]² with kinks of v at r = 0.2 and 0.4 (Gresho and Chan 1990), no viscosity.
[[nodiscard]] Setup gresho(int k, Index n);
[[nodiscard]] Vec3 gresho_velocity(const Vec3& x);
/// The same on zones that fit the kinks: a square core of n × n zones, then rings of 4n zones between circles, of which two
/// are r = 0.2 and r = 0.4; the kinks move with the material and stay on zone edges.
[[nodiscard]] Setup gresho_fitted(int k, Index n);
/// Smooth vortex on [0,1]² that an energy source keeps steady (Dobrev, Kolev, Rieben 2012, §8.1), no viscosity.
[[nodiscard]] Setup taylor_green(int k, Index n);
[[nodiscard]] Vec3 taylor_green_velocity(const Vec3& x);
/// Shock tube on [0,1]: (1, 1) | (0.125, 0.1) at x = 0.5, gamma 1.4 (Sod 1978).
[[nodiscard]] Setup sod(int k, Index n);
/// Cold gas (gamma 5/3) that runs with speed 1 into the origin (dim 1), the axis (2) or the centre (3); free outside (Noh 1987).
[[nodiscard]] Setup noh(int dim, int k, Index n);
/// Piston of speed 1 into cold gas (gamma 5/3) on [0,1]×[0,0.1] whose zones lean (Dukowicz and Meltz 1992).
[[nodiscard]] Setup saltzmann(int k, Index nx, Index ny);

/// Ball of radius 1 of ideal gas turned about the x axis, into vacuum, no viscosity: density 1 − r², pressure (1 − r²)² keep their
/// shape while the radius grows as R'' = 4 R^(2 − 3 gamma). Three blocks of n × n zones of quadratic sides, symmetric about x = 0.
/// Entropy is even at gamma 2, and rises outwards above it.
[[nodiscard]] Setup ball(int k, Index n, double gamma);
/// The same of density 1 and pressure 1 − r², gamma 5/3, whose radius grows as R² = 1 + 2t². Entropy falls outwards: unstable.
[[nodiscard]] Setup ball_of_falling_entropy(int k, Index n);
/// Its fastest mode of degree l, exact. In X = x/R and dτ = dt/R² the ball is at rest in the potential X² (gamma 5/3); of the
/// displacements ξ with divergence H = r^l P_l(x/r) and growth exp(λτ), λ²ξ = ∇(γPH) − 2∇(X·ξ) + 2HX has the solution
/// A∇H + B r²∇H + C X H with λ⁴ + (γ(4l + 6) − 2) λ² − 4 l (l + 1) = 0, so λ² → 0.55 l: the finer, the faster.
class UnstableMode {
 public:
  explicit UnstableMode(int degree);
  [[nodiscard]] Vec3 at(const Vec3& x) const;
  /// How far a velocity ξ at the start has moved the material by a time, over ξ: R sinh(λτ)/λ.
  [[nodiscard]] double moved(double time) const;
  [[nodiscard]] double grown(double time) const;  ///< cosh(λτ)

 private:
  int degree_;
  double rate_, a_, b_, c_;
};
/// The zone of its pole on the axis; the pole lies at reference coordinates (1, 0).
[[nodiscard]] Index pole_zone(Index n);
/// Ideal gas at rest in [0,1]², under a body force along −x, of even temperature: density and pressure e^−x.
[[nodiscard]] Setup isothermal_column(int k, Index n);
/// Ideal gas at rest in [0,1]² under even pressure 1, density 1 + 0.3 sin(2 pi x) cos(pi y): its energy is no polynomial.
[[nodiscard]] Setup even_pressure(int k, Index n);

/// To `end`, with the Courant number that is taken where nothing is said.
[[nodiscard]] MarchOptions usual_march(double end, const Setup& setup, Integrator integrator);

/// A set-up with everything that runs it.
class Flow {
 public:
  Flow(Setup setup, MarchOptions options, const RowWorkers& workers = 1, const ZoneKernels& kernels = best_kernels());
  /// Marches to the end; throws Failure on a collapse.
  void run();
  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] Operator& op() { return op_; }
  [[nodiscard]] March& march() { return march_; }
  [[nodiscard]] const State& state() const { return march_.state(); }
  /// Relative change of total energy since the start.
  [[nodiscard]] double energy_change();
  /// sqrt(∫ |v - exact(x)|² dV) over the moved zones.
  [[nodiscard]] double velocity_error(const std::function<Vec3(const Vec3&)>& exact) const;

 private:
  Setup setup_;
  RowTeam team_;
  Operator op_;
  March march_;
  double first_ = 0;
};

}  // namespace conoid::hydro_fem::flows
