// SPDX-License-Identifier: BSD-3-Clause
// Whether and how a problem goes to devices; see device_steps.hpp.
#pragma once

#include "engine/solvers/acoustic_fd/problem.hpp"

namespace conoid::acoustic_fd {

/// How a grid would lie on a device with this much memory for it.
struct DevicePlan {
  Bytes in_core = 0;      ///< needed to hold all of it (of one device of `devices`)
  Bytes least = 0;        ///< the smallest budget that would do
  bool streamed = false;  ///< it does not fit
  bool possible = true;
  Index planes = 0;  ///< B: the window moves by so many
  Index steps = 0;   ///< T
  Index room = 0;    ///< planes of the buffer in which the window lies
};
[[nodiscard]] DevicePlan device_plan(const Problem& problem, Bytes budget, int devices);

}  // namespace conoid::acoustic_fd
