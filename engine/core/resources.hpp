// SPDX-License-Identifier: BSD-3-Clause
// Where the program's own files lie: sample cases, colour maps, help, the documentation's pages.
#pragma once

#include <filesystem>

namespace conoid {

/// The resources folder: $CONOID_RESOURCES, else share/conoid beside the program's bin folder, else the source tree this
/// program was built from. May not exist on a bare copy of the program; callers say so.
[[nodiscard]] std::filesystem::path resources_folder();

/// The documentation as HTML, to be read without a network: $CONOID_DOCUMENTATION, else share/doc/conoid/html beside the
/// program's bin folder, else docs/html in the build folder the program lies in, else build/docs/html of the source tree. Empty
/// where none of them has an index.html: the pages are made by packaging/docs.sh and not by a plain build. Each key of a case has
/// its row in reference/keys-<solver>.html, with the key as fragment: "reference/keys-acoustic-fd.html#/grid/spacing", "*" for
/// any item of a list.
[[nodiscard]] std::filesystem::path documentation_folder();
/// The user's own templates, a folder each with case.json and what it names: $XDG_DATA_HOME/conoid/templates, else below
/// ~/.local/share; empty without a home. May not exist.
[[nodiscard]] std::filesystem::path own_templates_folder();

/// The folder for temporary files: $TMPDIR, else /tmp. Throws Failure (ErrorCode::file) where it cannot be written to.
[[nodiscard]] std::filesystem::path temporary_folder();

/// The folder the running program lies in (to start its siblings).
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace conoid
