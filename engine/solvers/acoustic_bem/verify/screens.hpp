// SPDX-License-Identifier: BSD-3-Clause
// Open rigid screens with exact or published answers: what happens at rims.
#pragma once

#include <complex>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"

namespace conoid::acoustic_bem {

/// M(ω) = Σ_k M_k exp(iωkΔt), time factor exp(−iωt): the march in frequency.
[[nodiscard]] Eigen::MatrixXcd transformed(const Matrices<double>& matrices, double omega);

/// Disc of radius 1 in the plane z = 0: `rings` rings of 6, 12, 18 … points, the polygon of the circle's area.
[[nodiscard]] Mesh disc(int rings);
/// Sphere of radius 1 with a round hole of the given half-angle at its top, `rings` rings of points from the bottom; the rim is
/// on the sphere, and the volume up to the hole's plane that of the true shell.
[[nodiscard]] Mesh shell_with_hole(int rings, double half_angle);
/// Rectangle |x| ≤ width, −depth ≤ z ≤ 0 in the plane y = 0, of squares of about this edge cut in two.
[[nodiscard]] Mesh wall(double width, double depth, double edge, bool half = false);

struct ScreenError {
  Index unknowns = 0;
  double h = 0, value = 0;
};
/// Disc across a steady stream: relative error of ∫φ, exactly 8/3 (H. Lamb, Hydrodynamics, §102: jump (4/π)√(1−r²)).
[[nodiscard]] ScreenError disc_in_stream(int rings, int rim_layers, Team& team);
/// ka at which a plane wave along the axis drives the pressure in the middle of a shell with a hole of 30 degrees highest.
/// Fields inside and outside as series of Legendre polynomials, joined over the hole by velocities T_2m(s)/s,
/// cos θ = cos 30° + (1 − cos 30°) s² (which have the rim's singularity), give 0.54185 (0.541847 to 0.541848 for 3 to 8
/// velocities and 600 to 2400 terms; the complex resonance is 0.54193 − 0.01347 i). An equation of the second kind for the same
/// hole gives 0.541847 with two functions and with eight (test_screens).
inline constexpr double shell_resonance_exact = 0.54185;
[[nodiscard]] ScreenError shell_resonance(int rings, int rim_layers, Team& team);

/// Wave of a point source at (0, −½, −0.3) in the deep shadow (0, ½, −0.3) of the half-plane y = 0, z < 0, against the
/// integral along the edge (M. A. Biot, I. Tolstoy, J. Acoust. Soc. Am. 29 (1957) 381; U. P. Svensson, R. I. Fred,
/// J. Vanderkooy, J. Acoust. Soc. Am. 106 (1999) 2331), c = 1, until the wall's other edges are heard.
struct ShadowError {
  Index unknowns = 0;
  double h = 0;
  double signal = 0;  ///< relative L²
  double late = 0;    ///< delay of the signal by the best fit, lengths at c = 1; negative: early
};
[[nodiscard]] ShadowError half_plane_shadow(double edge, int rim_layers, Team& team, bool on_ground = false);

}  // namespace conoid::acoustic_bem
