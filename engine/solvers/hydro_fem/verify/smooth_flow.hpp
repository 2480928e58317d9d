// SPDX-License-Identifier: BSD-3-Clause
// Viscosity that vanishes in smooth flow: sound keeps its amplitude, shocks are no worse. And how far off shocks are.
#pragma once

#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/verify.hpp"

namespace conoid::hydro_fem {

namespace flows {

/// Sound between walls: v = amplitude sin(πx) in [0,1], density and speed of sound 1, gamma 1.4; its period is 2.
[[nodiscard]] Setup standing_wave(int k, Index n, double amplitude);

}  // namespace flows

/// L1 of density of Sod's tube, along a line at height y.
[[nodiscard]] double tube_error(flows::Flow& flow, double t, double y = 0);
/// Noh's flow marched to its end: relative difference of the mean density between radii 0.08 and 0.15 from the plateau's.
[[nodiscard]] double noh_error(flows::Flow& flow, int dim, double density);

void verify_smooth_flow(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::hydro_fem
