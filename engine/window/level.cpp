// SPDX-License-Identifier: BSD-3-Clause
// Leases and tours of a level; what a consumer's thread does.
#include "engine/window/level.hpp"

#include "engine/core/units.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>

#include <fmt/core.h>

namespace conoid::window_level {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t id = ++last;
  return id;
}

Bytes sum(const std::vector<Bytes>& sizes) {
  Bytes total = 0;
  for (const Bytes b : sizes) total += b;
  return total;
}

}  // namespace

Level::Level(std::string name, std::vector<Bytes> sizes, Bytes budget, std::shared_ptr<WindowBacking> backing,
             std::shared_ptr<WindowMemory> memory, int threads)
    : name_(std::move(name)), sizes_(std::move(sizes)), backing_(std::move(backing)), memory_(std::move(memory)),
      threads_(static_cast<std::size_t>(std::max(threads, 1))), total_(sum(sizes_)), budget_(budget),
      entries_(sizes_.size()) {
  for (const Bytes b : sizes_) verify(b > 0, "a window holds at least one byte");
  for (std::size_t t = 0; t < threads_; ++t) movers_.emplace_back([this] { move_windows(); });
}

Level::~Level() {
  {
    const Lock lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  movers_.clear();  // joins
  assert(leases_.empty());
  for (Entry& e : entries_)
    if (e.memory != nullptr) give_memory_back(e);
  drop_pool();
}

Bytes Level::budget() const {
  const Lock lock(mutex_);
  return budget_;
}

void Level::set_budget(Bytes budget) {
  {
    const Lock lock(mutex_);
    budget_ = budget;
    shrink();
  }
  work_.notify_all();
}

Tour Level::new_tour() {
  const Lock lock(mutex_);
  Tour tour;
  tour.level_ = this;
  tour.id_ = ++last_order_;
  orders_[tour.id_];
  return tour;
}

void Level::announce(std::uint64_t tour, std::vector<Visit> visits, Repeat repeat) {
  Order order;
  order.repeat = repeat;
  order.first.assign(sizes_.size() + 1, 0);
  for (const Visit& v : visits) {
    verify(v.window >= 0 && v.window < static_cast<Index>(sizes_.size()), "an announced window exists");
    ++order.first[static_cast<std::size_t>(v.window) + 1];
  }
  for (std::size_t w = 0; w < sizes_.size(); ++w) order.first[w + 1] += order.first[w];
  order.positions.resize(visits.size());
  std::vector<std::uint32_t> place(order.first.begin(), order.first.end() - 1);
  for (std::size_t k = 0; k < visits.size(); ++k)
    order.positions[place[static_cast<std::size_t>(visits[k].window)]++] = static_cast<std::uint32_t>(k);
  order.visits = std::move(visits);
  {
    const Lock lock(mutex_);
    orders_[tour] = std::move(order);
  }
  work_.notify_all();
}

void Level::withdraw(std::uint64_t tour) {
  {
    const Lock lock(mutex_);
    orders_.erase(tour);
  }
  work_.notify_all();
}

Index Level::Order::distance(Index window) const {
  const auto begin = positions.begin() + first[static_cast<std::size_t>(window)];
  const auto end = positions.begin() + first[static_cast<std::size_t>(window) + 1];
  if (begin == end) return never;
  const auto next = std::lower_bound(begin, end, static_cast<std::uint32_t>(at));
  if (next != end) return static_cast<Index>(*next) - static_cast<Index>(at);
  if (repeat == Repeat::no) return never;
  return static_cast<Index>(visits.size() - at) + static_cast<Index>(*begin);
}

void Level::Order::step() {
  if (++at == visits.size() && repeat == Repeat::yes) at = 0;
}

Result<Lease> Level::next(std::uint64_t tour) {
  Lock lock(mutex_);
  Order& order = orders_[tour];
  if (order.at >= order.visits.size())
    return make_error(ErrorCode::internal,
                      fmt::format("the announced order of the windows '{}' has come to its end", name_));
  const Visit visit = order.visits[order.at];
  order.step();
  return take(lock, visit.window, visit.access);
}

Result<Lease> Level::acquire(std::uint64_t tour, Index window, Access access) {
  Lock lock(mutex_);
  verify(window >= 0 && window < static_cast<Index>(sizes_.size()), "a leased window exists");
  Order& order = orders_[tour];
  if (!order.visits.empty()) {
    const Index ahead = order.distance(window);
    if (ahead != never) {
      order.at = (order.at + static_cast<std::size_t>(ahead)) % order.visits.size();
      order.step();
    }
  }
  return take(lock, window, access);
}

Result<Lease> Level::acquire(Index window, Access access) {
  Lock lock(mutex_);
  verify(window >= 0 && window < static_cast<Index>(sizes_.size()), "a leased window exists");
  return take(lock, window, access);
}

bool Level::grantable(const Entry& e, Access access) const {
  if (e.place != Place::here || e.writer) return false;
  if (access != Access::write && !e.filled) return false;
  return access == Access::read || (e.readers == 0 && !e.saving);
}

Result<Lease> Level::take(Lock& lock, Index window, Access access) {
  Entry& e = entry(window);
  std::optional<Error> refused;
  auto failed = [&] {
    if (failure_) {
      refused = failure_;
    } else if (e.failure) {
      refused = std::exchange(e.failure, std::nullopt);
    }
    return refused.has_value();
  };
  ++statistics_.acquired;
  if (!failed() && !grantable(e, access)) {
    const auto begin = Clock::now();
    const auto waiter = waiters_.insert(waiters_.end(), Waiter{window, access, this_thread(), false});
    if (e.place != Place::here || (!e.filled && access != Access::write)) ++statistics_.waited;
    ++e.wanted;
    if (access != Access::write) ++e.contents_wanted;
    work_.notify_all();
    done_.wait(lock, [&] { return failed() || waiter->given_up || grantable(e, access); });
    if (!refused && !grantable(e, access)) refused = no_room(*waiter);
    --e.wanted;
    if (access != Access::write) --e.contents_wanted;
    waiters_.erase(waiter);
    statistics_.waiting += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  if (refused) return *refused;
  if (access == Access::read)
    ++e.readers;
  else
    e.writer = true;
  e.visited = true;
  e.used = ++clock_;
  Lease lease;
  lease.level_ = this;
  lease.holder_ = this_thread();
  lease.memory_ = {e.memory, sizes_[static_cast<std::size_t>(window)]};
  lease.window_ = window;
  lease.access_ = access;
  ++leases_[lease.holder_];
  work_.notify_all();  // the order has moved on
  return lease;
}

void Level::release(std::uint64_t holder, Index window, Access access) {
  {
    const Lock lock(mutex_);
    Entry& e = entry(window);
    if (access == Access::read) {
      --e.readers;
    } else {
      e.writer = false;
      e.filled = e.changed = true;
    }
    const auto of_thread = leases_.find(holder);
    if (--of_thread->second == 0) leases_.erase(of_thread);
  }
  work_.notify_all();
  done_.notify_all();
}

Status Level::flush() {
  Lock lock(mutex_);
  ++flushing_;
  work_.notify_all();
  done_.wait(lock, [&] {
    return failure_ || std::none_of(entries_.begin(), entries_.end(),
                                    [](const Entry& e) { return e.saving || (e.changed && !e.writer); });
  });
  --flushing_;
  if (failure_) return *failure_;
  return {};
}

WindowStatistics Level::statistics() const {
  const Lock lock(mutex_);
  WindowStatistics out = statistics_;
  out.taken = in_use_ + in_pool_;
  return out;
}

Error Level::no_room(const Waiter& waiter) const {
  Bytes leased = 0;
  for (const Entry& e : entries_)
    if (e.readers > 0 || e.writer) leased += e.capacity;
  const Entry& e = entry(waiter.window);
  if (e.place == Place::here)
    return make_error(
        ErrorCode::internal,
        fmt::format("window {} of '{}' is leased by threads that wait for one another", waiter.window, name_),
        "Take windows in ascending order, and let a window go before taking it with another access.");
  const Bytes size = sizes_[static_cast<std::size_t>(waiter.window)];
  return make_error(ErrorCode::resources,
                    fmt::format("no room for window {} of '{}': it takes {}, {} are leased, {} {}", waiter.window,
                                name_, format_bytes(size), format_bytes(leased),
                                short_of_memory_ ? "the system gave" : "the budget is", format_bytes(budget_)),
                    fmt::format("Raise the memory budget to at least {} (compute.memory), or use smaller windows.",
                                format_bytes(leased + size)));
}

}  // namespace conoid::window_level
