// SPDX-License-Identifier: BSD-3-Clause
// The field that a run starts from: the pressure of two levels, and what the solids of an attenuating medium remember then.
//
// Pressure at rest has been there for long: memories hold it themselves (m = p), so that nothing flows at the start, and the compliance is
// that of low frequency. With m = 0 the equation of state (attenuation.hpp) would have the fluid flow together with Σ a/τ p.
//
// A plane wave p = f(x − c t) remembers what has gone by, m(x) = ∫ f(x + c u) e^{−u/τ} du/τ, a Gaussian and an exponential folded. Its rate of
// change follows from one-way waves e^{ikx + st}, s = −i c_U k/√κ(s), κ = 1 + Σ a/(1 + sτ), by κ ≈ κ_r = (c_U/c)² and the first order in κ − κ_r:
//
//   p_t = −c (1 + (κ_r − 1)/(2 κ_r)) p_x + Σ a/(2 κ_r τ) (m − p).
//
// What runs back is of the square of κ/κ_r − 1, which is about 1/Q.
//
// Samples of a file that lie closer than the nodes would fold what lies between into the long waves. Where two or more come to a node it takes
// their mean over its cell instead, by the kernel of cell_means.hpp (waves of 8 nodes keep 0.996 of their amplitude, of 4 nodes 0.946, what is finer than two
// is lost); at reflecting faces samples have the images that the pressure has there.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <memory>

namespace conoid::acoustic_fd {

/// `samples`: at the nodes, zero beyond; null where no axis has samples half a node apart or closer, so that nodes lie between samples. `kept`: Σ p² of the means
/// over that of the samples.
struct InitialMeans {
  std::shared_ptr<const Velocity> samples;
  double kept = 1;
};
/// Of the problem grid and faces. Threads: those of parallel_for.
[[nodiscard]] InitialMeans means_at_nodes(const Velocity& samples, const Problem& problem);

/// Pressure at t = 0.
[[nodiscard]] double initial_pressure(const Initial& initial, const Vec3& place);
/// Pressure a step before, where it moves; `speed` is that of high frequency, problem.velocity. For a field at rest see Field::rest_start.
[[nodiscard]] double pressure_before(const Problem& problem, const Vec3& place, double speed);
/// m at t = 0 of a solid of problem.relaxations.
[[nodiscard]] double initial_memory(const Problem& problem, const Relaxation& relaxation, const Vec3& place,
                                    double speed);

/// Particle velocity along `direction` (a unit vector) at t = 0, m/s, of what moves: zero of a field at rest. From ρ c_U² v_x = −(p + Σ a m)_t of a wave that
/// runs at c_U/√κ_r. `density` at the place, `speed` as above.
[[nodiscard]] double initial_velocity(const Problem& problem, const Vec3& place, const Vec3& direction, double speed,
                                      double density);

}  // namespace conoid::acoustic_fd
