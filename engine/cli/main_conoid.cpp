// SPDX-License-Identifier: BSD-3-Clause
// The command `conoid`.
#include "engine/cli/command_line.hpp"
#include "engine/core/room_to_start.hpp"

int main(int argc, char** argv) {
  return conoid::cli::run_command_line(argc, argv);
}

CONOID_REQUIRE_ROOM_TO_START
