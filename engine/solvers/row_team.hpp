// SPDX-License-Identifier: BSD-3-Clause
// The team that computes a row of `conoid verify` or `conoid bench`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/solvers/test_run.hpp"
#include "engine/team/module.hpp"

namespace conoid {

class Communicator;
class Device;
class Team;

/// At its end it tells the table what its devices did, so that somebody who named one learns that it computed nothing.
class RowTeam {
 public:
  RowTeam(const RowWorkers& row);
  ~RowTeam();
  /// A row hands it on to what computes, whose header says what a team is.
  operator Team&() const { return *team_; }
  Team* operator->() const { return team_.get(); }
  /// A device of it computes outside of phases, and tells the team nothing of it.
  void device_takes_part();
  RowTeam(const RowTeam&) = delete;
  RowTeam& operator=(const RowTeam&) = delete;

 private:
  std::unique_ptr<Team> team_;
  std::shared_ptr<DeviceTally> tally_;
};

/// The ranks that were started together: rows that are about ranks are computed by all of them, and come from the leading one. Throws
/// Failure(remote).
[[nodiscard]] Communicator& row_ranks();

/// A device, and its name as Device::open() takes it.
struct NamedDevice {
  std::string name;
  DeviceInfo info;
};
/// Some hundred times slower than a core: rows about one take smaller problems and fewer passes.
[[nodiscard]] inline bool is_emulated(const DeviceInfo& device) {
  return device.backend != "cuda";
}
/// Those of rows that are about devices: the ones that the run was given, else all NVIDIA devices of this machine; none where somebody
/// named processors alone.
[[nodiscard]] std::vector<NamedDevice> devices_of(const TestRun& run);

/// One of them for rows that drive it themselves; it counts as having computed. Throws Failure(resources).
[[nodiscard]] Device open_device(const TestRun& run, const std::string& name);

}  // namespace conoid
