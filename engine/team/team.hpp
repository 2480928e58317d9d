// SPDX-License-Identifier: BSD-3-Clause
// A team of unlike workers computes one row of items together; after each pass the balancer moves the borders.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/team/affinity.hpp"
#include "engine/team/balancer.hpp"
#include "engine/team/phase.hpp"
#include "engine/team/workers.hpp"

namespace conoid {

/// Not thread-safe: used from the engine thread only.
///
/// A team of devices and processors binds its threads (affinity.hpp), unless the environment sets OMP_PROC_BIND or
/// OMP_PLACES: each thread that feeds a device to a place near it, those of processors to one of the others each.
class Team {
 public:
  /// `balancer` is the policy's name, kept per phase. `share`: of the calling thread's processing units the part that is this team's.
  /// Opens the devices of the workers; throws Failure(resources).
  Team(std::vector<WorkerSpec> workers, std::string balancer = "greedy", PlaceShare share = {});
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
