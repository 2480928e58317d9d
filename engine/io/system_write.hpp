// SPDX-License-Identifier: BSD-3-Clause
// The one place where engine/io hands bytes to the system, so that tests can make any write fail or end the program.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/core/types.hpp"

namespace conoid {

/// Asked before each write with its size; returns how it goes: 0 as usual, an errno value to fail with, or
/// `short_write` to write half of it first and then fail with ENOSPC.
using WriteFault = std::function<int(std::size_t bytes)>;
inline constexpr int short_write = -1;

/// For tests; an empty function ends it. Not thread-safe against writes under way.
void set_write_fault(WriteFault fault);

/// Writes all bytes: at `offset`, or at the file's position if `offset` is negative. 0 or an errno value (ENOSPC where the
/// system accepted nothing without saying why).
[[nodiscard]] int write_fully(int fd, std::span<const std::byte> data, std::int64_t offset = -1);

}  // namespace conoid
