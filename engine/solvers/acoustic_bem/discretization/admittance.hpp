// SPDX-License-Identifier: BSD-3-Clause
// Walls whose impedance depends on frequency: rational admittances, their recursion in time, fits to tables and materials.
//
// β(s) = ρc/Z(s) = rest + Σ r_k/(s − λ_k), Re λ_k < 0; poles with Im λ > 0 stand for themselves and their conjugates. In the sense of
// circuits s = jω, a mass has a positive reactance; in that of the solver's spectra (e^{−iωt}) s = −iω.
// Over a step in which p is linear, ψ_k = (r_k e^{λ_k t}) * p obeys exactly ψⁿ = E ψⁿ⁻¹ + A pⁿ + B pⁿ⁻¹, and σ = ∂_t(β * p)/c has the mean
// (1/cΔt)(now pⁿ + before pⁿ⁻¹ + Σ (E − 1) ψⁿ⁻¹): B. Cotté, P. Blanc-Benon, C. Bogey, F. Poisson, AIAA Journal 47 (2009) 2391, with p linear
// instead of constant.
//
// A wall takes energy at all frequencies (it is passive) where Re β(jω) ≥ 0 for all ω. Fits are sums with factors ≥ 0 of functions that are so:
// 1, a/(s + a), s/(s + a), and with D = s² + 2αs + ω₀², s/D and (s + 2α)/D, by least squares (C. L. Lawson, R. J. Hanson, Solving Least
// Squares Problems, 1974, ch. 23): stable and passive whatever the table. Where the first grid of functions leaves more than half a per cent of the
// reflection, a second one lies around those that it took.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "engine/core/error.hpp"

namespace conoid::acoustic_bem {

struct AdmittancePole {
  std::complex<double> pole, residue;  ///< 1/s; real, or with an imaginary part > 0 of the pole
};

struct RationalAdmittance {
  double rest = 0;  ///< at high frequencies
  std::vector<AdmittancePole> poles;
  /// Under e^{jωt}.
  [[nodiscard]] std::complex<double> at(double omega) const;
};

/// Of a pole over a step: E, A, B above; `pair`: with its conjugate.
struct PoleStep {
  std::complex<double> decay, now, before;
  bool pair = false;
};
/// A wall over a step.
struct WallMemory {
  double now = 0, before = 0;
  std::vector<PoleStep> poles;
  /// What is left of a pressure that has stayed for ever, without what is remembered of it: −transfer(1).
  [[nodiscard]] double at_once() const { return now + before; }
  /// Takes pⁿ and pⁿ⁻¹, brings the ψ of all poles up to step n, and returns Σ (E − 1) ψⁿ.
  double advance(std::complex<double>* psi, double p, double p_before) const;
  /// What advance() returns over p for signals of e^{−iωnΔt}, z = e^{iωΔt}: Σ (E − 1)(A + Bz)/(1 − Ez).
  [[nodiscard]] std::complex<double> transfer(std::complex<double> z) const;
};
[[nodiscard]] WallMemory memory_of(const RationalAdmittance& admittance, double dt);

/// An error that names the frequency where poles do not decay, or where the wall gives energy.
[[nodiscard]] Status check_passive(const RationalAdmittance& admittance);

struct AdmittanceFit {
  RationalAdmittance admittance;
  double worst = 0;       ///< largest |Δβ| / |β| of all frequencies
  double reflection = 0;  ///< largest error of the reflection of a plane wave that comes straight on, (1 − β)/(1 + β)
  double between =
      0;  ///< the same between the frequencies, against monotone cubics of the impedance over their logarithm
};
/// `frequencies` in Hz, above zero, ascending; `values`: β under e^{jωt}, with Re β ≥ 0.
[[nodiscard]] AdmittanceFit fit_admittance(std::span<const double> frequencies,
                                           std::span<const std::complex<double>> values);

/// β of a porous layer before a rigid wall (thickness 0: without an end), under e^{jωt}: Delany and Bazley's law with Miki's factors.
/// Z_c = 1 + (5.50 − 8.43j) X^−0.632, k = (ω/c)(1 + (7.81 − 11.41j) X^−0.618), X = 1000 f/resistivity, resistivity in Pa s/m²
/// (Y. Miki, J. Acoust. Soc. Japan (E) 11 (1990) 19). It was measured for 0.01 ≤ f/resistivity ≤ 1 in these units.
[[nodiscard]] std::complex<double> porous_admittance(double resistivity, double thickness, double c, double frequency);

}  // namespace conoid::acoustic_bem
