// SPDX-License-Identifier: BSD-3-Clause
// Policies for the borders between workers: greedy, offset, model, fixed.
//
//   greedy[:passes]  average time, Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 6.2; keeps the best borders
//                    of `passes` (20) passes
//   offset[:period]  10 % moves every `period` (40) passes, Dong et al., "Hydrodynamic computation with hybrid programming on
//                    CPU-GPU clusters", section 3.4
//   model            ours: learns how fast each worker is and where the work lies, and what a worker can hold
//   fixed            equal shares by weight
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// What an interval took, by the phase's own count: the place of a kernel under the roof of its machine. Zeros: not counted.
struct Work {
  double flops = 0;  ///< a fused multiply-add is two
  double bytes = 0;  ///< between the processor and the memory that holds the data, read and written
};

/// What one worker did in one pass.
struct BalanceSample {
  std::uint64_t pass = 0;
  int worker = 0;
  Interval items{};
  double busy = 0;      ///< seconds computing
  double waiting = 0;   ///< seconds between its end and the slowest worker's end
  double copying = 0;   ///< seconds moving data that no computing hid; not part of `busy`
  std::string phase{};  ///< Phase::name()
  Work work{};
  Bytes held = 0;      ///< of a device's memory, as the pass ended; 0 of processors
  Bytes streamed = 0;  ///< that passed through windows (disk, host, device) for it, both ways; 0: none, or not counted
  [[nodiscard]] double seconds() const { return busy + copying; }
};

/// What a worker can hold, and what it costs to hold more.
struct WorkerLimit {
  Bytes memory = 0;      ///< bytes of Phase::bytes that stay with it; 0: no limit, or not known
  double streaming = 0;  ///< bytes a second at which the rest passes through each pass; 0: not known, so never wanted
};

/// A policy for the borders. Stateful: one object a team and phase. Not thread-safe.
class Balancer {
 public:
  virtual ~Balancer() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// What workers can hold; `bytes` is that of the phase. To be called before the first split(), if at all.
  virtual void set_limits(std::vector<WorkerLimit>, std::function<Bytes(Interval)>) {}
  /// `last` holds the samples of the last pass, one a worker in worker order (empty before the first pass). Returns
  /// one interval a worker, contiguous and in worker order, covering [0, items); an interval may be empty.
  [[nodiscard]] virtual std::vector<Interval> split(Index items, std::span<const BalanceSample> last) = 0;
};

/// `name` as above. `weights`: first guess of the workers' relative speeds, positive.
[[nodiscard]] Result<std::unique_ptr<Balancer>> make_balancer(std::string_view name, std::vector<double> weights);

/// Contiguous intervals whose sizes are proportional to `shares`, rounded so that they cover [0, items) exactly.
[[nodiscard]] std::vector<Interval> intervals_from(const std::vector<double>& shares, Index items);

namespace balancers {
[[nodiscard]] std::unique_ptr<Balancer> fixed(std::vector<double> weights);
[[nodiscard]] std::unique_ptr<Balancer> greedy(std::vector<double> weights, int passes);
[[nodiscard]] std::unique_ptr<Balancer> offset(std::vector<double> weights, int period);
[[nodiscard]] std::unique_ptr<Balancer> model(std::vector<double> weights);
}  // namespace balancers

}  // namespace conoid
