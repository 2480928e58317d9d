// SPDX-License-Identifier: BSD-3-Clause
// What this machine has: cores, memory, caches.
#pragma once

#include <string>
#include <vector>

#include "engine/core/types.hpp"

namespace conoid {

struct Machine {
  std::string host;
  std::string processor;  ///< model name
  int cores = 1;          ///< this process may use (affinity and cgroup respected)
  Bytes memory = 0;       ///< of the host, or of the cgroup where that is less
  Bytes free_memory = 0;
  Bytes l1 = 0, l2 = 0, l3 = 0;  ///< data caches: a core's l1 and l2, one l3
  bool avx2 = false;
  bool avx512 = false;
};

[[nodiscard]] Machine this_machine();

/// Resident memory of this process: programs and libraries, too, as far as they were touched.
[[nodiscard]] Bytes resident_memory();
/// Highest resident memory of this process so far.
[[nodiscard]] Bytes peak_resident_memory();

}  // namespace conoid
