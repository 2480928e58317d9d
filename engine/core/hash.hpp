// SPDX-License-Identifier: BSD-3-Clause
// Checksums: SHA-256 (FIPS 180-4) to identify cases and files, CRC-32C to find damage in checkpoints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace conoid {

/// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> data);
  void update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }
  /// 64 lower-case hexadecimal digits; the object must not be updated afterwards.
  [[nodiscard]] std::string hex();

 private:
  void block(const unsigned char* p);
  std::array<std::uint32_t, 8> state_{};
  std::array<unsigned char, 64> buffer_{};
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;
};

[[nodiscard]] std::string sha256_hex(std::string_view text);

/// CRC-32C (Castagnoli) of `data`, continued from `before` (0 to start).
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> data, std::uint32_t before = 0);

/// The same by one means, for tests; nothing where the processor lacks it. crc32c() takes the last that there is.
enum class CrcMeans : std::uint8_t { tables, instruction, folding };
[[nodiscard]] std::optional<std::uint32_t> crc32c_by(CrcMeans means, std::span<const std::byte> data,
                                                     std::uint32_t before = 0);

}  // namespace conoid
