// SPDX-License-Identifier: BSD-3-Clause
// The elastic medium at one frequency: complex moduli, wave numbers and the power series of the kernels.
//
// Time factor e^{+iωt}, outgoing waves e^{-ikr}. Hysteretic damping: μ* = μ(1 + 2iβ) with ν real, so that κ = c_S/c_P is
// real and both waves decay (Im k < 0).
#pragma once

#include <array>
#include <complex>

namespace conoid::elastic_bem {

using Complex = std::complex<double>;

/// A homogeneous isotropic medium, SI units.
struct Medium {
  double mu = 1;                                ///< shear modulus, Pa
  double nu = 0.25;                             ///< Poisson's ratio, −1 < ν < ½
  double rho = 1;                               ///< density, kg/m³
  double beta = 0;                              ///< hysteretic damping ratio
  [[nodiscard]] double shear_speed() const;     ///< undamped, m/s
  [[nodiscard]] double pressure_speed() const;  ///< undamped, m/s
  [[nodiscard]] double rayleigh_speed() const;  ///< undamped, m/s: root of (2 − v²)² = 4√(1 − κ²v²)√(1 − v²), v = c/c_S
};

/// The medium at the angular frequency ω.
struct Harmonic {
  double omega = 0, nu = 0, rho = 0;
  double kappa = 0;  ///< c_S/c_P = √((1 − 2ν)/(2(1 − ν)))
  double L = 0;      ///< λ/μ = 1/κ² − 2
  Complex mu, lambda, kS, kP;

  Harmonic() = default;
  Harmonic(const Medium& medium, double omega_);
  [[nodiscard]] bool damped() const { return kS.imag() != 0; }
};

/// Coefficients of the power series in ζ_S: r ψ = Σ a_m, r χ = Σ b_m with
///   a_m = (−ζ_S)^m/(m+2)! (m+1) [(m+1) + κ^{m+2}],  b_m = (−ζ_S)^m/(m+2)! (m²−1) [1 − κ^{m+2}];
/// r²ψ′ and r³ψ″ follow by the factors (m−1) and (m−1)(m−2). The terms m = 0 are Kelvin's static solution, so the series
/// from m = 1 is the difference of dynamic and static kernel without a subtraction.
inline constexpr int series_terms = 48;
struct SeriesCoefficients {
  std::array<double, series_terms> a{}, b{};  ///< without the factor (−ζ_S)^m
  explicit SeriesCoefficients(double kappa);
};

}  // namespace conoid::elastic_bem
