// SPDX-License-Identifier: BSD-3-Clause
// What `conoid verify` and `conoid bench` ask of a solver's tables, and the rows that come back.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/team/offer.hpp"

namespace conoid {

/// One row of `conoid verify`.
struct VerifyRow {
  std::string name;  ///< "monopole, order 4: observed order"
  double value = 0;
  std::string unit;
  double limit = 0;
  bool at_least = false;  ///< true: value >= limit passes; false: value <= limit
  std::string source;     ///< paper, equation, or "exact"
  [[nodiscard]] bool passed() const { return at_least ? value >= limit : value <= limit; }
};

/// One row of `conoid bench`; `limit` is the floor asked for, `ratio` the value over the limit or peer named.
struct BenchRow {
  std::string name;
  double value = 0;
  std::string unit;
  double ratio = 0;
  double limit = 0;          ///< 0: no floor
  std::string against{};     ///< "copy bandwidth", "stepwise limit"
  std::string limited_by{};  ///< "bandwidth", "instruction rate", "latency"
  double published = 0;      ///< what the source of the method gives for the same, in `unit`; 0: nothing
  [[nodiscard]] bool passed() const { return limit <= 0 || value >= limit; }
};

/// What devices did in the teams of a table.
struct DeviceTally {
  Index passes = 0;  ///< of a device over items, or work that one did outside of a phase
};

/// Who computes a row: handed on to the RowTeam (row_team.hpp) that is made where the row is computed.
struct RowWorkers {
  std::vector<WorkerSpec> workers;
  std::string balancer = "greedy";
  bool deterministic = false;
  std::shared_ptr<DeviceTally> tally{};  ///< null: nobody asks
  /// The processors alone; tables may count threads where nothing else is meant.
  RowWorkers(int threads) : workers{WorkerSpec{"cpu", std::max(1, threads), 1, {}, 0}} {}
  [[nodiscard]] bool on_devices() const {
    return std::ranges::any_of(workers, [](const WorkerSpec& w) { return !w.device.empty(); });
  }
  /// Whether devices take part where the sums of unlike workers have no lasting order: not in a deterministic run.
  [[nodiscard]] bool devices_may_share() const { return on_devices() && (workers.size() == 1 || !deterministic); }
  /// Of all workers together.
  [[nodiscard]] int threads() const {
    int out = 0;
    for (const WorkerSpec& worker : workers) out += worker.threads;
    return std::max(1, out);
  }
};

/// `quick`: within 45 s on two cores. `row` is called as soon as a row is known.
struct TestRun {
  bool quick = false;
  int threads = 1;        ///< those of the offer
  Bytes free_memory = 0;  ///< that may be taken, by which large cases are sized
  std::string only;       ///< rows wanted: those whose names begin with this; others are dropped, if a table sends them
  /// Whether a name that begins with `beginning` may be wanted: a table can leave out costly rows for which this is false.
  [[nodiscard]] bool may_want(std::string_view beginning) const {
    return beginning.substr(0, only.size()) == std::string_view(only).substr(0, beginning.size());
  }
  [[nodiscard]] bool wants(std::string_view name) const { return name.substr(0, only.size()) == only; }
  std::function<void(const std::string& doing)> doing = [](const std::string&) {};
  /// The workers that a run would have, devices too; empty: the processors. A run's other options are in it as well.
  Offer offer{};
  std::shared_ptr<DeviceTally> tally = std::make_shared<DeviceTally>();

  /// Who computes a row, as `conoid run` would have it. `most`: so many threads are enough for the row where processors compute alone,
  /// 0: all.
  [[nodiscard]] RowWorkers workers(int most = 0) const {
    RowWorkers out(most > 0 ? std::min(most, threads) : threads);
    out.balancer = offer.balancer.value;
    out.deterministic = offer.deterministic.value;
    out.tally = tally;
    const bool several = offer.workers.size() > 1 && most == 0;
    if (several || !offer.devices.empty()) out.workers = offer.workers;
    return out;
  }
};
using VerifySink = std::function<void(VerifyRow)>;
using BenchSink = std::function<void(BenchRow)>;

}  // namespace conoid
