// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of devices take of the host's memory.
#pragma once

#include <algorithm>
#include <span>

#include "engine/core/types.hpp"
#include "engine/team/module.hpp"

namespace conoid {

/// What the driver of NVIDIA devices keeps once one is open, of whatever case and however many devices (measured with H200). A run that asks for
/// its resident memory after its team is there has it counted; what is foreseen without a device open adds it.
inline constexpr Bytes host_memory_of_cuda = Bytes{115} << 20;

/// What is foreseen for these devices.
[[nodiscard]] inline Bytes driver_memory(std::span<const DeviceInfo> devices) {
  return std::ranges::any_of(devices, [](const DeviceInfo& d) { return d.backend == "cuda"; }) ? host_memory_of_cuda
                                                                                               : 0;
}

}  // namespace conoid
