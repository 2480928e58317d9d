// SPDX-License-Identifier: BSD-3-Clause
// One level's state and its movers: which window to load, which to write back, which to let go.
#pragma once

#include "engine/window/windows.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace conoid::window_level {

class Level {
 public:
  Level(std::string name, std::vector<Bytes> sizes, Bytes budget, std::shared_ptr<WindowBacking> backing,
        std::shared_ptr<WindowMemory> memory, int threads);
  ~Level();
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  [[nodiscard]] const std::vector<Bytes>& sizes() const { return sizes_; }
  [[nodiscard]] Bytes total() const { return total_; }
  [[nodiscard]] Bytes budget() const;
  void set_budget(Bytes budget);
  [[nodiscard]] Tour new_tour();
  void announce(std::uint64_t tour, std::vector<Visit> order, Repeat repeat);
  void withdraw(std::uint64_t tour);
  [[nodiscard]] Result<Lease> next(std::uint64_t tour);
  [[nodiscard]] Result<Lease> acquire(std::uint64_t tour, Index window, Access access);
  [[nodiscard]] Result<Lease> acquire(Index window, Access access);
  void release(std::uint64_t holder, Index window, Access access);
  [[nodiscard]] Status flush();
  [[nodiscard]] WindowStatistics statistics() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  static constexpr Index never = std::numeric_limits<Index>::max();

  enum class Place : std::uint8_t { below, coming, here };
  struct Entry {
    std::byte* memory = nullptr;
    Bytes capacity = 0;
    Place place = Place::below;
    bool filled = false;   ///< its memory holds the contents
    bool changed = false;  ///< differs from what lies below
    bool saving = false;
    bool writer = false;
    bool visited = false;  ///< since it came
    int readers = 0;
    int wanted = 0;           ///< threads waiting for it
    int contents_wanted = 0;  ///< of these: not only to overwrite it
    std::uint64_t used = 0;
    std::optional<Error> failure;
  };
  struct Order {
    std::vector<Visit> visits;
    Repeat repeat = Repeat::no;
    std::size_t at = 0;
    std::vector<std::uint32_t> first;  ///< per window, where its positions begin
    std::vector<std::uint32_t> positions;
    /// Visits from here to the next one of a window; `never` if there is none.
    [[nodiscard]] Index distance(Index window) const;
    void step();
  };
  struct Waiter {
    Index window = 0;
    Access access = Access::read;
    std::uint64_t thread = 0;
    bool given_up = false;
  };
  struct Task {
    enum { none, load, save } kind = none;
    Index window = 0;
    bool contents = true;        ///< load: bring them, or only take memory
    std::vector<Index> leaving;  ///< load: windows that make room
  };
  struct Candidate {
    Index window = 0;
    Index distance = 0;
    bool contents = true;
  };

  [[nodiscard]] Entry& entry(Index w) { return entries_[static_cast<std::size_t>(w)]; }
  [[nodiscard]] const Entry& entry(Index w) const { return entries_[static_cast<std::size_t>(w)]; }
  [[nodiscard]] Result<Lease> take(Lock& lock, Index window, Access access);
  [[nodiscard]] bool grantable(const Entry& e, Access access) const;
  [[nodiscard]] Index next_use(Index window) const;
  [[nodiscard]] std::vector<Candidate> candidates() const;
  [[nodiscard]] Task plan() const;
  void break_deadlock();
  [[nodiscard]] Error no_room(const Waiter& waiter) const;
  [[nodiscard]] bool make_room(const Task& task);
  void give_memory_back(Entry& e);
  void drop_pool();
  void shrink();
  void perform(Lock& lock, const Task& task);
  void tell_backing();
  void move_windows();

  const std::string name_;
  const std::vector<Bytes> sizes_;
  const std::shared_ptr<WindowBacking> backing_;
  const std::shared_ptr<WindowMemory> memory_;
  const std::size_t threads_;
  Bytes total_ = 0;

  mutable std::mutex mutex_;  ///< of everything below
  std::condition_variable work_;
  std::condition_variable done_;
  Bytes budget_;
  bool short_of_memory_ = false;  ///< the system gave less than the budget
  std::vector<Entry> entries_;
  std::map<std::uint64_t, Order> orders_;
  std::uint64_t last_order_ = 0;
  std::list<Waiter> waiters_;
  std::map<std::uint64_t, int> leases_;  ///< a thread
  std::multimap<Bytes, std::byte*> pool_;
  Bytes in_use_ = 0;  ///< by windows
  Bytes in_pool_ = 0;
  std::optional<Error> failure_;
  std::vector<Index> expected_;
  std::uint64_t clock_ = 0;
  int under_way_ = 0;
  int flushing_ = 0;
  bool closing_ = false;
  WindowStatistics statistics_;
  std::vector<std::jthread> movers_;
};

}  // namespace conoid::window_level
