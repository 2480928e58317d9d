// SPDX-License-Identifier: BSD-3-Clause
// A viewer's wish as bytes, to tell it to the other ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/io/frame.hpp"

namespace conoid {

[[nodiscard]] std::vector<std::byte> to_wire(const FrameRequest& request);
[[nodiscard]] FrameRequest from_wire(std::span<const std::byte> wire);

}  // namespace conoid
