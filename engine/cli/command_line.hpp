// SPDX-License-Identifier: BSD-3-Clause
// The command line: verbs, options, exit codes. The meaning of each verb stands in its file under verbs/.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/option_set.hpp"
#include "engine/cli/output.hpp"

namespace conoid::cli {

/// Runs one command line and returns the exit code of the program (ErrorCode's values and 0). Never throws.
[[nodiscard]] int run_command_line(int argc, char** argv);

/// One verb. `add` declares what it takes and what it does; the exit code goes to the context.
struct Verb {
  const char* name;
  const char* summary;   ///< one line in the list of verbs
  const char* examples;  ///< shown at the end of its help
  void (*add)(OptionSet verb, Context& context);
};

/// All verbs, in the order of the help.
[[nodiscard]] const std::vector<Verb>& verbs();

}  // namespace conoid::cli
