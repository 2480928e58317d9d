// SPDX-License-Identifier: BSD-3-Clause
// The memory of devices, NVIDIA or emulated as a level of calculation windows.
#pragma once

#include <memory>

#include "engine/team/device.hpp"
#include "engine/window/device_windows.hpp"

namespace conoid {

/// For device_windows(); its staging() is page-locked. Copies have a stream for each thread that calls. What fails on the
/// device is an error of code `resources`. From any thread; keeps the device open.
[[nodiscard]] std::shared_ptr<WindowDevice> window_memory_of(const Device& device);

}  // namespace conoid
