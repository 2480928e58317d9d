// SPDX-License-Identifier: BSD-3-Clause
// What team/cuda/rates.cu and device_rates.cpp share.
#pragma once

namespace conoid {

inline constexpr int rate_chains = 8;  ///< of a thread: independent, so that none waits for its own result

struct RateArguments {
  void* out = nullptr;  ///< float or double, one a thread of the grid
  int rounds = 0;       ///< multiply-adds of each chain
};

}  // namespace conoid
