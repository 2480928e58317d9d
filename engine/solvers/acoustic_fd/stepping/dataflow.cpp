// SPDX-License-Identifier: BSD-3-Clause
// Dependency counters.
#include "engine/solvers/acoustic_fd/stepping/dataflow.hpp"

#include "engine/simd/subnormals.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace conoid::acoustic_fd {
namespace {

class Dataflow final : public Phase {
 public:
  Dataflow(const Tiling& tiling, PatchSink& sink, Work work)
      : tiling_(tiling), sink_(sink), work_(work), by_number_(tiling.by_number()), left_(tiling.tiles()) {
    waiting_.resize(static_cast<std::size_t>(left_));
    for (Index t = left_; t-- > 0;) {
      waiting_[static_cast<std::size_t>(t)] = tiling.predecessors(t);
      if (waiting_[static_cast<std::size_t>(t)] == 0) put(t);
    }
  }
  [[nodiscard]] std::string_view name() const override { return "march"; }
  [[nodiscard]] Index items() const override { return tiling_.tiles(); }
  [[nodiscard]] Work work(Interval items) const override {
    const double share = static_cast<double>(items.size()) / static_cast<double>(std::max<Index>(1, tiling_.tiles()));
    return {share * work_.flops, share * work_.bytes};
  }
  /// The share of a worker is what it manages to take; the interval does not bind it.
  void run(CpuWorker& worker, Interval /*items*/) override {
    worker.for_each({0, worker.threads()}, 1, [&](Interval, int) { draw(); });
  }

 private:
  void draw() {
    const FlushSubnormals flush;
    std::vector<Index> next;
    Index own = none;  // follows the tile that was finished here, and shares most with it
    std::unique_lock lock(mutex_);
    while (left_ > 0) {
      if (own == none && free_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const Index tile = own == none ? take() : std::exchange(own, none);
      lock.unlock();
      try {
        tiling_.run(tile, sink_);
      } catch (...) {
        lock.lock();
        left_ = 0;
        changed_.notify_all();
        throw;
      }
      next.clear();
      tiling_.successors(tile, next);
      lock.lock();
      if (left_ == 0) break;  // another thread failed
      --left_;
      std::size_t freed = 0;
      for (const Index t : next)
        if (--waiting_[static_cast<std::size_t>(t)] == 0) {
          if (t == next.back())
            own = t;
          else
            put(t);
          ++freed;
        }
      if (left_ == 0)
        changed_.notify_all();
      else
        for (std::size_t i = 1; i < freed; ++i) changed_.notify_one();  // one of them is taken here
    }
  }
  void put(Index tile) {
    free_.push_back(tile);
    if (by_number_) std::push_heap(free_.begin(), free_.end(), std::greater<>());
  }
  Index take() {  // else last in, first out: what it needs was touched last
    if (by_number_) std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    const Index tile = free_.back();
    free_.pop_back();
    return tile;
  }

  static constexpr Index none = -1;
  const Tiling& tiling_;
  PatchSink& sink_;
  Work work_;
  bool by_number_;  ///< free_ is a heap
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> waiting_;
  std::vector<Index> free_;
  Index left_;
};

}  // namespace

void run_tiles(const Tiling& tiling, PatchSink& sink, Team& team, Work work) {
  Dataflow phase(tiling, sink, work);
  team.run(phase);
}

}  // namespace conoid::acoustic_fd
