// SPDX-License-Identifier: BSD-3-Clause
// Where the program's own files lie: sample cases, colour maps, help.
#pragma once

#include <filesystem>

namespace conoid {

/// The resources folder: $CONOID_RESOURCES, else share/conoid beside the program's bin folder, else the source tree this
/// program was built from. May not exist on a bare copy of the program; callers say so.
[[nodiscard]] std::filesystem::path resources_folder();

/// The user's own templates, a folder each with case.json and what it names: $XDG_DATA_HOME/conoid/templates, else below
/// ~/.local/share; empty without a home. May not exist.
[[nodiscard]] std::filesystem::path own_templates_folder();

/// The folder for temporary files: $TMPDIR, else /tmp. Throws Failure (ErrorCode::file) where it cannot be written to.
[[nodiscard]] std::filesystem::path temporary_folder();

/// The folder the running program lies in (to start its siblings).
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace conoid
