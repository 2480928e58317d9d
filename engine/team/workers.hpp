// SPDX-License-Identifier: BSD-3-Clause
// Who is to compute: the workers of a team, by what a person says of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// First guess of a device's speed, in threads of a processor; the balancer learns the truth.
inline constexpr double device_weight = 16;

/// One worker of a team.
struct WorkerSpec {
  std::string name = "cpu";
  int threads = 1;
  double slowdown = 1;      ///< > 1 makes this worker artificially slow: for tests of the balance
  std::string device{};     ///< "cuda:0", as Device::open() takes it; empty: the processor
  Bytes device_memory = 0;  ///< that the run may use; 0: most of what is free
};

/// Parses "auto", "cpu", "cpu:3,cpu:1" (threads a worker), "cuda" (all of them), "cuda:1,cpu", "emulated", "emulated:0",
/// "emulated-checked" against what is here; "auto" takes the CUDA devices, if any, and the processor. A device takes one of
/// the threads to feed it. A device that is not here is an error of code `resources` that says why.
[[nodiscard]] Result<std::vector<WorkerSpec>> parse_workers(std::string_view text, int threads);

/// The first `most` devices stay; those of the `threads` that would have fed the others go to the processors.
[[nodiscard]] std::vector<WorkerSpec> with_fewer_devices(std::vector<WorkerSpec> workers, std::size_t most,
                                                         int threads);

/// Leaves the devices of "auto" out where they do not pay. A device costs about a second and a half before it computes: its
/// context, its kernels, the first copies. `seconds`: what the processors alone are expected to take; 0: not known, all stay.
[[nodiscard]] std::vector<WorkerSpec> worth_their_start(std::vector<WorkerSpec> workers, int threads, double seconds);

}  // namespace conoid
