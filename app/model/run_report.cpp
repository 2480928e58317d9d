// SPDX-License-Identifier: BSD-3-Clause
// The command writes the page.
#include "app/model/run_report.hpp"

#include <utility>

#include "app/model/conoid_command.hpp"
#include "engine/core/atomic_file.hpp"

namespace conoid::app {

Status write_run_report(const std::filesystem::path& run, const std::filesystem::path& page,
                        std::filesystem::path program, std::stop_token stop) {
  constexpr double longest = 3600;  // two dozen pictures of a large run
  const auto done = ask_conoid({"report", absolute_path(run).string(), "--out", absolute_path(page).string()},
                               std::move(program), longest, std::move(stop));
  return done ? Status() : Status(done.error());
}

}  // namespace conoid::app
