// SPDX-License-Identifier: BSD-3-Clause
// Calculation windows: data bigger than a memory, cut into windows that are brought in before they are needed and written
// back when they are done.
//
// A level (Windows) keeps as many windows in its memory as the budget allows. Below it lies a backing: a file under the
// memory of the host (disk_windows.hpp), the host's level under the memory of a device (device_windows.hpp). A consumer
//
//   1. announces in which order it will visit the windows:  Tour tour = windows.announce(order, Repeat::yes);
//   2. takes them one by one:                                Result<Lease> lease = tour.next();
//   3. uses lease->read<float>() or lease->write<float>();
//   4. lets the lease go, after which the window may leave.
//
// What comes next is loaded by the level's own threads; what leaves is the window whose next announced visit is farthest
// away (Belady, IBM Systems Journal 5 (1966) 78: the fewest loads), written back first if it was changed.
//
// Threads: all members may be called from any thread. A lease belongs to the thread that took it until it is let go (it may
// be let go elsewhere). A thread that holds leases may take more; if all holders wait for memory that none of them will
// give up, one of them gets an error of code `resources` that says how much would have been enough: never a hang.
// Errors: a window that cannot be read, or is damaged, is an error of its next acquire and may be tried again; a failed
// write stays (the window remains in memory, nothing is lost) and is the answer of every later acquire and flush.
// Limits: a window is at least 1 byte; a single window must fit the budget.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace conoid {

enum class Access : std::uint8_t {
  read,   ///< contents stay; any number of leases at a time
  write,  ///< contents are replaced as a whole (unspecified before that, so nothing is loaded); the only lease
  update  ///< contents are changed; the only lease
};

struct Visit {
  Index window = 0;
  Access access = Access::read;
};

/// Whether an announced order begins again when it has been gone through.
enum class Repeat : bool { no, yes };

/// Counted since the level was made.
struct WindowStatistics {
  std::uint64_t acquired = 0;  ///< leases
  std::uint64_t waited = 0;    ///< of these: the window was not there yet
  double waiting = 0;          ///< seconds that consumers stood still, summed over threads
  std::uint64_t loads = 0;     ///< windows brought in
  std::uint64_t saves = 0;     ///< windows written back
  std::uint64_t unused = 0;    ///< windows brought in that left without having been visited
  Bytes loaded = 0;            ///< bytes brought in
  Bytes saved = 0;             ///< bytes written back
  double loading = 0;          ///< seconds, summed over the level's threads
  double saving = 0;
  Bytes taken = 0;  ///< memory taken now, buffers kept for the next window included
  Bytes peak = 0;   ///< most memory taken at a time
};

/// Where a level's windows come from and go to. Called from the level's threads, never twice at a time for one window.
/// Memory handed in reaches to the next multiple of 4096 bytes behind the window.
class WindowBacking {
 public:
  virtual ~WindowBacking() = default;
  /// Fills the memory of a window. A window never saved is all zero bytes.
  [[nodiscard]] virtual Status load(Index window, std::span<std::byte> memory) = 0;
  [[nodiscard]] virtual Status save(Index window, std::span<const std::byte> memory) = 0;
  /// The windows that will be loaded next, soonest first. A hint, called often.
  virtual void expect(std::span<const Index>) {}
};

/// Where a level's windows live: memory of the host, page-locked memory, memory of a device.
class WindowMemory {
 public:
  virtual ~WindowMemory() = default;
  /// Null when there is none left; aligned to 4096 bytes on the host.
  [[nodiscard]] virtual void* allocate(Bytes bytes) = 0;
  virtual void release(void* memory, Bytes bytes) noexcept = 0;
};

/// Memory of the host from the system, in large pages where it has them.
[[nodiscard]] std::shared_ptr<WindowMemory> host_memory();

namespace window_level {
class Level;
}

/// A pinned window. Moves; letting it go (destructor or release()) marks the window changed unless it was only read.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : level_(std::exchange(other.level_, nullptr)), holder_(other.holder_), memory_(other.memory_),
        window_(other.window_), access_(other.access_) {}
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { release(); }
  void release();

  explicit operator bool() const { return level_ != nullptr; }
  [[nodiscard]] Index window() const { return window_; }
  [[nodiscard]] Access access() const { return access_; }
  /// The window's bytes; on a device level an address there, not to be touched by the host.
  [[nodiscard]] std::span<const std::byte> bytes() const { return memory_; }
  [[nodiscard]] std::span<std::byte> writable() const;
  template <class T>
  [[nodiscard]] std::span<const T> read() const {
    return {reinterpret_cast<const T*>(memory_.data()), memory_.size() / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] std::span<T> write() const {
    return {reinterpret_cast<T*>(writable().data()), memory_.size() / sizeof(T)};
  }

 private:
  friend class window_level::Level;
  window_level::Level* level_ = nullptr;
  std::uint64_t holder_ = 0;
  std::span<std::byte> memory_;
  Index window_ = 0;
  Access access_ = Access::read;
};

/// An announced order and the place reached in it. Withdrawn when destroyed; must not outlive its level.
class Tour {
 public:
  Tour() = default;
  Tour(Tour&& other) noexcept : level_(std::exchange(other.level_, nullptr)), id_(other.id_) {}
  Tour& operator=(Tour&& other) noexcept;
  ~Tour();

  /// The next window of the order. At the end of an order that does not repeat: an error of code `internal`.
  [[nodiscard]] Result<Lease> next();
  /// A window of the order out of turn: visits in between are skipped. A window that the order does not hold is leased all
  /// the same.
  [[nodiscard]] Result<Lease> acquire(Index window, Access access);
  /// Replaces the order and begins at its start.
  void announce(std::vector<Visit> order, Repeat repeat = Repeat::no);
  explicit operator bool() const { return level_ != nullptr; }

 private:
  friend class window_level::Level;
  window_level::Level* level_ = nullptr;
  std::uint64_t id_ = 0;
};

/// One level of memory over one row of windows.
class Windows {
 public:
  /// `sizes`: bytes of each window. `threads` ≥ 1 move windows between this level and its backing.
  Windows(std::string name, std::vector<Bytes> sizes, Bytes budget, std::shared_ptr<WindowBacking> backing,
          std::shared_ptr<WindowMemory> memory = host_memory(), int threads = 2);
  /// Waits for moves under way; changed windows that were not flushed are dropped. No lease may be held.
  virtual ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  [[nodiscard]] Index count() const;
  [[nodiscard]] Bytes size(Index window) const;
  [[nodiscard]] Bytes total() const;  ///< bytes of all windows
  [[nodiscard]] Bytes budget() const;
  /// More memory from now on, or less: then windows leave at once, farthest visit first; those leased or changed leave later, as
  /// others come.
  void set_budget(Bytes budget);

  [[nodiscard]] Tour announce(std::vector<Visit> order, Repeat repeat = Repeat::no);
  /// Windows of an interval in ascending order, all with one access.
  [[nodiscard]] Tour announce(Interval windows, Access access, Repeat repeat = Repeat::no);
  /// A window that no tour announced.
  [[nodiscard]] Result<Lease> acquire(Index window, Access access);
  /// Writes back everything that was changed and is not leased for writing. The windows stay in memory.
  [[nodiscard]] Status flush();
  [[nodiscard]] WindowStatistics statistics() const;

 private:
  std::unique_ptr<window_level::Level> level_;
};

}  // namespace conoid
