// SPDX-License-Identifier: BSD-3-Clause
// Starts the command and tells what it said.
#include "app/model/conoid_command.hpp"

#include <sys/wait.h>

#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "engine/core/child_process.hpp"
#include "engine/core/resources.hpp"

namespace conoid::app {

Result<std::string> ask_conoid(std::vector<std::string> arguments, std::filesystem::path program, double seconds,
                               std::stop_token stop) {
  if (program.empty()) program = program_folder() / "conoid";
  const std::string verb = arguments.empty() ? std::string() : arguments.front();
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored))
    return make_error(ErrorCode::file, fmt::format("the program '{}' is not there", program.string()),
                      fmt::format("`conoid {}` does this; install the whole of Conoid.", verb));
  RunLimits limits;
  limits.seconds = seconds;
  limits.output = Bytes{256} << 20;
  limits.merge_errors = false;
  limits.stop = std::move(stop);
  arguments.insert(arguments.begin(), program.string());
  auto done = run_program(arguments, limits);
  if (!done) return done.error();
  if (done->stopped) return make_error(ErrorCode::stopped, fmt::format("`conoid {}` was given up", verb), "");
  if (done->timed_out)
    return make_error(ErrorCode::internal,
                      fmt::format("`conoid {}` did not end within {:g} minutes", verb, seconds / 60),
                      "Try it in a terminal.");
  if (WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return std::move(done->output);
  std::string said = done->errors;
  constexpr std::string_view begin = "conoid: error: ";
  if (const auto at = said.find(begin); at != std::string::npos) said.erase(0, at + begin.size());
  while (said.ends_with('\n')) said.pop_back();
  return make_error(ErrorCode::file, said.empty() ? fmt::format("`conoid {}` ended without a word", verb) : said, "");
}

}  // namespace conoid::app
