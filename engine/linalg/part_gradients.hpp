// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients by the parts of a section, on all ranks: each part makes passes over its own items, and all get the same scalar
// products, of the same bits however items are dealt out.
#pragma once

#include <span>

#include "engine/cluster/block_sums.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/linalg/conjugate_gradients.hpp"
#include "engine/linalg/gradient_pass.hpp"
#include "engine/team/section.hpp"

namespace conoid {

/// Sums of blocks that parts put in place and add together.
class PartSums {
 public:
  PartSums(Index blocks, Interval own) : blocks_(blocks, own) {}
  /// One a block of this rank, each to be written anew before the next total.
  [[nodiscard]] std::span<double> own() {
    const Interval own = blocks_.own();
    return own.empty() ? std::span<double>() : std::span(&blocks_.at(own.begin), static_cast<std::size_t>(own.size()));
  }
  /// Called by all parts of all ranks, once their blocks are in place.
  [[nodiscard]] double total(Part& part, Communicator& cluster) {
    part.meet([&] { total_ = blocks_.total(cluster); });
    return total_;
  }

 private:
  BlockSums blocks_;
  double total_ = 0;  ///< read by all parts until they meet again
};

/// conjugate_gradients(), called by all parts of all ranks alike. pass(GradientPass, factor): the part's share of what ConjugatePasses says,
/// and, but for `direction`, the sums of its blocks in `sums`. exchange(): before each product, by one part while the others wait: what
/// parts and ranks need of each other's p, as by a Halo.
template <class Pass, class Exchange>
[[nodiscard]] ConjugateEnd conjugate_gradients(Part& part, Communicator& cluster, PartSums& sums, const Pass& pass,
                                               const Exchange& exchange, double share, Index longest) {
  struct Passes {
    Part& part;
    Communicator& cluster;
    PartSums& sums;
    const Pass& pass;
    const Exchange& exchange;
    double start() {
      pass(GradientPass::start, 0.0);
      return sums.total(part, cluster);
    }
    double product() {
      part.meet([this] { exchange(); });
      pass(GradientPass::product, 0.0);
      return sums.total(part, cluster);
    }
    double update(double alpha) {
      pass(GradientPass::update, alpha);
      return sums.total(part, cluster);
    }
    void direction(double beta) { pass(GradientPass::direction, beta); }
  } passes{part, cluster, sums, pass, exchange};
  return conjugate_gradients(passes, share, longest);
}

}  // namespace conoid
