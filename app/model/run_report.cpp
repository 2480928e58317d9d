// SPDX-License-Identifier: BSD-3-Clause
// Starts the command and tells what it said.
#include "app/model/run_report.hpp"

#include <sys/wait.h>

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/resources.hpp"

namespace conoid::app {

Status write_run_report(const std::filesystem::path& run, const std::filesystem::path& page,
                        std::filesystem::path program, std::stop_token stop) {
  if (program.empty()) program = program_folder() / "conoid";
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored))
    return make_error(ErrorCode::file, fmt::format("the program '{}' is not there", program.string()),
                      "It writes the page of a run; install the whole of Conoid.");
  RunLimits limits;
  limits.seconds = 3600;  // two dozen pictures of a large run
  limits.merge_errors = false;
  limits.stop = std::move(stop);
  const auto done = run_program(
      {program.string(), "report", absolute_path(run).string(), "--out", absolute_path(page).string()}, limits);
  if (!done) return done.error();
  if (done->stopped) return make_error(ErrorCode::stopped, "the page was given up", "");
  if (done->timed_out)
    return make_error(ErrorCode::internal, "the page was not written within an hour",
                      "Try `conoid report` in a terminal.");
  if (WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return {};
  std::string said = done->errors;
  constexpr std::string_view begin = "conoid: error: ";
  if (const auto at = said.find(begin); at != std::string::npos) said.erase(0, at + begin.size());
  while (said.ends_with('\n')) said.pop_back();
  return make_error(ErrorCode::file, said.empty() ? "`conoid report` ended without a word" : said, "");
}

}  // namespace conoid::app
