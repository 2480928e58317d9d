// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of devices take of the host's memory.
#pragma once

#include "engine/core/types.hpp"

namespace conoid {

/// What the driver of NVIDIA devices keeps once one is open, of whatever case and however many devices (measured with H200). A run that asks for
/// its resident memory after its team is there has it counted; what is foreseen without a device open adds it.
inline constexpr Bytes host_memory_of_cuda = Bytes{115} << 20;

}  // namespace conoid
