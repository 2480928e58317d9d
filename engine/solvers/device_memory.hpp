// SPDX-License-Identifier: BSD-3-Clause
// The memory of devices, NVIDIA or emulated: as a level of calculation windows, and what of it a case would have.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/team/device.hpp"
#include "engine/window/device_windows.hpp"

namespace conoid {

/// For device_windows(); its staging() is page-locked. Copies have a stream for each thread that calls. What fails on the
/// device is an error of code `resources`. From any thread; keeps the device open.
[[nodiscard]] std::shared_ptr<WindowDevice> window_memory_of(const Device& device);

/// The devices that would compute a case.
struct DevicesOfCase {
  std::vector<std::string> names;
  Bytes memory = 0;  ///< that a run may take of each; of the smallest
  DeviceInfo first;
};
/// By the case's own words, compute.workers and compute.memory.device. `seconds`: what the processors alone would take; devices of
/// "auto" that do not pay are left out, 0 leaves them in. Empty, too, when workers are named that are not here.
[[nodiscard]] DevicesOfCase devices_of(const Case& input, double seconds);

}  // namespace conoid
