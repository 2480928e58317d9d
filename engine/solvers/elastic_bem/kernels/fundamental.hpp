// SPDX-License-Identifier: BSD-3-Clause
// The full-space fundamental solutions of elastodynamics, written as in the literature: the truth for the fast kernels.
//
// u*_ij, t*_ij: component j at the field point x for a unit force along i at the source ξ; r = |x − ξ|, e = (x − ξ)/r,
// n the unit normal at x. Closed forms: T. A. Cruse, F. J. Rizzo, J. Math. Anal. Appl. 22 (1968) 244; notation of
// J. Dominguez, "Boundary Elements in Dynamics" (1993). Small arguments: power series (medium.hpp). Thread-safe.
#pragma once

#include <array>

#include "engine/core/types.hpp"
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

using Matrix3 = std::array<std::array<Complex, 3>, 3>;

/// Whole kernel; dynamic − static; static (Kelvin); u* whole beside t* dynamic − static (LaneKernels::near only).
enum class Part { dynamic, difference, fixed, split };

/// ψ, χ and their derivatives with respect to r.
template <class Real>
struct RadialOf {
  std::complex<Real> psi, chi, dpsi, dchi, d2psi, d2chi;
};
using Radial = RadialOf<double>;

/// Chooses between closed form and series: |ζ_S| < 1 in double, < 2 in single precision.
template <class Real = double>
[[nodiscard]] RadialOf<Real> radial(const Harmonic& h, double r, Part part = Part::dynamic);
/// The two ways on their own, for tests.
template <class Real = double>
[[nodiscard]] RadialOf<Real> radial_closed(const Harmonic& h, double r);
template <class Real = double>
[[nodiscard]] RadialOf<Real> radial_series(const Harmonic& h, double r, Part part = Part::dynamic);

/// u*_ij and t*_ij.
struct Kernels {
  Matrix3 u{}, t{};
};
[[nodiscard]] Kernels kernels(const Harmonic& h, const Vec3& from, const Vec3& to, const Vec3& normal,
                              Part part = Part::dynamic);

/// Kernels of the stress at ξ: σ_ij(ξ) = ∫ D_kij t_k − S_kij u_k dS; index [k][i][j].
struct StressKernels {
  std::array<Matrix3, 3> d{}, s{};
};
[[nodiscard]] StressKernels stress_kernels(const Harmonic& h, const Vec3& from, const Vec3& to, const Vec3& normal);

}  // namespace conoid::elastic_bem
