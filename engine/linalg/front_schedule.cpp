// SPDX-License-Identifier: BSD-3-Clause
// What each finished task makes possible.
#include "engine/linalg/front_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace conoid {
namespace {

/// Subtrees a thread, at least, where the tree has them.
constexpr double subtrees_a_thread = 6;

}  // namespace

TreeShares share_out(const EliminationTree& tree, int threads, int ranks) {
  TreeShares out;
  const auto count = static_cast<int>(tree.fronts.size());
  std::vector<double>& work = out.work;
  work.resize(tree.fronts.size());
  std::vector<int> first(tree.fronts.size());
  std::vector<int> open;
  for (int f = 0; f < count; ++f) {
    first[f] = f;
    work[f] = tree.fronts[f].flops() + 1e4;
    for (const int c : tree.fronts[f].children) {
      work[f] += work[c];
      first[f] = std::min(first[f], first[c]);
    }
    if (tree.fronts[f].parent < 0) open.push_back(f);
  }
  const double all = std::accumulate(open.begin(), open.end(), 0.0, [&](double sum, int r) { return sum + work[r]; });
  const int workers = threads * ranks;
  // What is left of subtrees waits in memory: only threads need many to end together.
  const double share = workers == 1 ? 2 * all : all / ((threads == 1 ? 3 : subtrees_a_thread) * workers);
  while (!open.empty()) {
    const int f = open.back();
    open.pop_back();
    if (work[f] <= share) {
      out.subtrees.push_back({first[f], f});
    } else {
      out.above.push_back(f);
      open.insert(open.end(), tree.fronts[f].children.begin(), tree.fronts[f].children.end());
    }
  }
  std::sort(out.above.begin(), out.above.end());
  std::sort(out.subtrees.begin(), out.subtrees.end(),
            [&](const auto& a, const auto& b) { return std::tie(work[b[1]], a) < std::tie(work[a[1]], b); });
  return out;
}

/// A front whose children have been eliminated.
struct FrontSchedule::Open {
  explicit Open(const FrontTiles& t)
      : tiles(t), taken(static_cast<std::size_t>(t.count() * (t.count() + 1) / 2), -1), busy(taken.size(), false),
        factored(static_cast<std::size_t>(t.panels()), false), solved(static_cast<std::size_t>(t.count()), 0),
        unassembled(t.count()), unfinished(static_cast<Index>(taken.size())) {}
  [[nodiscard]] std::size_t at(Index i, Index j) const { return static_cast<std::size_t>(i * (i + 1) / 2 + j); }

  FrontTiles tiles;
  std::vector<std::int32_t> taken;  ///< panels whose products a tile at or below the diagonal has; −1: not filled
  std::vector<bool> busy;           ///< a task of the tile is ready or at work, or it is finished
  std::vector<bool> factored;       ///< diagonal tiles
  std::vector<Index> solved;        ///< tiles of the factor in each row, from the left
  Index unassembled, unfinished;
};

bool FrontSchedule::Entry::operator<(const Entry& o) const {
  return std::tie(o.behind, task.j, task.kind, task.i) < std::tie(behind, o.task.j, o.task.kind, o.task.i);
}

FrontSchedule::FrontSchedule(const EliminationTree& tree, const TreeShares& shares, std::vector<int> subtrees,
                             const std::vector<int>& above, int threads)
    : tree_(tree), shares_(shares), behind_(tree.fronts.size(), 0), missing_(tree.fronts.size(), -1) {
  open_.resize(tree.fronts.size());
  for (const int f : above) missing_[f] = 0;
  for (std::size_t k = above.size(); k-- > 0;) {
    const Front& front = tree.fronts[above[k]];
    behind_[above[k]] = front.flops() / threads + (front.parent < 0 ? 0 : behind_[front.parent]);
    if (front.parent >= 0 && missing_[front.parent] >= 0) ++missing_[front.parent];
  }
  for (const int s : subtrees) {
    const int parent = tree.fronts[shares.subtrees[s][1]].parent;
    if (parent >= 0 && missing_[parent] >= 0) ++missing_[parent];
  }
  left_ = static_cast<Index>(subtrees.size() + above.size());
  for (const int s : subtrees) push({FrontTask::Kind::subtree, s});
  for (const int f : above)
    if (missing_[f] == 0) push({FrontTask::Kind::open, f});
}

FrontSchedule::~FrontSchedule() = default;

void FrontSchedule::push(const FrontTask& task) {
  double behind = 0;
  if (task.kind == FrontTask::Kind::subtree) {
    const int root = shares_.subtrees[task.front][1], parent = tree_.fronts[root].parent;
    behind = shares_.work[root] + (parent < 0 ? 0 : behind_[parent]);
  } else {
    behind = behind_[task.front];
  }
  ready_.insert({behind, task});
}

