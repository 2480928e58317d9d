// SPDX-License-Identifier: BSD-3-Clause
// Exact scattering by spheres, e^{+jωt}: conducting, homogeneous, coated (C. F. Bohren, D. R. Huffman, 1983, ch. 4 and 8, with
// the other sign of time).
//
// S = x j_n, C = x y_n, ξ = x h_n^(2) = S − jC. The incident wave goes along +z with E along x; angles from the forward
// direction: E_θ = e^{−jkr}/(jkr) cos φ S_2(θ), E_φ = −e^{−jkr}/(jkr) sin φ S_1(θ).
#pragma once

#include <array>
#include <complex>
#include <vector>

namespace conoid::maxwell_fem {

/// A field at a point: E of an incident wave of 1, and ∇×E over k.
struct SphereField {
  std::array<std::complex<double>, 3> electric{}, curl{};
};

struct SphereSeries {
  double x = 1;                            ///< k times the outer radius
  std::vector<std::complex<double>> a, b;  ///< a_n (TM), b_n (TE), n = 1, 2, …

  [[nodiscard]] std::complex<double> s1(double cosine) const;
  [[nodiscard]] std::complex<double> s2(double cosine) const;
  /// σ/π a² in the plane of E (φ = 0), θ from forward.
  [[nodiscard]] double sigma_e(double cosine) const;
  [[nodiscard]] double extinction() const;  ///< Q_ext = σ_ext/π a²
  [[nodiscard]] double scattering() const;  ///< Q_sca
  /// The whole field at a point outside of the sphere, its place times k. With M_n, N_n the waves of Bohren and Huffman,
  /// E = Σ (−j)^n (2n+1)/(n(n+1)) (M_n + j N_n), of the scattered part with −b_n ξ and −a_n ξ in place of S. Needs terms_near() terms.
  [[nodiscard]] SphereField outside(const std::array<double, 3>& kx) const;
};
/// Terms with which fields at kr from the middle of a sphere of kb are right to some 1e-12.
[[nodiscard]] int terms_near(double kb, double kr);

[[nodiscard]] SphereSeries conducting_sphere(double ka, int least = 0);
/// `least` here and below: terms, at least.
[[nodiscard]] SphereSeries homogeneous_sphere(double ka, std::complex<double> epsilon, std::complex<double> mu,
                                              int least = 0);
/// Surface impedance E_t = η η_0 r̂×H (T. B. A. Senior, J. L. Volakis, Approximate Boundary Conditions in Electromagnetics, IEE
/// 1995, ch. 2, gives the condition). Outside, E_θ ~ S' − a ξ' and H_φ ~ −j (S − a ξ) in a TM mode, E_θ ~ S − b ξ and
/// H_φ ~ +j (S' − b ξ') in a TE mode, so that
///   a_n = (S' − jη S)/(ξ' − jη ξ),   b_n = (S + jη S')/(ξ + jη ξ'):
/// η = 0 is the conductor, η → ∞ the magnetic wall, and η = 1/m the limit of a core of large m that swallows what enters
/// (μ = 1; its exact coefficient has S_n'(mx)/S_n(mx) → +j in place of that constant).
[[nodiscard]] SphereSeries impedance_sphere(double ka, std::complex<double> eta, int least = 0);
/// A shell without thickness of resistance η η_0, vacuum on both sides: E_t is continuous, H_t jumps by the current E_t/(η η_0).
/// With c S inside, c S' = S' − a ξ' and (S − a ξ) − c S = −(j/η) c S' in a TM mode, and S ξ' − S' ξ = −j,
///   a_n = S'²/(η + S' ξ'),   b_n = S²/(η + S ξ);
/// η = 0 is the conductor.
[[nodiscard]] SphereSeries resistive_shell(double ka, std::complex<double> eta);
/// Core of radius a in a coat of radius b.
[[nodiscard]] SphereSeries coated_conductor(double ka, double kb, std::complex<double> epsilon, std::complex<double> mu,
                                            int least = 0);
[[nodiscard]] SphereSeries coated_sphere(double ka, double kb, std::complex<double> core_epsilon,
                                         std::complex<double> core_mu, std::complex<double> epsilon,
                                         std::complex<double> mu, int least = 0);

/// Factor by which the truncation iteration reduces the error of mode n on a conducting sphere, S a sphere of radius b
/// (`te`: TE, else TM): ρ = L[ξ](kb) / (L[ξ](kb) − (B[ξ]/B[S])(ka) L[S](kb)), L[u] = u' + ju, B[u] = u (TE) or u' (TM).
[[nodiscard]] std::complex<double> truncation_factor(int n, bool te, double ka, double kb);
/// Largest of them over all modes.
[[nodiscard]] double truncation_radius(double ka, double kb);

}  // namespace conoid::maxwell_fem
