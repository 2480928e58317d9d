// SPDX-License-Identifier: BSD-3-Clause
// The program conoid-worker: computes a session for a conoid or a conoid-gui that started it, and speaks with it on stdin and
// stdout.
#include <cstdio>

#include <unistd.h>

#include "engine/cli/signals.hpp"
#include "engine/core/error.hpp"
#include "engine/core/room_to_start.hpp"
#include "engine/session/process/worker.hpp"

int main() {
  if (::isatty(STDIN_FILENO) != 0) {
    std::fputs(
        "conoid-worker computes for conoid and conoid-gui, which start it; for a person there is: conoid run CASE\n",
        stderr);
    return static_cast<int>(conoid::ErrorCode::command_line);
  }
  const int messages = conoid::take_stdout_for_messages();
  const conoid::cli::SignalWatch signals;
  return conoid::run_worker(STDIN_FILENO, messages, signals.stop());
}

CONOID_REQUIRE_ROOM_TO_START
