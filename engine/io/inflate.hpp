// SPDX-License-Identifier: BSD-3-Clause
// Decompression into memory whose size is known beforehand: zlib streams (RFC 1950, 1951) and blocks of LZ4. Nothing is ever written
// beyond that size, whatever the input says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace conoid {

/// The contents of a zlib stream of exactly `size` bytes; nothing when it is damaged, of another size, or its checksum (Adler-32) is
/// wrong. Takes time in proportion to both sizes.
[[nodiscard]] std::optional<std::string> inflate_zlib(std::string_view stream, std::size_t size);

/// The contents of an LZ4 block (lz4_Block_format.md) of exactly `size` bytes; nothing when it is damaged or of another size.
[[nodiscard]] std::optional<std::string> inflate_lz4(std::string_view block, std::size_t size);

}  // namespace conoid
