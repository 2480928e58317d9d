// SPDX-License-Identifier: BSD-3-Clause
// The ratio at which a device and the processors share the corner forces, as it converges (Dong et al., section 3.4).
#include "engine/solvers/hydro_fem/verify/split.hpp"

#include "engine/core/seconds_now.hpp"
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/verify/flows.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

constexpr int most_periods = 20;

/// Stress and forces of batches of zones: the first on a device, the rest on processors while it computes.
class CornerForces {
 public:
  CornerForces(Operator& op, Device device)
      : op_(op), zones_(op, DevicePart(op), std::move(device), {}, -1), workers_(op.threads()),
        steps_(u(op.batches())) {}
  [[nodiscard]] Index items() const { return op_.batches(); }
  /// What each took, the device by its own clock.
  [[nodiscard]] std::vector<BalanceSample> run(const std::vector<Interval>& shares) {
    const Index there = std::min(zones_.zones(), shares[0].size() * op_.kernels().lanes);
    if (there > 0) zones_.update_first(there, Backend::Row::state, 0);
    const State& s = op_.initial();
    const double begin = seconds_now();
    workers_.for_each(shares[1], 8, [&](Interval batches, int) {
      op_.kernels().update(op_.data(), s.x.data(), s.v.data(), s.e.data(), steps_.data(), batches);
      op_.kernels().force(op_.data(), batches);
    });
    const double here = seconds_now() - begin;
    zones_.wait();
    std::vector<BalanceSample> out(2);
    out[0].busy = there > 0 ? std::max(0.0, zones_.take_stages()[DeviceZones::stress_stage]) : 0;
    out[1].busy = here;
    for (int worker = 0; worker < 2; ++worker) {
      out[u(worker)].worker = worker;
      out[u(worker)].items = shares[u(worker)];
    }
    return out;
  }

 private:
  Operator& op_;
  DeviceZones zones_;
  CpuWorker workers_;
  std::vector<double> steps_;
};

struct Shared {
  const char* name;
  Setup (*make)();
  double published;  // the source's ratio at the end, and after how many periods
  int periods;
};
const Shared shared[] = {
    {"Sedov 3D Q2-Q1, 16×16×16", [] { return flows::sedov(3, 2, 16, 1, 0.25); }, 0.45, 3},
    {"Sedov 2D Q3-Q2, 64×64", [] { return flows::sedov(2, 3, 64, 1, 0.25); }, 0.75, 14},
    {"triple point Q3-Q2, 112×48", [] { return flows::triple_point(3, 112, 48); }, 0.77, 12},
};

/// What a period showed.
struct Period {
  double share = 0;                   // of the zones, on the device
  double device = 0, processors = 0;  // seconds an evaluation
  [[nodiscard]] bool even() const { return device > 0.9 * processors && device < 1.1 * processors; }
};

/// The pass after the last one of a period is where its border moves.
Period one_period(CornerForces& forces, Balancer& balancer, std::vector<BalanceSample>& last, int passes) {
  Period out;
  for (int i = 0; i < passes; ++i) {
    last = forces.run(balancer.split(forces.items(), last));
    out.share = static_cast<double>(last[0].items.size()) / static_cast<double>(forces.items());
    out.device += last[0].busy / passes;
    out.processors += last[1].busy / passes;
  }
  return out;
}

void ratio_rows(const TestRun& run, const BenchSink& sink, const Shared& c, const NamedDevice& found) {
  const std::string name = fmt::format("Split of the corner force, {}", c.name);
  if (!run.may_want(name) && !run.may_want("Table 4")) return;
  run.doing(name);
  const int cores = std::max(1, run.threads);
  const int passes = run.quick || found.info.backend != "cuda" ? 4 : 40;  // an emulated device is slow
  Team team({WorkerSpec{"cpu", cores, 1}});
  Operator op(c.make(), best_kernels(), team);
  CornerForces forces(op, open_device(run, found.name));
  const auto balancer = balancers::offset({1, 1}, passes);  // from a half, as the source
  std::vector<BalanceSample> last;
  for (int period = 1; period <= most_periods; ++period) {
    const Period p = one_period(forces, *balancer, last, passes);
    const bool end = p.even() || period == most_periods;
    const std::string times =
        fmt::format("{}: {:.3g} ms, {} threads: {:.3g} ms", found.info.name, 1e3 * p.device, cores, 1e3 * p.processors);
    sink({fmt::format("{}, period {}: the device's share", name, period), p.share, "1", 0, 0,
          end ? fmt::format("{}; {}; the source: {} after {} periods", times,
                            p.even() ? "even" : "not even in so many periods", c.published, c.periods)
              : times,
          "", end ? c.published : 0});
    if (!end) continue;
    const std::string how = p.even() ? found.info.name : fmt::format("uneven after {} periods", period);
    sink({fmt::format("Table 4, {}: the device's share of the zones", c.name), p.share, "1", 0, 0, times, how,
          c.published});
    sink({fmt::format("Table 4, {}: periods until then", c.name), static_cast<double>(period), "1", 0, 0,
          fmt::format("of {} evaluations", passes), how, static_cast<double>(c.periods)});
    return;
  }
}

}  // namespace

void split_rows(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  if (found.empty()) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const Shared& c : shared) {
      sink({fmt::format("Table 4, {}: the device's share of the zones", c.name), none, "1", 0, 0, "", "no device",
            c.published});
      sink({fmt::format("Table 4, {}: periods until then", c.name), none, "1", 0, 0, "", "no device",
            static_cast<double>(c.periods)});
    }
    return;
  }
  for (const Shared& c : shared) ratio_rows(run, sink, c, found.front());
}

}  // namespace conoid::hydro_fem
