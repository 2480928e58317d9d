// SPDX-License-Identifier: BSD-3-Clause
// Starting a program that is shut in before its first instruction: limits (setrlimit), death with its parent (prctl), no writing
// outside one folder (Landlock), no sockets and no children (seccomp). What this kernel or container lacks is left out.
// Sources: Linux man-pages landlock(7), seccomp(2), prctl(2).
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/child_process.hpp"
#include "engine/core/error.hpp"

namespace conoid {

/// Standard input, output and errors of the program; input -1 is /dev/null.
using StandardStreams = std::array<int, 3>;

/// Forks and executes `command[0]`, a path. The parent's thread must live as long as the program shall.
[[nodiscard]] Result<pid_t> start_confined(const std::vector<std::string>& command, const Confinement& how,
                                           StandardStreams streams);

/// Whether this kernel lets a program give up writing outside a folder.
[[nodiscard]] bool can_lock_folders();

}  // namespace conoid
