// SPDX-License-Identifier: BSD-3-Clause
// What is printed after a run: where it lies, its numbers, its tables, and what to do next.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/cli/output.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {

struct Report {
  StateEvent last;
  std::filesystem::path folder;
  std::vector<Diagnostic> diagnostics;
  std::map<std::string, std::size_t> table_rows;
  std::map<std::string, std::pair<double, std::string>> numbers;
  std::string first_field;
};

[[nodiscard]] int exit_code_of(const StateEvent& last);

/// Text for a person, or one object {"state","exit","run","summary",…} with --json.
void print(const Report& report, const Context& context);

/// The summary.json of a run folder; null when there is none.
[[nodiscard]] Json read_summary(const std::filesystem::path& folder);

/// A path as short as it can be typed from here.
[[nodiscard]] std::string short_path(const std::filesystem::path& path);

}  // namespace conoid::cli
