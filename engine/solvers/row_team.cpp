// SPDX-License-Identifier: BSD-3-Clause
// Who computes the rows of tables.
#include "engine/solvers/row_team.hpp"

#include <fmt/core.h>

#include "engine/cluster/communicator.hpp"
#include "engine/team/device.hpp"
#include "engine/team/team.hpp"

namespace conoid {

RowTeam::RowTeam(const RowWorkers& row)
    : team_(std::make_unique<Team>(row.workers, row.balancer)), tally_(row.on_devices() ? row.tally : nullptr) {}

RowTeam::~RowTeam() {
  if (!tally_) return;
  for (const BalanceSample& sample : team_->take_samples())
    if (!team_->workers()[static_cast<std::size_t>(sample.worker)].device.empty() &&
        (!sample.items.empty() || sample.seconds() > 0))
      ++tally_->passes;
}

void RowTeam::device_takes_part() {
  if (tally_) ++tally_->passes;
}

Communicator& row_ranks() {
  static const std::unique_ptr<Communicator> all = [] {
    Result<std::unique_ptr<Communicator>> made = world();
    if (!made) throw Failure(made.error());
    return std::move(*made);
  }();
  return *all;
}

std::vector<NamedDevice> devices_of(const TestRun& run) {
  std::vector<NamedDevice> out;
  if (run.offer.who.said()) {
    for (const WorkerSpec& worker : run.offer.workers)
      if (!worker.device.empty()) out.push_back({worker.device, run.offer.devices[out.size()]});
    return out;
  }
  if (const auto found = find_devices("cuda"))
    for (const DeviceInfo& info : *found) out.push_back({fmt::format("cuda:{}", info.index), info});
  return out;
}

Device open_device(const TestRun& run, const std::string& name) {
  auto device = Device::open(name);
  if (!device) throw Failure(device.error());
  ++run.tally->passes;
  return std::move(*device);
}

}  // namespace conoid
