// SPDX-License-Identifier: BSD-3-Clause
// The command `conoid`.
#include <csignal>

#include "engine/cli/command_line.hpp"
#include "engine/core/room_to_start.hpp"

int main(int argc, char** argv) {
  // A file that may not grow further is an error of its writing, for every verb, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  return conoid::cli::run_command_line(argc, argv);
}

CONOID_REQUIRE_ROOM_TO_START
