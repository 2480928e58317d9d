// SPDX-License-Identifier: BSD-3-Clause
// Products of explosives: exact isentropes and detonations, and the rows of the table that rest on them.
#pragma once

#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/verify.hpp"

namespace conoid::hydro_fem {

/// An isentrope of a JWL's products through one state: p = A exp(-R1 V) + B exp(-R2 V) + C V^(-1-ω).
class JwlIsentrope {
 public:
  /// Through relative volume V at energy per initial volume E [J/m³].
  JwlIsentrope(const Jwl& constants, double volume, double energy);
  [[nodiscard]] double pressure(double volume) const;
  /// Relative volume once the gas has been set in motion by `change` [m/s] by a simple wave that expands it: dv = sqrt(-p'/ρ0) dV.
  [[nodiscard]] double expanded(double change) const;
  [[nodiscard]] double sound_speed(double volume) const;

 private:
  Jwl j_;
  double volume_, c_;
};

/// Where the Rayleigh line touches the products' Hugoniot: the slowest detonation (Chapman, Jouguet).
struct ChapmanJouguet {
  ChapmanJouguet(const Jwl& constants, double energy);
  double volume = 1, pressure = 0, velocity = 0, particle = 0,
         energy = 0;  ///< energy: of the products, per initial volume
};

namespace flows {

/// TNT: density 1630 kg/m³, A 371.2 GPa, B 3.231 GPa, R1 4.15, R2 0.95, ω 0.3, 7 GJ/m³ (Dobratz, LLNL Explosives Handbook, UCRL-52997).
[[nodiscard]] Jwl tnt();
inline constexpr double tnt_energy = 7e9;
/// Burnt TNT at its initial density in [0, 0.07 m]; the piston at x = 0 draws back as -1000 m/s (t / 10 µs)⁴. No viscosity.
[[nodiscard]] Setup jwl_tube(int k, Index n);
/// TNT in [0, 0.2 m] between walls, lit at x = 0.
[[nodiscard]] Setup detonation_tube(int k, Index n);

}  // namespace flows

void verify_explosives(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::hydro_fem
