// SPDX-License-Identifier: BSD-3-Clause
// What team/cuda/rates.cu and device_rates.cpp share.
#pragma once

namespace conoid {

inline constexpr int rate_chains = 8;  ///< of a thread: independent, so that none waits for its own result

struct RateArguments {
  void* out = nullptr;  ///< float or double, one a thread of the grid
  int rounds = 0;       ///< multiply-adds of each chain
};

/// Blocks of so many threads add up a number each, in halves: that many phases between barriers.
inline constexpr int phase_threads = 128, phases_a_thread = 8;

struct PhasesArguments {
  void* sums = nullptr;  ///< double, one a block
};

}  // namespace conoid
