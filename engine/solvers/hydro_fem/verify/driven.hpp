// SPDX-License-Identifier: BSD-3-Clause
// Flows driven by boundaries whose pressure or speed changes with time, with their exact solutions.
#pragma once

#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/verify.hpp"

namespace conoid::hydro_fem {
namespace flows {

/// Gas (gamma 1.4, density and speed of sound 1) in [0, 1.2], compressed along its isentrope by a piston at x = 0 of speed t⁴/5, or by
/// the pressure that such a piston feels; no viscosity. Before t = 1.2, and before characteristics meet, a simple wave: along
/// x = X(τ) + (c + v)(t - τ), c = 1 + (gamma - 1)/2 v, the gas moves at the speed v of the piston at τ.
[[nodiscard]] Setup simple_wave(int k, Index n, bool by_pressure);
[[nodiscard]] double simple_wave_velocity(double x, double t);

/// Kidder's shell (Nuclear Fusion 16 (1976) 3): a shell of gas with gamma = 1 + 2/dimension between radii 0.9 and 1, of density
/// 0.000631 … 0.01 and pressure 0.1 … 10 and one entropy in three dimensions, compressed by pressures p h^(-2 gamma/(gamma - 1)) with
/// h(t) = sqrt(1 - (t/focus)²): every radius is h times what it was. A quadrant of 2 n zones around, n through it, whose sides are
/// curved; planar for a cylinder (dimension 2), turned about the x axis for a sphere (3). No viscosity.
struct Kidder {
  explicit Kidder(int dimension);
  int dimension;
  double gamma, entropy, inner = 0.9, outer = 1, inner_density, outer_density = 0.01, focus;
  [[nodiscard]] double scale(double t) const;
  [[nodiscard]] double rate(double t) const;  ///< h'/h: velocity over place
  [[nodiscard]] double density(double radius) const;
  [[nodiscard]] Setup setup(int k, Index n) const;
};

}  // namespace flows

/// Rows of both.
void verify_driven(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::hydro_fem
