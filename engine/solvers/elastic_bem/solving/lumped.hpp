// SPDX-License-Identifier: BSD-3-Clause
// Springs, dashpots and masses that stand for the ground under a foundation, by least squares over the frequencies of a run: what programs for
// structures take instead of an impedance that changes with the frequency (Lysmer and Richart 1966 gave the first, for discs).
#pragma once

#include <span>

#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

/// S(ω) ≈ K − ω² M + i (H + ω C), of one pair of motions: N/m, kg and N s/m, or N m, kg m² and N m s, or N, kg m and N s.
struct Lumped {
  double stiffness = 0;  ///< K
  double mass = 0;       ///< M: what moves with the foundation; below zero where the ground stiffens with the frequency
  double damping = 0;    ///< C
  double hysteresis =
      0;             ///< H: the imaginary part at rest, 2 β K of a ground with damping ratio β; of K's sign or zero
  double error = 0;  ///< the largest difference over the largest |S|
};

/// Real and imaginary part by straight lines in ω² and ω, each with the least sum of squares over all frequencies alike; H only where the
/// ground has `damping`. Angular frequencies in any order, of which two differ at least, and one value for each.
[[nodiscard]] Lumped fit_lumped(std::span<const double> omega, std::span<const Complex> stiffness, bool damping);

}  // namespace conoid::elastic_bem
