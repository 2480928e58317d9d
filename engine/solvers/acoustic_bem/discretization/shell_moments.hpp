// SPDX-License-Identifier: BSD-3-Clause
// Moments of the retarded kernels over one light-cone shell mΔ ≤ R < (m+1)Δ of a flat triangle, in closed form.
//
// Idea: in polar coordinates about the projection x_p of the observer, dS = R dR dθ; the triangle is the signed sum of
// the three triangles (x_p, edge), and the disc R < R_u cuts each into a straight part and a circular arc. A radial f
// with Φ'(R) = R f(R), Φ(|d|) = 0 then integrates to ∮ Φ dθ, and its first moment to edge integrals by the divergence
// theorem (unclipped version: Wilton et al., IEEE Trans. AP 32 (1984) 276–281). This file is the readable reference; the
// solver runs kernels/shell_lanes_isa.inl, which does the same for several observers at once.
#pragma once

#include <array>

#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

/// Over one shell, or cumulated over R < R_u: s_b = ∫λ_b/R, k_b = ∫λ_b n·(x−y)/R³, q_1 = ∫1, q_2 = ∫R. No 1/4π.
struct ShellMoments {
  std::array<double, 3> s{};
  std::array<double, 3> k{};
  double q1 = 0, q2 = 0;
  [[nodiscard]] double q0() const { return s[0] + s[1] + s[2]; }
};

/// The part of `source` with R < `upper`; the whole triangle when `whole`.
[[nodiscard]] ShellMoments cumulative_moments(const Triangle& source, const Vec3& x, double upper, bool whole);

/// Shells first … last that the triangle meets: ⌊R_min/Δ⌋ and ⌊R_max/Δ⌋.
struct ShellRange {
  Index first = 0, last = 0;
};
[[nodiscard]] ShellRange shell_range(const Triangle& source, const Vec3& x, double delta);

/// One shell as the difference of two cumulative values.
[[nodiscard]] ShellMoments shell_moments(const Triangle& source, const Vec3& x, double delta, Index m);

}  // namespace conoid::acoustic_bem
