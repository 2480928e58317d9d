// SPDX-License-Identifier: BSD-3-Clause
// The parts of the checkpoint format that writer, reader and tests share. Internal to engine/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid::checkpoint_format {

inline constexpr int version = 1;
inline constexpr std::string_view head = "CNDCKPT1";
inline constexpr std::string_view tail = "CKPE";
inline constexpr std::size_t tail_bytes = 24;
inline constexpr Bytes text_limit = Bytes{256} << 20;  ///< of a manifest or an index

/// One contiguous run of entries of an array, in one file.
struct Piece {
  std::string name;
  std::uint64_t entry = 0;  ///< bytes of one entry
  Index global = 0;         ///< entries of the whole array
  Index begin = 0;
  Index count = 0;
  int rank = 0;
  Bytes offset = 0;  ///< in the rank's file
  std::uint32_t crc = 0;
};

struct Manifest {
  Index step = 0;
  int ranks = 0;
  std::vector<Bytes> sizes;  ///< of the ranks' files
  std::vector<Piece> pieces;
};

[[nodiscard]] std::string index_text(const std::vector<Piece>& pieces);
[[nodiscard]] Result<std::vector<Piece>> parse_index(std::string_view text, int rank, const std::string& file);
[[nodiscard]] std::string manifest_text(const Manifest& manifest);
/// Checks everything that can be checked without the rank files: form, version, checksum, ranges, coverage.
[[nodiscard]] Result<Manifest> parse_manifest(std::string_view text, const std::string& file);
/// Every array is covered exactly once and has one entry size and length.
[[nodiscard]] Status check_coverage(std::vector<Piece> pieces, const std::string& file);

}  // namespace conoid::checkpoint_format
