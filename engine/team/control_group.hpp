// SPDX-License-Identifier: BSD-3-Clause
// What the control groups of this process leave it: of containers, of services, of the jobs of a batch system.
#pragma once

#include <filesystem>

#include "engine/core/types.hpp"

namespace conoid {

/// The least over the group and all above it, since each limits those within.
struct GroupLimits {
  Bytes memory = 0;  ///< that the group may have; 0: no limit
  Bytes free =
      0;  ///< of that, what is not taken yet; files in memory give way and count as free. Meaningless without a limit
  double cores = 0;  ///< of processor time in a second; 0: no limit
};

/// Of version 2 and 1, also side by side. `membership`: which groups a process is in; `mount`: where groups are told. What cannot be read limits
/// nothing. Any thread.
[[nodiscard]] GroupLimits group_limits(const std::filesystem::path& membership = "/proc/self/cgroup",
                                       const std::filesystem::path& mount = "/sys/fs/cgroup");

}  // namespace conoid
