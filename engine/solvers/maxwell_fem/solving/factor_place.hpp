// SPDX-License-Identifier: BSD-3-Clause
// Where the sparse system is factored: by processors or on a device of the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/solvers/maxwell_fem/problem.hpp"
#include "engine/team/device.hpp"
#include "engine/team/workers.hpp"

namespace conoid::maxwell_fem {

/// What a choice depends on; of one rank.
struct FactorWork {
  double unknowns = 0;
  double entries = 0;  ///< expected in the factors
  int ranks = 1;       ///< that share them
  bool deterministic = false;
  double flops = 0;    ///< of the factors, real numbers
  double in_host = 0;  ///< bytes of factors for which the device has no memory
};

struct FactorPlace {
  int device = -1;       ///< its place among the devices of the workers; −1: processors
  Bytes memory = 0;      ///< of the device that the factors are expected to take
  Bytes allowed = 0;     ///< of the device for factors and right-hand sides
  std::string reason{};  ///< for check and log; empty: no device is among the workers
};

/// `devices`: those of the workers, in their order. With `direct_solver` auto the first CUDA device where cuDSS is found, nothing asks for
/// processors, the system is large enough, and the factors fit into half of its memory: the rest is for the radiation. With `device` the first device.
[[nodiscard]] FactorPlace place_factors(const DirectOptions& options, const FactorWork& work,
                                        const std::vector<WorkerSpec>& workers, std::span<const DeviceInfo> devices);

/// What order, factors and so many solves on a device are foreseen to take by the clock: shares of its rate of complex products (flop/s, of its
/// library) that cuDSS was measured to reach, and copies of factors that stay with the host. 0 where no rate is known.
[[nodiscard]] double device_factor_seconds(const FactorWork& work, const DirectOptions& options, double products,
                                           double columns);

/// Once a run besides, seconds: the library is opened and started. On an H200, cuDSS 0.7.1, whole cases took 0.47 to 0.51 s more than order, factors and
/// solves.
inline constexpr double device_factor_opening = 0.49;

}  // namespace conoid::maxwell_fem
