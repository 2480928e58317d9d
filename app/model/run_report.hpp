// SPDX-License-Identifier: BSD-3-Clause
// The page of a run, as the command writes it.
#pragma once

#include <filesystem>
#include <stop_token>

#include "engine/core/error.hpp"

namespace conoid::app {

/// Has `conoid report` write `page` (a file that ends in .html) of the run folder `run`: one way to a page, whoever asks for it.
/// `program`: the command; empty: `conoid` beside this program. Returns when it is written, which takes seconds to minutes; any thread.
/// What the command has against it is the error; a stop ends it and leaves no page.
[[nodiscard]] Status write_run_report(const std::filesystem::path& run, const std::filesystem::path& page,
                                      std::filesystem::path program = {}, std::stop_token stop = {});

}  // namespace conoid::app
