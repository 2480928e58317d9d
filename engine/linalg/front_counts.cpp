// SPDX-License-Identifier: BSD-3-Clause
// Memory over the course of an elimination, by a model of who does what when.
#include "engine/linalg/front_counts.hpp"

#include "engine/linalg/elimination_tree.hpp"
#include "engine/linalg/front_schedule.hpp"

#include <algorithm>
#include <queue>
#include <vector>

namespace conoid {
namespace {

/// A subtree, or a front above them, at work on a thread until `end`.
struct AtWork {
  double end;
  int front, last;
  bool operator<(const AtWork& o) const { return end > o.end; }
};

class Course {
 public:
  Course(const EliminationTree& tree, const TreeShares& shares, int threads)
      : tree_(tree), shares_(shares), threads_(threads), missing_(tree.fronts.size(), 0),
        behind_(tree.fronts.size(), 0) {
    for (std::size_t k = shares.above.size(); k-- > 0;) {
      const int f = shares.above[k];
      behind_[f] = tree.fronts[f].flops() / threads + above(f);
      missing_[f] = static_cast<int>(tree.fronts[f].children.size());
      if (missing_[f] == 0) ready_.push({behind_[f], f, f});
    }
    for (const auto& s : shares.subtrees) ready_.push({shares.work[s[1]] + above(s[1]), s[0], s[1]});
  }
  /// Numbers at the fullest.
  Index run() {
    std::priority_queue<AtWork> busy;
    double now = 0;
    while (!ready_.empty() || !busy.empty()) {
      while (!ready_.empty() && busy.size() < static_cast<std::size_t>(threads_)) {
        const Ready next = ready_.top();
        ready_.pop();
        busy.push({now + begin(next.first, next.first == next.last && is_above(next.first)), next.first, next.last});
      }
      const AtWork done = busy.top();
      busy.pop();
      now = done.end;
      if (done.front < done.last) {
        busy.push({now + begin(done.front + 1, false), done.front + 1, done.last});
        continue;
      }
      const int parent = tree_.fronts[done.front].parent;
      if (parent >= 0 && --missing_[parent] == 0) ready_.push({behind_[parent], parent, parent});
    }
    return most_;
  }

 private:
  struct Ready {
    double behind;
    int first, last;
    bool operator<(const Ready& o) const { return behind < o.behind; }
  };
  [[nodiscard]] double above(int f) const {
    const int parent = tree_.fronts[f].parent;
    return parent < 0 ? 0 : behind_[parent];
  }
  [[nodiscard]] bool is_above(int f) const { return behind_[f] > 0; }
  /// What a front takes when it is filled, and what its children give back then; how long it will be at work.
  double begin(int f, bool by_all) {
    const auto rest = [&](int k) {
      const auto r = static_cast<Index>(tree_.fronts[k].rows.size());
      return r * r;
    };
    const Front& front = tree_.fronts[f];
    held_ += rest(f) + front.size() * front.pivots();
    most_ = std::max(most_, held_);
    for (const int c : front.children) held_ -= rest(c);
    // Filling a front takes as long as some products a number of it.
    constexpr double filling = 60;
    return (front.flops() + filling * static_cast<double>(front.size() * front.size())) / (by_all ? threads_ : 1);
  }

  const EliminationTree& tree_;
  const TreeShares& shares_;
  int threads_;
  std::vector<int> missing_;  ///< children of fronts above that are not eliminated
  std::vector<double> behind_;
  std::priority_queue<Ready> ready_;
  Index held_ = 0, most_ = 0;
};

}  // namespace

Index fullest_numbers(const EliminationTree& tree, const TreeShares& shares, int threads) {
  return Course(tree, shares, std::max(1, threads)).run();
}

}  // namespace conoid
