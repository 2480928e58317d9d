// SPDX-License-Identifier: BSD-3-Clause
// The movers of a level: planning under the lock, moving outside it.
#include "engine/window/level.hpp"

#include <algorithm>

namespace conoid::window_level {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Bytes granule = 4096;
constexpr Index farthest_look = 256;  // visits ahead
constexpr std::size_t hints = 8;

Bytes rounded(Bytes bytes) {
  return (bytes + granule - 1) / granule * granule;
}

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Index Level::next_use(Index window) const {
  if (entry(window).wanted > 0) return -1;
  Index nearest = never;
  for (const auto& [id, order] : orders_)
    if (!order.visits.empty()) nearest = std::min(nearest, order.distance(window));
  return nearest;
}

/// What should come, soonest first: windows that threads stand waiting for, then those next in the tours.
std::vector<Level::Candidate> Level::candidates() const {
  std::vector<Candidate> out;
  auto add = [&](const Candidate& c) {
    if (std::none_of(out.begin(), out.end(), [&](const Candidate& o) { return o.window == c.window; }))
      out.push_back(c);
  };
  for (const Waiter& w : waiters_) {
    const Entry& e = entry(w.window);
    if (e.failure || e.place == Place::coming) continue;
    const bool needs_contents = e.contents_wanted > 0;
    if (e.place == Place::below || (needs_contents && !e.filled && !e.writer)) add({w.window, -1, needs_contents});
  }
  const std::size_t most = threads_ + 1;
  const std::size_t demanded = out.size();
  for (const auto& [id, order] : orders_) {
    const std::size_t n = order.visits.size();
    std::size_t found = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(n, farthest_look) && found < most; ++k) {
      if (order.at + k >= n && order.repeat == Repeat::no) break;
      const Visit& v = order.visits[(order.at + k) % n];
      const Entry& e = entry(v.window);
      if (e.place != Place::below || e.failure) continue;
      add({v.window, static_cast<Index>(k), v.access != Access::write});
      ++found;
    }
  }
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(demanded), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  return out;
}

Level::Task Level::plan() const {
  const std::vector<Candidate> wishes = candidates();
  struct Victim {
    Index window = 0, next = 0;
  };
  std::vector<Victim> victims;
  if (!wishes.empty()) {
    for (std::size_t w = 0; w < entries_.size(); ++w) {
      const Entry& e = entries_[w];
      if (e.place != Place::here || e.readers > 0 || e.writer) continue;
      if (e.changed && failure_) continue;
      victims.push_back({static_cast<Index>(w), next_use(static_cast<Index>(w))});
    }
    std::sort(victims.begin(), victims.end(), [&](const Victim& a, const Victim& b) {
      return a.next != b.next ? a.next > b.next : entry(a.window).used < entry(b.window).used;
    });
  }
  // Windows that wait for their visit take room from those that stay between two visits, so only a few may: enough to keep
  // the movers busy while a consumer's time varies.
  const auto ready = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) {
    return e.wanted == 0 && (e.place == Place::coming || (e.place == Place::here && !e.visited));
  }));
  // Each wish counts the memory that the ones before it are still waiting for.
  Bytes need = in_use_ > budget_ ? in_use_ - budget_ : 0;
  std::size_t looked_at = 0;
  for (const Candidate& wish : wishes) {
    if (wish.distance >= 0 && looked_at++ > threads_) break;
    Task task;
    task.window = wish.window;
    task.contents = wish.contents;
    if (entry(wish.window).place == Place::here) {  // its memory is there already
      task.kind = Task::load;
      return task;
    }
    need += rounded(sizes_[static_cast<std::size_t>(wish.window)]);
    Bytes room = budget_ > in_use_ ? budget_ - in_use_ : 0;
    bool under_way = false;
    const Victim* to_save = nullptr;
    for (const Victim& v : victims) {
      if (room >= need || v.next <= wish.distance) break;
      if (wish.distance >= 0 && ready > threads_ && v.next != never) break;
      const Entry& e = entry(v.window);
      room += e.capacity;
      if (e.saving)
        under_way = true;
      else if (e.changed && to_save == nullptr)
        to_save = &v;
      task.leaving.push_back(v.window);
    }
    if (room < need) {  // what nobody can serve now must not keep others waiting
      if (wish.distance < 0) need -= rounded(sizes_[static_cast<std::size_t>(wish.window)]);
      continue;
    }
    if (to_save != nullptr) return {Task::save, to_save->window, true, {}};
    if (under_way) continue;
    task.kind = Task::load;
    return task;
  }
  if (flushing_ > 0 && !failure_)
    for (std::size_t w = 0; w < entries_.size(); ++w) {
      const Entry& e = entries_[w];
      if (e.place == Place::here && e.changed && !e.saving && !e.writer)
        return {Task::save, static_cast<Index>(w), true, {}};
    }
  return {};
}

/// Nothing moves, nobody can be served, and whoever holds a lease waits: the youngest waiter gives up.
void Level::break_deadlock() {
  if (waiters_.empty() || under_way_ > 0) return;
  for (const Waiter& w : waiters_)
    if (w.given_up || entry(w.window).failure || grantable(entry(w.window), w.access)) return;
  for (const auto& [thread, count] : leases_)
    if (std::none_of(waiters_.begin(), waiters_.end(), [t = thread](const Waiter& w) { return w.thread == t; })) return;
  waiters_.back().given_up = true;
  done_.notify_all();
}

