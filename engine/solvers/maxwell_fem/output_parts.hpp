// SPDX-License-Identifier: BSD-3-Clause
// What tables of echoes and of antennas share.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/problem.hpp"

namespace conoid::maxwell_fem {

/// 10 lg, no less than that of 1e-30.
[[nodiscard]] double decibel(double power);
/// The exact series of a case's sphere at a frequency, with as many terms as fields at `nearest` m from its middle need (0: far ones alone).
[[nodiscard]] SphereSeries exact_of(const Problem& problem, double frequency, double nearest = 0);
/// F of the exact series for any plane wave.
[[nodiscard]] FarAmplitude exact_far(const SphereSeries& series, const PlaneWave& wave, const Direction& seen);
/// F of dipoles outside of such a sphere about the origin, by reciprocity with plane waves.
[[nodiscard]] FarAmplitude exact_far(const SphereSeries& series, std::span<const Dipole> dipoles, double k,
                                     const Direction& seen);
/// Middle of S', and the radius of the ball about it that holds S': where the body lies among the coordinates turns phases alone.
struct Extent {
  Vec3 middle{};
  double radius = 0;
};
[[nodiscard]] Extent extent(const Domain& domain);

}  // namespace conoid::maxwell_fem
