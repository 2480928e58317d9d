// SPDX-License-Identifier: BSD-3-Clause
// A team of unlike workers computes one row of items together; after each pass the balancer moves the borders.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
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

/// One worker of a team.
struct WorkerSpec {
  std::string name = "cpu";
  int threads = 1;
  double slowdown = 1;      ///< > 1 makes this worker artificially slow: for tests of the balance
  std::string device{};     ///< "cuda:0", as Device::open() takes it; empty: the processor
  Bytes device_memory = 0;  ///< that the run may use; 0: most of what is free
};

/// Parses "auto", "cpu", "cpu:3,cpu:1" (threads a worker), "cuda" (all of them), "cuda:1,cpu", "emulated", "emulated:0",
/// "emulated-checked" against what is here; "auto" takes the CUDA devices, if any, and the processor. A device takes one of
/// the threads to feed it. A device that is not here is an error of code `resources` that says why.
[[nodiscard]] Result<std::vector<WorkerSpec>> parse_workers(std::string_view text, int threads);

/// The first `most` devices stay; those of the `threads` that would have fed the others go to the processors.
[[nodiscard]] std::vector<WorkerSpec> with_fewer_devices(std::vector<WorkerSpec> workers, std::size_t most,
                                                         int threads);

/// Leaves the devices of "auto" out where they do not pay. A device costs about a second and a half before it computes: its
/// context, its kernels, the first copies. `seconds`: what the processors alone are expected to take; 0: not known, all stay.
[[nodiscard]] std::vector<WorkerSpec> worth_their_start(std::vector<WorkerSpec> workers, int threads, double seconds);

/// Not thread-safe: used from the engine thread only.
///
/// A team of devices and processors binds its threads (affinity.hpp), unless the environment sets OMP_PROC_BIND or
/// OMP_PLACES: each thread that feeds a device to a place near it, those of processors to one of the others each.
class Team {
 public:
  /// `balancer` is the policy's name, kept per phase. Opens the devices of the workers; throws Failure(resources).
  Team(std::vector<WorkerSpec> workers, std::string balancer = "greedy");
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Splits the phase, runs all workers together, measures, learns. With a single worker this is a plain call. The
  /// first exception of a worker is rethrown after all have ended. A stop request is seen between passes only.
  void run(Phase& phase, std::stop_token stop = {});

  /// Tells of work that all processors of the team (or all its devices) did together outside of a phase, such as a solve: a sample
  /// for each of them, without items, for telemetry and charts. `work` is that of all. Nothing where the team has none of them.
  enum class Who { processors, devices };
  /// `worker`: what only this one did.
  void note(std::string_view name, double seconds, Work work, Who who = Who::processors, int worker = -1);

  /// Tells of bytes that passed through windows during the last run() or note(): of one worker, or (−1) in equal shares of all that
  /// took part. To be called before take_samples().
  void add_streamed(Bytes bytes, int worker = -1);

  /// Its devices, for what a single one does outside of a phase, such as a factorisation; to be used between passes.
  [[nodiscard]] std::vector<DeviceWorker*> devices() const;

  [[nodiscard]] int threads() const;  ///< of all workers
  [[nodiscard]] const std::vector<WorkerSpec>& workers() const { return workers_; }
  /// Samples since the last call, oldest first (at most 65536 are kept): for telemetry.csv, frames, balance chart.
  [[nodiscard]] std::vector<BalanceSample> take_samples();

 private:
  struct Crew;
  std::vector<WorkerSpec> workers_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace conoid
