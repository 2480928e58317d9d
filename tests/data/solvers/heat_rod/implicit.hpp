// SPDX-License-Identifier: BSD-3-Clause
// Backward Euler for the rod: (1 + 2F) u_i − F (u_{i−1} + u_{i+1}) = u_i of the step before, by preconditioned conjugate gradients.
#pragma once

#include <vector>

#include "engine/cluster/block_sums.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/cluster/halo.hpp"

namespace conoid {
class Team;
}

namespace conoid::heat_rod {

/// Items are blocks of 64 inner points, the same for every run; each rank has an interval of them, and of it each worker of its team.
/// Every sum is one over blocks, and the preconditioner solves each block by itself: a step has the same bits for any ranks, workers
/// and threads. To be called on all ranks alike.
class Implicit {
 public:
  Implicit(Index cells, double fourier, Communicator& cluster);

  /// u: all points of the rod, the two ends among them; the new step on every rank. Returns the iterations, −1 if they do not end.
  [[nodiscard]] Index step(Team& team, std::vector<double>& u);

  static constexpr Index block = 64;

 private:
  [[nodiscard]] Interval points(Index block) const;

  Index inner_ = 0;
  double fourier_ = 0;
  Communicator& cluster_;
  Interval blocks_;  ///< of this rank
  Halo halo_;        ///< its items are points
  BlockSums sums_;
  std::vector<double> r_, z_, p_, q_;  ///< at all points; those of other ranks are not kept up to date
  std::vector<double> pivots_;         ///< of the factors of a block
};

}  // namespace conoid::heat_rod
