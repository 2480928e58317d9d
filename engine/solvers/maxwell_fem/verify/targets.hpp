// SPDX-License-Identifier: BSD-3-Clause
// Radar targets without an exact solution: symmetry, reciprocity and energy of the NASA almond and the ogive.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid::maxwell_fem {

/// Shapes of A. C. Woo, H. T. G. Wang, M. J. Schuh, M. L. Sanders, IEEE Antennas Propag. Mag. 35 (1) (1993) 84, axis x.
enum class Target : std::uint8_t { almond, ogive };
[[nodiscard]] Result<Mesh> target_surface(Target target, double edge);

struct TargetOutcome {
  Index tets = 0, unknowns = 0, iterations = 0;
  double mirror = 0;           ///< dB between the echoes at +φ and −φ, both polarisations
  double reciprocity = 0;      ///< relative difference of the two ways
  double optical_theorem = 0;  ///< relative difference of extinction and scattering
};
[[nodiscard]] Result<TargetOutcome> run_target(Target target, double frequency, int threads);

}  // namespace conoid::maxwell_fem
