// SPDX-License-Identifier: BSD-3-Clause
// A session computed by another program: on this machine, under mpirun or srun, or on another machine through ssh. What
// happens to that program cannot hurt this one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/session/session.hpp"

namespace conoid {

/// How the computing program is started. It speaks on its stdin and stdout; nothing listens on a port.
struct Launcher {
  std::vector<std::string>
      command;  ///< {"/…/conoid-worker"}, {"mpirun", "-n", "4", "/…/conoid-worker"}, {"ssh", "host", "conoid-worker"}
  bool pack = false;               ///< pack large messages, for a slow connection
  double seconds_to_answer = 120;  ///< a person may have to type a password
  double seconds_to_stop = 60;     ///< until a session that is given up is ended by force
};

/// The program conoid-worker beside this one.
[[nodiscard]] Launcher local_launcher();

/// A line as typed: "mpirun -n 4", "ssh host", "ssh host /opt/conoid/bin/conoid-worker". Words in quotes stay together.
/// When the last word is not a conoid-worker, the one beside this program is added (for ssh: the one on the other
/// machine's PATH).
[[nodiscard]] Result<Launcher> parse_launcher(std::string_view line);

/// Starts the session. Whatever goes wrong, from a program that is not there to its crash, arrives as state `failed` with
/// ErrorCode::remote and what the program had said. Paths in the options and in the case are those of the computing
/// program's machine, relative ones from its working folder. The program stops, with a checkpoint, when this one ends.
[[nodiscard]] std::unique_ptr<SessionPort> start_session_in_process(SessionOptions options, Launcher launcher);

}  // namespace conoid
