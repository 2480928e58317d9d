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
#include <functional>
#include <limits>
#include <string>
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
  const char* flow;
  std::string (*zones)(bool small);
  Setup (*make)(bool small);
  double published;  // the source's ratio at the end, and after how many periods
  int periods;
  [[nodiscard]] std::string name(bool small) const { return fmt::format("{}, {}", flow, zones(small)); }
};
const Shared shared[] = {
    {"Sedov 3D Q2-Q1", [](bool small) { return std::string(small ? "4×4×4" : "16×16×16"); },
     [](bool small) { return flows::sedov(3, 2, small ? 4 : 16, 1, 0.25); }, 0.45, 3},
    {"Sedov 2D Q3-Q2", [](bool small) { return std::string(small ? "8×8" : "64×64"); },
     [](bool small) { return flows::sedov(2, 3, small ? 8 : 64, 1, 0.25); }, 0.75, 14},
    {"triple point Q3-Q2", [](bool small) { return std::string(small ? "14×6" : "112×48"); },
     [](bool small) { return small ? flows::triple_point(3, 14, 6) : flows::triple_point(3, 112, 48); }, 0.77, 12},
};

/// What a period showed.
struct Period {
  int number = 0;
  double share = 0;                   // of the zones, on the device
  double device = 0, processors = 0;  // seconds an evaluation
  [[nodiscard]] bool even() const { return device > 0.9 * processors && device < 1.1 * processors; }
  [[nodiscard]] bool last() const { return even() || number == most_periods; }
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

int passes_of(const TestRun& run, const NamedDevice& found) {
  return run.quick || is_emulated(found.info) ? 4 : 40;
}

/// Period by period until both take as long, or as many as there may be; the last one.
Period until_even(const TestRun& run, const Setup& setup, const NamedDevice& found,
                  const std::function<void(const Period&)>& each) {
  Team team({WorkerSpec{"cpu", std::max(1, run.threads), 1}});
  Operator op(setup, best_kernels(), team);
  CornerForces forces(op, open_device(run, found.name));
  const int passes = passes_of(run, found);
  const auto balancer = balancers::offset({1, 1}, passes);  // from a half, as the source
  std::vector<BalanceSample> last;
  Period out;
  for (int number = 1; !out.last(); ++number) {
    out = one_period(forces, *balancer, last, passes);
    out.number = number;
    each(out);
  }
  return out;
}

void ratio_rows(const TestRun& run, const BenchSink& sink, const Shared& c, const NamedDevice& found) {
  const bool small = is_emulated(found.info);
  const std::string name = fmt::format("Split of the corner force, {}", c.name(small)),
                    table = fmt::format("Table 4, {}", c.name(small));
  if (!run.may_want(name) && !run.may_want(table)) return;
  run.doing(name);
  const int cores = std::max(1, run.threads);
  const auto times = [&](const Period& p) {
    return fmt::format("{}: {:.3g} ms, {} threads: {:.3g} ms", found.info.name, 1e3 * p.device, cores,
                       1e3 * p.processors);
  };
  const Period end = until_even(run, c.make(small), found, [&](const Period& p) {
    const std::string how = p.even() ? "even" : "not even in so many periods";
    sink({fmt::format("{}, period {}: the device's share", name, p.number), p.share, "1", 0, 0,
          p.last() ? fmt::format("{}; {}; the source: {} after {} periods", times(p), how, c.published, c.periods)
                   : times(p),
          "", p.last() ? c.published : 0});
  });
  const std::string how = end.even() ? found.info.name : "not even then";
  sink({table + ": the device's share of zones", end.share, "1", 0, 0, times(end), how, c.published});
  sink({table + ": periods until then", static_cast<double>(end.number), "1", 0, 0,
        fmt::format("of {} evaluations; 40 in the source", passes_of(run, found)), how,
        static_cast<double>(c.periods)});
}

}  // namespace

SharedForces shared_forces(const TestRun& run, const Setup& setup, const NamedDevice& device) {
  const Period end = until_even(run, setup, device, [](const Period&) {});
  return {std::max(end.device, end.processors), end.share};
}

void split_rows(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  if (found.empty()) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const Shared& c : shared) {
      const std::string table = fmt::format("Table 4, {}", c.name(false));
      sink({table + ": the device's share of zones", none, "1", 0, 0, "", "no device", c.published});
      sink({table + ": periods until then", none, "1", 0, 0, "", "no device", static_cast<double>(c.periods)});
    }
    return;
  }
  for (const Shared& c : shared) ratio_rows(run, sink, c, found.front());
}

}  // namespace conoid::hydro_fem
