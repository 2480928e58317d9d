// SPDX-License-Identifier: BSD-3-Clause
// What `run` and `resume` share: drive a session, show it, report its end.
#pragma once

#include <string>

#include "engine/cli/option_set.hpp"
#include "engine/cli/output.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {

/// Options of a run as typed.
struct RunOptions {
  ResourceOptions resources;
  std::string progress = "auto";
  std::string launcher;  ///< "mpirun -n 4", "ssh host": computed by a conoid-worker started so
};

/// Declares the flags of resources, --progress, --launcher, --json.
void add_run_options(OptionSet verb, RunOptions& options, Context& context);

/// Fills `session` from `options`, runs it to its end, prints the report, sets the exit code.
void run_and_report(SessionOptions session, const RunOptions& options, Context& context);

}  // namespace conoid::cli
