// SPDX-License-Identifier: BSD-3-Clause
// The checked mode: every access of a kernel to memory is looked at. In the fast module these calls are empty.
//
// The `.cu` files of the checked module are compiled with the instrumentation of the compiler's thread sanitizer
// (-fsanitize=thread), which calls a function at every load and store; check.cpp defines those functions, so nothing of the
// sanitizer itself is linked. Bounds of arrays come from -fsanitize=bounds in the same way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace conoid::emulated {

#if defined(CONOID_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

class Block;
enum class Access { read, write, atomic };

#if defined(CONOID_CHECKED)
void check_block_begin(Block& block, void* shared, std::size_t shared_bytes);
void check_block_end(Block& block);
void check_phase(Block& block);  ///< a barrier of the block has opened
void check_range(const void* address, std::size_t bytes, Access access, const void* code);
/// Notes something wrong that does not stop the launch.
void check_report(std::string text);
#else
inline void check_block_begin(Block&, void*, std::size_t) {}
inline void check_block_end(Block&) {}
inline void check_phase(Block&) {}
inline void check_range(const void*, std::size_t, Access, const void*) {}
inline void check_report(const std::string&) {}
#endif

}  // namespace conoid::emulated
