// SPDX-License-Identifier: BSD-3-Clause
// Folders of a run that a link must not take the place of while the run goes on.
#pragma once

#include <filesystem>

#include "engine/core/error.hpp"

namespace conoid {

/// An error where `folder` is not, or is no longer, a folder itself: a link of its name would lead what is written, and what is
/// removed, to other places.
[[nodiscard]] Status expect_own_folder(const std::filesystem::path& folder);

/// `status` as it is, unless it is an error and `folder` is no longer a folder itself: then the error that says so. A path below a
/// folder that was just replaced fails with words ("no such file") that do not say why.
[[nodiscard]] Status told_by_folder(const std::filesystem::path& folder, Status status);

/// Opens `file` for writing, made where it is not, in a folder that is none by a link only, whatever takes its place meanwhile; -1 with
/// errno set where that fails (ELOOP, ENOTDIR: a link). What it holds is kept, or cut off with `anew`.
[[nodiscard]] int open_in_own_folder(const std::filesystem::path& file, bool anew);

}  // namespace conoid
