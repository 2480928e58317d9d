// SPDX-License-Identifier: BSD-3-Clause
// Whether and how a problem goes to devices; see device_steps.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/team/module.hpp"

namespace conoid::acoustic_fd {

/// How a grid would lie on a device with this much memory for it.
struct DevicePlan {
  Bytes in_core = 0;      ///< needed to hold all of it (of one device of `devices`)
  Bytes least = 0;        ///< the smallest budget that would do
  bool streamed = false;  ///< it does not fit
  bool possible = true;
  Index planes = 0;  ///< B: the window moves by so many
  Index steps = 0;   ///< T: of a sweep
  Index room = 0;    ///< planes for which there is memory
  Index sweeps = 1;  ///< that follow each other without a gap
  Index levels = 0;  ///< of the panels that take the steps; 0: they go one by one
  double slower = 1;  ///< expected time over that in the memory of a device like an H200 on a link of 50 GB/s
};
/// `device`: one of the devices, all alike; null: one that takes single steps only.
[[nodiscard]] DevicePlan device_plan(const Problem& problem, Bytes budget, int devices, const DeviceInfo* device = nullptr);

}  // namespace conoid::acoustic_fd
