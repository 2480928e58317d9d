// SPDX-License-Identifier: BSD-3-Clause
// A phase of a solver, a row of independent items, and the processors that compute an interval of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "engine/core/types.hpp"
#include "engine/team/affinity.hpp"
#include "engine/team/balancer.hpp"

namespace conoid {

/// OpenMP threads that belong together. The body of a Phase runs on the worker's own host thread and may open
/// parallel regions of `threads()` threads.
class CpuWorker {
 public:
  explicit CpuWorker(int threads) : threads_(threads) {}
  /// The same with thread t bound to places[t] (affinity.hpp), or all threads to all of `places` if `together`.
  CpuWorker(int threads, Places places, bool together = false);
  [[nodiscard]] int threads() const { return threads_; }
  /// Splits [begin,end) into chunks of at most `grain` and runs body(chunk, thread) on the worker's threads;
  /// the assignment of chunks to threads is dynamic, so results must not depend on it. Exceptions are passed on.
  void for_each(Interval items, Index grain, const std::function<void(Interval, int)>& body) const;
  /// Binds the calling thread as thread `thread`, if this worker has places; for_each() does so by itself.
  void bind(int thread) const;

 private:
  int threads_ = 1;
  Places places_;
  bool together_ = false;
  std::uint64_t binding_ = 0;  ///< number of these places; a thread that is bound already remembers it
};

class DeviceWorker;  // device_worker.hpp

/// One heavy phase of a solver: a row of independent items.
class Phase {
 public:
  virtual ~Phase() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Index items() const = 0;
  /// Memory that a worker needs for an interval.
  [[nodiscard]] virtual Bytes bytes(Interval) const { return 0; }
  virtual void run(CpuWorker& worker, Interval items) = 0;
  /// What run() took for this interval; asked after it, on the thread that called Team::run().
  [[nodiscard]] virtual Work work(Interval) const { return {}; }
  /// A phase that says yes is also given to the devices of the team; others are left to its processors.
  [[nodiscard]] virtual bool runs_on_devices() const { return false; }
  virtual void run_on_device(DeviceWorker& worker, Interval items);
};

}  // namespace conoid
