// SPDX-License-Identifier: BSD-3-Clause
// The classical algorithm, as the baseline of the bench: constant quads, 8 × 8 Gauss points for every pair, closed forms, one
// pair after the other.
#pragma once

#include <complex>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/surface.hpp"
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid {
class Team;
}

namespace conoid::elastic_bem {

struct PlainTimes {
  double pairs = 0, static_sums = 0;  ///< seconds for all rows, scaled from those computed
  double share = 1;                   ///< of the rows that were computed
};
/// Rows [0, rows) of H and G of the active elements and static row sums over all elements; at most `budget` seconds, then
/// scaled to all rows.
[[nodiscard]] PlainTimes plain_assembly(Team& team, const Surface& surface, const Harmonic& harmonic, double budget);

}  // namespace conoid::elastic_bem
