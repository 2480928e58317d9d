// SPDX-License-Identifier: BSD-3-Clause
// The cross stencils of order 2, 4, … 12 and what follows from them: weights, stability limit, numerical dispersion.
//
// Source: Perepelkina & Levchenko, Keldysh preprint 2015-18, Table 1 and formulas (2), (3). Its C_0 counts twice in
// formula (2); here C_0 is the full central weight of one axis. The printed time indices of (3) should read
// k, k-1 for the two old levels.
#pragma once

#include "engine/core/types.hpp"

#include <array>

namespace conoid::acoustic_fd {

inline constexpr int max_radius = 6;

/// Weights of h² ∂²/∂x² of an even order: weight[0] at the centre, weight[i] at ±i; and of h ∂/∂x: ±slope[i] at ±i.
/// Orders 10 and 12 continue Table 1 by the closed form of central differences (Fornberg, Math. Comp. 51, 1988).
struct Stencil {
  int order = 2;
  int radius = 1;
  std::array<double, max_radius + 1> weight{};
  std::array<double, max_radius + 1> slope{};
};

/// `order` is 2, 4, 6, 8, 10 or 12.
[[nodiscard]] Stencil stencil_of_order(int order);

/// λ = |C_0| + 2 Σ |C_i|, the spectral radius of one axis: 4, 16/3, 272/45, 2048/315, …
[[nodiscard]] double spectral_radius(const Stencil& stencil);

/// The largest stable time step of the leapfrog scheme, 2 / (c √(λ Σ_a 1/h_a²)): with equal spacings
/// c dt/h = 2/√(3λ) = 0.577, 0.500, 0.470, 0.453, 0.443, 0.435.
[[nodiscard]] double largest_time_step(const Stencil& stencil, const Vec3& spacing, double speed);
/// Of the largest one, taken where a case says nothing.
inline constexpr double safe_step = 0.9;

/// κ²(k) = −(C_0 + 2 Σ C_i cos(i k h)) / h²: what the stencil makes of k² along one axis.
[[nodiscard]] double discrete_wavenumber_squared(const Stencil& stencil, double wavenumber, double spacing);

/// Relative error of the phase speed for a wave along the axis with spacing h that has `points` points a wavelength;
/// `courant` is c dt/h.
[[nodiscard]] double phase_speed_error(const Stencil& stencil, double points, double courant);

/// The largest of these errors over all waves at least that long: errors of space (slow) and time (fast) may cancel at
/// one length and not at another.
[[nodiscard]] double worst_phase_speed_error(const Stencil& stencil, double points, double courant);

}  // namespace conoid::acoustic_fd
