// SPDX-License-Identifier: BSD-3-Clause
// How long a flow will take: how many steps follows from the flow itself, so coarser ones of the same kind are marched.
#pragma once

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"

#include <string>

namespace conoid::hydro_fem {

struct Trial {
  double steps = 0;    ///< of the whole case, expected; 0: not known
  double seconds = 0;  ///< of one core, for all of them
  std::string basis;   ///< "from trials on up to 14 × 6 zones; …", or why there was none
};

/// Marches twins of the case: the same flow on fewer zones, as its regions allow, or with lower orders, from the coarsest on, as long
/// as all of them together take no more than a tenth of what is foreseen for the case, and at most `longest` point-steps (points
/// times steps; half as many in three dimensions, where one takes twice as long; some 1.5 s of one core by default). Load changes
/// nothing in what is marched, so the same case has the same steps each time.
///
/// With N = order × zones along the longest axis and the Courant number C the products n C of two twins give p in n C ∝ N^p. p is 1 in
/// a flow whose steps follow the width of zones, and up to 2.5 where shear winds up zones. Where steps grow with time, as in blasts, p
/// above 1.3 tells only that the coarse twin was too coarse, and is cut there; where they shrink, p grows by a quarter with each
/// doubling of N (the triple point, Rayleigh-Taylor, a shell driven into gas). A coarse twin of fewer than eight zones along its
/// longest axis moves p half-way back to 1, in proportion. A finer twin that did not reach the end is compared with the coarser at the
/// time that it reached. Where not even the coarsest did, n goes on as t^b, b = t / (n Δt): 1 in a flow that does not change,
/// 2/(d + 2) in a blast of similarity (L. I. Sedov, 1959). With a single twin p is 1.5. A case that starts from another run has one twin, the
/// finest that takes 60 steps, which is the case itself up to 75,000 points.
///
/// Seconds: processor time of this thread in the finest twin, a rate that is measured once and kept (rate_book.hpp). Runs on the
/// calling thread.
[[nodiscard]] Trial march_a_trial(const Problem& problem, double longest = 4.5e6);

/// The same, kept between starts for a case, of which `problem` was read, and its mesh on this processor (KeptValues "trials"), so that neither a run after a check nor
/// a check repeated marches again. `folder` empty: the user's cache.
[[nodiscard]] Trial kept_trial(const Problem& problem, const Case& input, const Mesh* mesh,
                               const std::string& folder = {});

}  // namespace conoid::hydro_fem
