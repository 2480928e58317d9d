// SPDX-License-Identifier: BSD-3-Clause
// The far end of a session: what the program conoid-worker does.
#pragma once

#include <stop_token>

namespace conoid {

/// Greets, takes a session's options from `input`, computes it on the calling thread (on all ranks of MPI where there are
/// several; rank 0 speaks), sends what happens to `output`, and returns the program's exit code. The end of `input`, or a
/// wish by `stop`, stops the session with a checkpoint. Never throws.
[[nodiscard]] int run_worker(int input, int output, std::stop_token stop);

/// Keeps the wire clean: what libraries print to stdout goes to stderr from now on. Gives the descriptor for messages.
[[nodiscard]] int take_stdout_for_messages();

}  // namespace conoid
