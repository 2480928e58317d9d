// SPDX-License-Identifier: BSD-3-Clause
// Short runs on spheres that are filled with another fluid, against the series. c = ρ = 1 outside, radius 1.
#pragma once

#include <vector>

#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"

namespace conoid::acoustic_bem {

/// Unit sphere of equal volume, filled; c₂Δt or Δt = 0.4 h, whichever is the shorter step.
[[nodiscard]] Surface filled_ball(int divisions, const Filling& filling);
[[nodiscard]] Form form_of_filled(const Surface& surface, double ratio = 0.4);

/// A plane Ricker pulse that peaks at `wave_number` in the slower fluid: pressures on the surface and scattered ones before, behind and beside.
[[nodiscard]] WallErrors filled_sphere(int divisions, const Filling& filling, double wave_number, Team& team);

/// Target strength of the echo at each ka, solved for, in dB over the radius squared, and what the series gives. `less_plain`: less the far field
/// of the same ball filled with the fluid around, which is the mesh's error alone; what is left errs by a part of the scattered sound.
struct FilledEchoes {
  Index unknowns = 0;
  double h = 0;
  std::vector<double> got, exact;
  Index iterations = 0;  ///< most of any
};
[[nodiscard]] FilledEchoes echoes_of_filled(int divisions, const Filling& filling,
                                            const std::vector<double>& wave_numbers, Team& team,
                                            bool less_plain = false);

/// max|a| over the peak after so many steps, excited by noise in all unknowns during 20.
[[nodiscard]] double late_level_of_filled(int divisions, const Filling& filling, double ratio, Index steps, Team& team);

}  // namespace conoid::acoustic_bem