void Level::give_memory_back(Entry& e) {
  in_use_ -= e.capacity;
  in_pool_ += e.capacity;
  pool_.emplace(e.capacity, e.memory);
  if (!e.visited && e.filled) ++statistics_.unused;
  e.memory = nullptr;
  e.capacity = 0;
  e.place = Place::below;
  e.filled = e.changed = e.visited = false;
}

void Level::drop_pool() {
  for (const auto& [capacity, memory] : pool_) memory_->release(memory, capacity);
  pool_.clear();
  in_pool_ = 0;
}

/// Back to the budget at once, as far as windows that nobody holds or changed reach: the farthest next visit first.
void Level::shrink() {
  if (in_use_ + in_pool_ > budget_) drop_pool();
  if (in_use_ <= budget_) return;
  std::vector<std::pair<Index, Index>> idle;  // next use, window
  for (std::size_t w = 0; w < entries_.size(); ++w) {
    const Entry& e = entries_[w];
    if (e.place == Place::here && e.readers == 0 && !e.writer && !e.changed && !e.saving && e.wanted == 0)
      idle.emplace_back(next_use(static_cast<Index>(w)), static_cast<Index>(w));
  }
  std::sort(idle.begin(), idle.end());
  for (; in_use_ > budget_ && !idle.empty(); idle.pop_back()) give_memory_back(entry(idle.back().second));
  drop_pool();
}

/// Lets windows leave and takes memory. False if the system has none left; the budget is then what is in use.
bool Level::make_room(const Task& task) {
  for (const Index w : task.leaving) give_memory_back(entry(w));
  Entry& e = entry(task.window);
  if (e.memory != nullptr) return true;
  const Bytes capacity = rounded(sizes_[static_cast<std::size_t>(task.window)]);
  // A buffer of nearly the size is taken again: the system would have to clear new pages.
  const auto fitting = pool_.lower_bound(capacity);
  if (fitting != pool_.end() && fitting->first <= capacity + capacity / 8 && in_use_ + fitting->first <= budget_) {
    e.memory = fitting->second;
    e.capacity = fitting->first;
    in_pool_ -= e.capacity;
    pool_.erase(fitting);
  } else {
    while (!pool_.empty() && in_use_ + in_pool_ + capacity > budget_) {
      const auto largest = std::prev(pool_.end());
      memory_->release(largest->second, largest->first);
      in_pool_ -= largest->first;
      pool_.erase(largest);
    }
    auto* memory = static_cast<std::byte*>(memory_->allocate(capacity));
    if (memory == nullptr) {
      drop_pool();
      memory = static_cast<std::byte*>(memory_->allocate(capacity));
    }
    if (memory == nullptr) {
      budget_ = in_use_;
      short_of_memory_ = true;
      return false;
    }
    e.memory = memory;
    e.capacity = capacity;
  }
  in_use_ += e.capacity;
  statistics_.peak = std::max(statistics_.peak, in_use_ + in_pool_);
  return true;
}

void Level::perform(Lock& lock, const Task& task) {
  Entry& e = entry(task.window);
  const Bytes size = sizes_[static_cast<std::size_t>(task.window)];
  if (task.kind == Task::load) {
    if (!make_room(task)) return;
    if (!task.contents) {
      e.place = Place::here;
      return;
    }
    e.place = Place::coming;
  } else {
    e.saving = true;
  }
  ++under_way_;
  lock.unlock();
  const auto begin = Clock::now();
  Status status;
  try {
    status = task.kind == Task::load ? backing_->load(task.window, {e.memory, size})
                                     : backing_->save(task.window, {e.memory, size});
  } catch (...) {
    status = current_exception_as_error();
  }
  const double seconds = since(begin);
  lock.lock();
  --under_way_;
  if (task.kind == Task::load) {
    statistics_.loading += seconds;
    if (status) {
      e.place = Place::here;
      e.filled = true;
      ++statistics_.loads;
      statistics_.loaded += size;
    } else {
      give_memory_back(e);
      e.failure = status.error();
    }
  } else {
    statistics_.saving += seconds;
    e.saving = false;
    if (status) {
      e.changed = false;
      ++statistics_.saves;
      statistics_.saved += size;
    } else if (!failure_) {
      failure_ = status.error();
    }
  }
}

void Level::tell_backing() {
  std::vector<Index> soon;
  for (const Candidate& c : candidates())
    if (c.contents && soon.size() < hints) soon.push_back(c.window);
  if (soon == expected_) return;
  expected_ = soon;
  backing_->expect(expected_);
}

void Level::move_windows() {
  Lock lock(mutex_);
  for (;;) {
    if (closing_) return;
    const Task task = plan();
    if (task.kind == Task::none) {
      break_deadlock();
      work_.wait(lock);
      continue;
    }
    tell_backing();
    perform(lock, task);
    done_.notify_all();
    work_.notify_all();
  }
}

}  // namespace conoid::window_level
