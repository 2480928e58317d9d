// SPDX-License-Identifier: BSD-3-Clause
// How long a flow will take: how many steps follows from the flow itself, so a coarser one of the same kind is marched.
#pragma once

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"

#include <string>

namespace conoid::hydro_fem {

struct Trial {
  double steps = 0;    ///< of the whole case, expected; 0: not known
  double seconds = 0;  ///< of one core, for all of them
  std::string basis;   ///< "from a trial on 8 × 8 zones; …", or why there was none
};

/// Marches the case on every second (third, …) zone of its grid, whichever its regions allow and some 3000 points are enough for,
/// or on its own mesh, for at most `longest` seconds on the calling thread. A step is as long as a zone is wide, so a grid f times as fine takes
/// f times as many; where the end was not reached the number n of steps at time t goes on as n ∝ t^b, b = t / (n Δt): 1 in a flow
/// that does not change, 2/(d + 2) in a blast of similarity (L. I. Sedov, 1959). No step is taken with more than 300,000 points.
[[nodiscard]] Trial march_a_trial(const Case& input, const Mesh* mesh, double longest = 0.5);

}  // namespace conoid::hydro_fem
