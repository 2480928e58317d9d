// SPDX-License-Identifier: BSD-3-Clause
// Exact and published solutions that runs are compared with.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"

namespace conoid::elastic_bem {

/// Radial displacement at r of a spherical cavity of radius a under the pressure p:
///   u_r = p a³/μ* (1 + i k_P r) / {[4(1 + i k_P a) − (k_S a)²] r²} e^{-i k_P (r − a)}.
[[nodiscard]] Complex cavity_under_pressure(const Harmonic& h, double a, double p, double r);

/// A plane P wave of displacement amplitude 1 along +z, u = e_z e^{-i k_P z}, and what a traction-free spherical cavity of
/// radius a about the origin makes of it: total displacement (u_r, u_θ) at r ≥ a, θ from +z (Y.-H. Pao, C.-C. Mow,
/// "Diffraction of Elastic Waves", 1973, ch. III), in spherical harmonics.
class CavityPWave {
 public:
  CavityPWave(const Harmonic& h, double a);
  [[nodiscard]] std::array<Complex, 2> displacement(double r, double theta) const;

 private:
  Harmonic h_;
  std::vector<Complex> t_, b_;  ///< amplitudes of P and SV over those of the incident potential
};

/// The same wave on a sphere of radius a of another medium, welded to the one around it (C. F. Ying, R. Truell, J. Appl. Phys. 27 (1956)
/// 1086): total displacement outside, and what passes into the sphere for r < a.
class InclusionPWave {
 public:
  InclusionPWave(const Harmonic& outside, const Harmonic& inside, double a);
  [[nodiscard]] std::array<Complex, 2> displacement(double r, double theta) const;

 private:
  Harmonic out_, in_;
  double a_;
  std::vector<Complex> t_, b_, inner_t_, inner_b_;  ///< amplitudes over those of the incident potential
};

/// A sphere of radius b whose core of radius a is of another medium, under the pressure p: radial displacement.
class LayeredSphere {
 public:
  LayeredSphere(const Harmonic& core, const Harmonic& shell, double a, double b, double p);
  [[nodiscard]] Complex displacement(double r) const;

 private:
  Harmonic core_, shell_;
  double a_;
  std::array<Complex, 3> amplitudes_{};
};

/// A plane S wave along +z, u = e_x e^{-i k_S z}, on the same cavity: total displacement at |x| ≥ a, in vector spherical
/// harmonics (the expansion of the transverse wave as in C. F. Bohren, D. R. Huffman, "Absorption and Scattering of Light by
/// Small Particles", 1983, §4.1; V. A. Korneev, L. R. Johnson, Geophys. J. Int. 115 (1993) 230).
class CavitySWave {
 public:
  CavitySWave(const Harmonic& h, double a);
  [[nodiscard]] std::array<Complex, 3> displacement(const Vec3& x) const;

 private:
  Harmonic h_;
  std::vector<Complex> p_, s_,
      m_;  ///< n ≥ 1: amplitudes of P and SV over those of the incident SV part, of the torsional part
};

/// σ_rr and σ_θθ = σ_φφ of cavity_under_pressure().
[[nodiscard]] std::array<Complex, 2> cavity_stress(const Harmonic& h, double a, double p, double r);

/// Vertical displacement of the surface of a damped half-space at the distance r from a vertical unit force (H. Lamb 1904):
///   u_z = 1/(2π) ∫ F(k) J_0(kr) k dk,  F = −k_S² α/(μ* R), R = (2k² − k_S²)² − 4k²αβ, α² = k² − k_P², β² = k² − k_S²;
/// the static part (1 − ν)/(2πμ* r) in closed form. For β ≥ 0.01 about four digits.
[[nodiscard]] Complex half_space_surface(const Harmonic& h, double r);

/// Column of length L on a fixed base, traction q at its end: u(L) M*/(q L) = tan(kL)/(kL), k = ω √(ρ/M*).
[[nodiscard]] Complex column_end(const Complex& modulus, double rho, double omega, double length);

/// Vertical stiffness of a rigid disc of radius 1 without friction on layers over a half-space, or over rigid rock: its pressure is a sum of
/// functions with the Hankel transforms j_{2n}(k) (B. Noble, Proc. Camb. Phil. Soc. 59 (1963) 351; the first is that of the half-space at
/// rest), the surface's compliance under a pressure J_0(kr) that of P and SV waves up and down in each layer, whose amplitudes one system of
/// equations gives; less the static half-space of the top layer, which is in closed form. Every medium is damped, by 0.02 or more: the poles lie
/// beside the way of integration then. To about 1e-4 for thicknesses from ½ and wave numbers to 2.
[[nodiscard]] Complex layered_disc(const std::vector<SoilLayer>& layers, const std::optional<Medium>& half_space,
                                   double omega);

/// Two such columns on each other, the lower one first: u at the free end over the traction there.
[[nodiscard]] Complex layered_column_end(const std::array<Complex, 2>& modulus, const std::array<double, 2>& rho,
                                         const std::array<double, 2>& length, double omega);

/// A. S. Veletsos, B. Verbič (1973, 1974): rigid disc on a half-space, K = K_static (k + i a0 c) with k, c fitted;
/// coefficients at ν = 0, 1/3, 1/2, linear in between. a0 = ω a/c_S.
struct DiscImpedance {
  Complex vertical, horizontal, rocking;
};
[[nodiscard]] DiscImpedance veletsos_verbic(const Medium& medium, double radius, double omega);

}  // namespace conoid::elastic_bem
