// SPDX-License-Identifier: BSD-3-Clause
// Which thread may do what next while the fronts of a symmetric matrix are eliminated: subtrees by one thread each, the fronts above them
// in tiles, a task each, as soon as what it needs is there, so that the few fronts near the root keep all threads at work (tiled
// factorisation with look-ahead: A. Buttari, J. Langou, J. Kurzak, J. Dongarra, Parallel Computing 35 (2009) 38).
#pragma once

#include "engine/linalg/elimination_tree.hpp"

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace conoid {

/// A front of n rows, p of them pivots, in tiles: pivots by `panel`, the rest by `tile` rows. Every tile takes the products of panels from
/// left to right in steps that depend on its column alone: numbers do not depend on who computes them, nor when.
struct FrontTiles {
  static constexpr Index panel = 96, tile = 192;  // of the product's kernel: its columns, its depth
  Index n = 0, p = 0;
  [[nodiscard]] Index panels() const { return (p + panel - 1) / panel; }
  [[nodiscard]] Index count() const { return panels() + (n - p + tile - 1) / tile; }
  [[nodiscard]] Index begin(Index t) const { return t < panels() ? t * panel : std::min(n, p + (t - panels()) * tile); }
  [[nodiscard]] Index end(Index t) const {
    return t < panels() ? std::min(p, (t + 1) * panel) : std::min(n, begin(t) + tile);
  }
  [[nodiscard]] Index rows(Index t) const { return end(t) - begin(t); }
  /// Panels that column t of tiles takes in all.
  [[nodiscard]] Index depth(Index t) const { return std::min(t, panels()); }
  /// Having taken `taken` panels, it takes those up to this one next: several at a time, but the last before a pivot's column alone, since
  /// the next panel waits for it.
  [[nodiscard]] Index next(Index t, Index taken) const {
    if (t >= panels()) return std::min(taken + 4, panels());
    return taken + 2 < t ? taken + 2 : taken + 1;
  }
};

/// Subtrees for single threads, whose work is a small share of the whole each, and the fronts above, ascending.
struct TreeShares {
  std::vector<std::array<int, 2>> subtrees;  ///< first and last front, the one with most work first
  std::vector<int> above;
  std::vector<double> work;  ///< of each front with all below it, in flops
};
[[nodiscard]] TreeShares share_out(const EliminationTree& tree, int threads, int ranks);

struct FrontTask {
  /// open: memory and places of the rows of what is below; assemble: column `j` of tiles is filled; diagonal, solve: tile (i, j) of
  /// the factor; update: tile (i, j) takes the products of panels [first, last).
  enum class Kind : std::uint8_t { subtree, open, assemble, diagonal, solve, update };
  Kind kind = Kind::subtree;
  int front = 0;  ///< or the number of a subtree
  Index i = 0, j = 0, first = 0, last = 0;
};

/// Hands out tasks, those first behind which most work waits. All members may be called by several threads at once.
class FrontSchedule {
 public:
  /// Of `shares` the given subtrees and fronts; children that are not among them have been eliminated. `tree` and `shares` must outlive it.
  FrontSchedule(const EliminationTree& tree, const TreeShares& shares, std::vector<int> subtrees,
                const std::vector<int>& above, int threads);
  ~FrontSchedule();

  /// Waits for a task; none: everything is done, or ended.
  [[nodiscard]] std::optional<FrontTask> next();
  /// A task, where there is one now.
  [[nodiscard]] std::optional<FrontTask> ready();
  /// True: what lies below the task's front has been taken into it, and may go.
  bool done(const FrontTask& task);
  /// No more tasks for anyone.
  void end();
  /// Flops of a task; of `open` and `assemble`, which move numbers, 0.
  [[nodiscard]] double flops(const FrontTask& task) const;

 private:
  struct Open;
  struct Entry {
    double behind;
    FrontTask task;
    bool operator<(const Entry& o) const;
  };
  void push(const FrontTask& task);
  void consider(int front, Index i, Index j);
  void solved(int front, Index i, Index k);
  void finish(int front);
  std::optional<FrontTask> pop();

  const EliminationTree& tree_;
  const TreeShares& shares_;
  std::vector<double> behind_;  ///< of each front: flops of the path to the root, by all threads
  std::vector<int> missing_;    ///< children that have not been eliminated; −1: not a front of this schedule
  std::vector<std::unique_ptr<Open>> open_;
  std::multiset<Entry> ready_;
  Index left_ = 0;  ///< subtrees and fronts
  int waiting_ = 0;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable more_;
};

}  // namespace conoid
