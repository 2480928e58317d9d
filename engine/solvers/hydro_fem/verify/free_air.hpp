// SPDX-License-Identifier: BSD-3-Clause
// A ball of TNT in free air against the curves of Kingery and Bulmash.
#pragma once

#include "engine/solvers/hydro_fem/verify/verify.hpp"

namespace conoid::hydro_fem {

/// Incident blast of a ball of TNT in free air at sea level, by scaled distance Z = r / W^(1/3) [m/kg^(1/3)] between 0.8 and 40: C. N.
/// Kingery, G. Bulmash, *Airblast Parameters from TNT Spherical Air Burst and Hemispherical Surface Burst*, ARBRL-TR-02555 (1984),
/// polynomials of the common logarithm. At 1 to 4 they lie within 7 % of the simplified ones of M. M. Swisdak (1994), of the
/// hemispherical surface burst of W/1.8.
struct KingeryBulmash {
  explicit KingeryBulmash(double scaled_distance);
  double peak = 0;     ///< overpressure [Pa]
  double impulse = 0;  ///< of the positive phase, over W^(1/3) [Pa s/kg^(1/3)]
  double arrival = 0;  ///< over W^(1/3) [s/kg^(1/3)]
};

void verify_free_air(const TestRun& run, const VerifySink& sink);

}  // namespace conoid::hydro_fem
