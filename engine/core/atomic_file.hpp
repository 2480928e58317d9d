// SPDX-License-Identifier: BSD-3-Clause
// Files that are never half-written: write beside, flush to disk, rename over.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// Replaces `path` by `content` as one step: readers see the old or the new file, never a part. The folder must exist.
/// A link of that name is replaced, not followed.
[[nodiscard]] Status write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Removes what replacements that were killed have left in a folder and in those in it (NAME.<process>.part; at most `depth` folders
/// down). For who knows that nobody writes there.
void remove_unfinished_writes(const std::filesystem::path& folder, int depth);

/// An error for what is no plain file: a folder, a pipe, a device, or nothing at all. Does not open it, which could hold for ever.
[[nodiscard]] Status expect_plain_file(const std::filesystem::path& path);

/// A whole plain file, refused with an error when larger than `limit`.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, Bytes limit = Bytes{1} << 30);

/// From the root on; an empty path stays empty (of a case that was never saved), where the library's function throws.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Flushes a folder's entries to disk after a rename.
[[nodiscard]] Status sync_folder(const std::filesystem::path& folder);

}  // namespace conoid
