// SPDX-License-Identifier: BSD-3-Clause
// A sum whose bits depend neither on the threads nor on the ranks that add it.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// Items are cut into blocks that are the same for every run; each rank has an interval of them. Whoever computes a block adds its items
/// in their order and puts the sum into at(block); total() then adds blocks in theirs. Sums of blocks of other ranks arrive unchanged,
/// since to each of them every rank but one adds zero. Blocks may be written by several threads at once, each its own.
class BlockSums {
 public:
  BlockSums(Index blocks, Interval own) : own_(own), sums_(static_cast<std::size_t>(blocks), 0.0) {}

  [[nodiscard]] double& at(Index block) { return sums_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] Interval own() const { return own_; }

  /// Collective. The values of own blocks are used up: each must be written anew before the next total.
  [[nodiscard]] double total(Communicator& cluster) {
    start(cluster);
    return finish(cluster);
  }
  /// The same without waiting; at() is left alone in between.
  void start(Communicator& cluster) {
    for (Index b = 0; b < static_cast<Index>(sums_.size()); ++b)
      if (b < own_.begin || b >= own_.end) at(b) = 0;
    cluster.start_sum(sums_);
  }
  [[nodiscard]] double finish(Communicator& cluster) {
    cluster.finish_sum();
    return std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

 private:
  Interval own_;
  std::vector<double> sums_;
};

}  // namespace conoid
