// SPDX-License-Identifier: BSD-3-Clause
// Exact scattering by a sphere of radius a about the origin: series of spherical harmonics, and their Fourier sums.
//
// Convention ĝ(ω) = ∫ g e^{iωt} dt, outgoing h_l = j_l + i y_l. Plane wave f(t − z/c): A_l = i^l (2l+1). Point source
// f(t − R/c)/(4πR) at (0, 0, −r_s): A_l = ik/(4π) (2l+1)(−1)^l h_l(k r_s), for r < r_s. (P. M. Morse and K. U. Ingard,
// Theoretical Acoustics, 1968, ch. 8.) Of an impedance ζ the surface has ∂_r p = −ikp/ζ. A sphere whose surface moves with
// v(θ) f(t), v = Σ v_l P_l, sends p = Σ iωρ v_l h_l(kr)/(k h_l'(ka)) P_l f̂: v = 1 pulsates, cos θ oscillates, a cap is a piston.
// Filled with another fluid of k₂ and ρ₂, g = ρk₂/(ρ₂k), J = j_l(k₂a): −(j_l′J − g j_lJ′)/(h_l′J − g h_lJ′) times h_l goes out
// (V. C. Anderson, J. Acoust. Soc. Am. 22 (1950) 426), and the pressure on the surface is iJ/((ka)² (h_l′J − g h_lJ′)).
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/excitation.hpp"

namespace conoid::acoustic_bem {

struct ExactSphere {
  bool rigid = true;
  double radius = 1;
  double c = 1;
  double source_distance = 0;                                      ///< r_s; 0: plane wave along +z
  double admittance = 0;                                           ///< 1/ζ of the rigid sphere
  std::function<std::complex<double>(double)> admittance_at = {};  ///< instead of it: β(ω) under e^{−iωt}
  double density = 1;                                              ///< ρ, kg/m³
  std::optional<Filling> filling = {};                             ///< another fluid within it instead
  std::vector<double> motion = {};                                 ///< v_l; empty: a wave comes in

  /// Surface quantity over F = f̂: total pressure (rigid) or ∂_r p (soft) at angle θ from +z.
  [[nodiscard]] std::complex<double> surface(double omega, double cos_theta) const;
  /// Scattered pressure at (r, θ) over F.
  [[nodiscard]] std::complex<double> scattered(double omega, double r, double cos_theta) const;
  /// Far-field amplitude f_∞ over F (metres), plane wave: u ~ f_∞ e^{ikr}/r.
  [[nodiscard]] std::complex<double> far_field(double omega, double cos_theta) const;

  /// v_l of a cap: 1 within `half_angle` of +z.
  [[nodiscard]] static std::vector<double> cap(double half_angle, int terms = 60);

  enum class Quantity { surface, scattered };
  /// Time signals at several angles and times, for a Ricker pulse (no mean) about t_0. Result [angle][time].
  [[nodiscard]] std::vector<std::vector<double>> time_signals(Quantity quantity, double r,
                                                              const std::vector<double>& cosines,
                                                              const std::vector<double>& times, const Pulse& ricker,
                                                              double t0) const;
};

}  // namespace conoid::acoustic_bem
