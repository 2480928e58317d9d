// SPDX-License-Identifier: BSD-3-Clause
// What `run` and `resume` share: drive a session, show it, report its end.
#pragma once

#include <optional>
#include <string>

#include "engine/cli/option_set.hpp"
#include "engine/cli/output.hpp"
#include "engine/core/types.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {

/// Options of a run as typed.
struct RunOptions {
  std::string workers;
  int threads = 0;
  std::string memory;  ///< "host=8GiB,device=4GiB"
  std::string progress = "auto";
  std::string launcher;  ///< "mpirun -n 4", "ssh host": computed by a conoid-worker started so
};

/// Declares --workers, --threads, --memory, --progress, --launcher, --json.
void add_run_options(OptionSet verb, RunOptions& options, Context& context);

/// "host=8GiB,device=4GiB" or "8GiB" (the host's).
struct MemoryBudgets {
  std::optional<Bytes> host, device;
};
[[nodiscard]] Result<MemoryBudgets> parse_memory(const std::string& text);

/// Fills `session` from `options`, runs it to its end, prints the report, sets the exit code.
void run_and_report(SessionOptions session, const RunOptions& options, Context& context);

}  // namespace conoid::cli
