// SPDX-License-Identifier: BSD-3-Clause
// What the window has the command `conoid` do: one way to an answer, whoever asks for it.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/error.hpp"

namespace conoid::app {

/// Starts the command (`program`; empty: `conoid` beside this program) with a verb and its arguments, and returns what it says on stdout once it has
/// ended; any thread. What it has against them is the error, without the name of the program before it; a stop, or more than `seconds`, ends it.
[[nodiscard]] Result<std::string> ask_conoid(std::vector<std::string> arguments, std::filesystem::path program,
                                             double seconds, std::stop_token stop = {});

}  // namespace conoid::app
