// SPDX-License-Identifier: BSD-3-Clause
// Bodies in rooms against exact answers. c = ρ = 1.
#pragma once

#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"

namespace conoid::acoustic_bem {

/// The triangles of two surfaces, those of the second one moved and in no group.
[[nodiscard]] Mesh with_body(Mesh mesh, const Mesh& body, const Vec3& moved);

/// A ball of radius ½ that pulsates in the middle of a spherical room of radius 1, whose wall has ζ = 1; `divisions` of the room's edges, half as
/// many of the ball's. Spectra of the pressure midway against the two waves p = (A e^{ikr} + B e^{−ikr})/r with ∂_r p = iω v at the ball and
/// ik p at the wall.
[[nodiscard]] SpectralErrors ball_in_a_room(int divisions, Team& team);

/// A monopole in a rigid box with a ball in it raises the mean pressure by c² ∫f dt over the volume around the ball a unit of time: relative error of
/// the mean over all walls after so many steps, of matrices in single precision.
[[nodiscard]] double mean_beside_a_ball(Index steps, Team& team);

}  // namespace conoid::acoustic_bem
