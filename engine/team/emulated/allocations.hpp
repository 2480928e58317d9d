// SPDX-License-Identifier: BSD-3-Clause
// Memory of emulated devices. The checked mode surrounds each piece with bytes that nobody may touch, knows which bytes
// were ever written, and keeps released pieces for a while so that late accesses are seen.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/types.hpp"

namespace conoid::emulated {

/// Filled with 0xff bytes, which are NaN in single and double precision: what a kernel forgets to write shows. Null: none.
[[nodiscard]] void* allocate_memory(Bytes size, std::string_view label);
void release_memory(void* memory);
/// The same for a ring; `size`: a multiple of ring_unit.
[[nodiscard]] void* allocate_ring(Bytes size, std::string_view label);
inline constexpr Bytes ring_unit = 4096;

/// `size` bytes mapped twice, one after the other, between two units that nobody can touch; null: none.
[[nodiscard]] void* map_ring(Bytes size);
void unmap_ring(void* ring, Bytes size);

/// A copy or fill is about to write to / read from device memory. What is wrong, or empty. `source`: device memory that
/// is copied, or null; its unwritten bytes stay unwritten in the copy.
[[nodiscard]] std::string device_write(void* to, Bytes size, const void* source, bool source_is_device);
[[nodiscard]] std::string device_read(const void* from, Bytes size, bool must_be_written);
void forget_written(void* memory, Bytes size);

void launch_begins(bool cooperative);
/// What was noted since launch_begins(), or empty.
[[nodiscard]] std::string launch_ends();

}  // namespace conoid::emulated
