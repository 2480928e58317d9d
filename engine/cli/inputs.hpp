// SPDX-License-Identifier: BSD-3-Clause
// Things that people name on the command line: cases, changes to them, run folders, sample cases.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid::cli {

/// A case file: the file itself, or a folder that holds a case.json. In that of a run, relative paths count from where the run was
/// started. The error of a missing file names what is near.
[[nodiscard]] Result<CaseDocument> read_case(const std::string& name);

/// PATH=VALUE.
[[nodiscard]] Status apply_set(CaseDocument& document, const std::string& assignment);

/// A diagnostic whose value one of these assignments set names the flag instead of a line of the file.
[[nodiscard]] Diagnostic at_its_flag(Diagnostic diagnostic, const std::vector<std::string>& assignments);

/// What the schema has against values that assignments set: unknown keys, units, ranges; each names its flag. Empty where there is nothing,
/// or no such solver.
[[nodiscard]] std::vector<Diagnostic> errors_of_settings(const CaseDocument& document,
                                                         const std::vector<std::string>& assignments);

/// "latest", a path, or a run's name below runs/. The error says what the path is instead, or what is near.
[[nodiscard]] Result<std::filesystem::path> run_folder_named(const std::string& name);

/// A sample case of the resources.
struct SampleCase {
  std::string name;
  std::filesystem::path file;
  std::string solver, title, summary;
  double seconds = 0;  ///< expected on two cores; 0 = unknown
};
[[nodiscard]] std::vector<SampleCase> sample_cases();

}  // namespace conoid::cli
