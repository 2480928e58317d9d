// SPDX-License-Identifier: BSD-3-Clause
// Shocks that run into an axis or a centre (G. Guderley, Luftfahrtforschung 19 (1942) 302).
#pragma once

#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/hydro_fem/verify/verify.hpp"

#include <span>

namespace conoid::hydro_fem {

/// Cold gas (gamma 1.4) of density 1 within radius 1, pressed on from outside by an even pressure of 1; turns 1 cylindrical, 2 spherical.
[[nodiscard]] Setup converging_shock(int turns, Index n);

struct ShockPlace {
  double time = 0, radius = 0;
};
/// The exponent α of radius ~ (t_c - t)^α that fits best, t_c with it.
[[nodiscard]] double similarity_exponent(std::span<const ShockPlace> places);

void verify_converging(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::hydro_fem