std::optional<FrontTask> FrontSchedule::pop() {
  if (ended_ || ready_.empty()) return std::nullopt;
  const FrontTask task = ready_.begin()->task;
  ready_.erase(ready_.begin());
  return task;
}

std::optional<FrontTask> FrontSchedule::ready() {
  const std::scoped_lock lock(mutex_);
  return pop();
}

std::optional<FrontTask> FrontSchedule::next() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  more_.wait(lock, [&] { return ended_ || left_ == 0 || !ready_.empty(); });
  --waiting_;
  return pop();
}

void FrontSchedule::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  more_.notify_all();
}

/// The next task of a tile, where what it needs is there.
void FrontSchedule::consider(int front, Index i, Index j) {
  Open& o = *open_[front];
  const std::size_t at = o.at(i, j);
  const Index taken = o.taken[at], panels = o.tiles.panels();
  if (o.busy[at] || taken < 0) return;
  if (taken < o.tiles.depth(j)) {
    const Index to = o.tiles.next(j, taken);
    if (o.solved[i] < to || o.solved[j] < to) return;
    push({FrontTask::Kind::update, front, i, j, taken, to});
  } else if (j >= panels) {
    --o.unfinished;
  } else if (i == j) {
    push({FrontTask::Kind::diagonal, front, i, j});
  } else if (o.factored[j]) {
    push({FrontTask::Kind::solve, front, i, j});
  } else {
    return;
  }
  o.busy[at] = true;
}

/// Tile (i, k) of the factor is there.
void FrontSchedule::solved(int front, Index i, Index k) {
  Open& o = *open_[front];
  o.solved[i] = k + 1;
  for (Index j = k + 1; j <= i; ++j) consider(front, i, j);
  for (Index below = i + 1; below < o.tiles.count(); ++below) consider(front, below, i);
}

void FrontSchedule::finish(int front) {
  --left_;
  const int parent = tree_.fronts[front].parent;
  if (parent >= 0 && missing_[parent] > 0 && --missing_[parent] == 0) push({FrontTask::Kind::open, parent});
}

bool FrontSchedule::done(const FrontTask& task) {
  const std::scoped_lock lock(mutex_);
  const std::size_t before = ready_.size();
  bool taken_in = false;
  if (task.kind == FrontTask::Kind::subtree) {
    finish(shares_.subtrees[task.front][1]);
  } else if (task.kind == FrontTask::Kind::open) {
    const Front& front = tree_.fronts[task.front];
    open_[task.front] = std::make_unique<Open>(FrontTiles{front.size(), front.pivots()});
    for (Index j = 0; j < open_[task.front]->tiles.count(); ++j) push({FrontTask::Kind::assemble, task.front, j, j});
  } else {
    Open& o = *open_[task.front];
    const Index tiles = o.tiles.count();
    switch (task.kind) {
      case FrontTask::Kind::assemble:
        taken_in = --o.unassembled == 0;
        for (Index i = task.j; i < tiles; ++i) {
          o.taken[o.at(i, task.j)] = 0;
          consider(task.front, i, task.j);
        }
        break;
      case FrontTask::Kind::diagonal:
        --o.unfinished;
        o.factored[task.j] = true;
        for (Index i = task.j + 1; i < tiles; ++i) consider(task.front, i, task.j);
        break;
      case FrontTask::Kind::solve:
        --o.unfinished;
        solved(task.front, task.i, task.j);
        break;
      default:
        o.taken[o.at(task.i, task.j)] = static_cast<std::int32_t>(task.last);
        o.busy[o.at(task.i, task.j)] = false;
        consider(task.front, task.i, task.j);
    }
    if (o.unfinished == 0) {
      open_[task.front].reset();
      finish(task.front);
    }
  }
  if (left_ == 0)
    more_.notify_all();
  else  // who is done takes one itself
    for (std::size_t k = before + 1; k < ready_.size() && k <= before + static_cast<std::size_t>(waiting_); ++k)
      more_.notify_one();
  return taken_in;
}

double FrontSchedule::flops(const FrontTask& task) const {
  if (task.kind == FrontTask::Kind::subtree) return shares_.work[shares_.subtrees[task.front][1]];
  const Front& front = tree_.fronts[task.front];
  const FrontTiles t{front.size(), front.pivots()};
  const auto rows = static_cast<double>(t.rows(task.i)), width = static_cast<double>(t.rows(task.j));
  switch (task.kind) {
    case FrontTask::Kind::diagonal: return 8 * width * width * width / 6;
    case FrontTask::Kind::solve: return 8 * rows * width * width / 2;
    case FrontTask::Kind::update:
      return 8 * rows * width * static_cast<double>(t.end(task.last - 1) - t.begin(task.first));
    default: return 0;
  }
}

}  // namespace conoid
