// SPDX-License-Identifier: BSD-3-Clause
// Finding what was named, and saying what is near when it is not there.
#include "engine/cli/inputs.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>

#include "engine/case/case.hpp"
#include "engine/case/former_names.hpp"
#include "engine/cli/output.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/session/prolong.hpp"
#include "engine/session/session.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Error missing_case(const fs::path& path) {
  Error error = make_error(ErrorCode::file, fmt::format("there is no case '{}'", path.string()),
                           "`conoid list` shows sample cases, `conoid new NAME` copies one.");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> near;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
    if (it->path().extension() == ".json" || is_there(it->path() / "case.json"))
      near.push_back(it->path().filename().string());
  if (const std::string best = nearest(path.filename().string(), near); !best.empty()) {
    error.hint = fmt::format("Did you mean '{}'?", path.has_parent_path() ? (folder / best).string() : best);
  } else {
    for (const SampleCase& sample : sample_cases())
      if (sample.name == path.string())
        error.hint = fmt::format("It is a sample case: conoid new {0} && conoid run {0}", shell_word(sample.name));
  }
  return error;
}

}  // namespace

namespace {

/// The case on standard input; its relative paths count from the working folder.
Result<CaseDocument> case_from_input() {
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, stdin)) {
    text.append(buffer, n);
    if (text.size() > CaseDocument::max_bytes)
      return make_error(ErrorCode::file, "the case on standard input is larger than 64 MiB", "Check what is piped in.");
  }
  if (text.empty())
    return make_error(ErrorCode::file, "expected a case on standard input, found nothing",
                      "For example: conoid run - < case.json");
  return CaseDocument::parse(text, "standard input");
}

}  // namespace

Result<CaseDocument> read_case(const std::string& name) {
  if (name == "-") return case_from_input();
  fs::path path(name);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (!is_there(path / "case.json"))
      return make_error(ErrorCode::file, fmt::format("the folder '{}' holds no case.json", name),
                        "Name a case file, or a folder with a case.json in it.");
    path /= "case.json";
  }
  if (!is_there(path)) return missing_case(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (path.filename() == "case.json" && is_there(folder / "run.json")) return read_run_case(folder);
  return CaseDocument::read(path);
}

Status apply_set(CaseDocument& document, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    return make_error(ErrorCode::command_line, fmt::format("--set: expected PATH=VALUE, found '{}'", assignment),
                      "Example: --set excitation.frequency=\"2 GHz\"");
  return set_by_any_name(document, schema_of(document), assignment.substr(0, equals), assignment.substr(equals + 1));
}

Diagnostic at_its_flag(Diagnostic d, const std::vector<std::string>& assignments) {
  if (d.place.pointer.empty()) return d;
  for (const std::string& assignment : assignments) {
    const auto pointer = to_pointer(assignment.substr(0, assignment.find('=')));
    if (!pointer) continue;
    const bool same = d.place.pointer == *pointer, inside = d.place.pointer.starts_with(*pointer + "/");
    // Errors of a key that is not known stand at the key, which may be any step on the way to what was set; others that the setting
    // brings stand above it and name its last step.
    const bool above =
        pointer->starts_with(d.place.pointer + "/") &&
        (d.text.starts_with("unknown key") || d.text.find(pointer_steps(*pointer).back()) != std::string::npos);
    if (!same && !inside && !above) continue;
    d.place.file = fmt::format("{} with --set {}", d.place.file, assignment);
    d.place.line = 0;
    return d;
  }
  return d;
}

std::vector<Diagnostic> errors_of_settings(const CaseDocument& document, const std::vector<std::string>& assignments) {
  std::vector<Diagnostic> out;
  if (assignments.empty() || !document.json().is_object() || !document.json().contains("solver")) return out;
  const Json& id = document.json()["solver"];
  const SolverInfo* info = id.is_string() ? find_solver(id.get<std::string>()) : nullptr;
  if (info == nullptr) return out;
  const auto schema = Schema::for_solver(info->id, info->schema);
  if (!schema) return out;
  for (const Diagnostic& d : validate(document, *schema)) {
    Diagnostic at = at_its_flag(d, assignments);
    if (d.severity == Severity::error && at.place.file != d.place.file) out.push_back(std::move(at));
  }
  return out;
}

Result<fs::path> run_folder_named(const std::string& name) {
  const fs::path path(name);
  std::error_code ignored;
  if (name != "latest" && fs::is_regular_file(path, ignored))
    return make_error(ErrorCode::file, fmt::format("'{}' is a file, not a run folder", name),
                      path.extension() == ".json" ? fmt::format("To start a case: conoid run {}", shell_word(name))
                                                  : "Name a folder that `conoid run` made, or 'latest'.");
  auto found = RunFolder::find(name, "runs");
  if (!found) return found.error();
  if (RunFolder::is_of_case_alone(found->path()))
    return make_error(ErrorCode::file,
                      fmt::format("'{}' is not a run folder: it has a case.json, but no run.json", name),
                      fmt::format("To start the case: conoid run {}", shell_word(name)));
  return found->path();
}

namespace {

void add_cases(const fs::path& folder, std::vector<SampleCase>& out) {
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    const auto document = CaseDocument::read(it->path() / "case.json");
    if (!document || !document->json().is_object()) continue;
    SampleCase sample{it->path().filename().string(), it->path() / "case.json", {}, {}, {}, 0};
    auto text = [](const Json& json, const char* key) {
      return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
    };
    sample.solver = text(document->json(), "solver");
    sample.title = text(document->json(), "title");
    if (const auto card_text = read_file(it->path() / "card.json", 1 << 20)) {
      const Json card = read_json(*card_text);
      if (card.is_object()) {
        sample.summary = text(card, "summary");
        if (card.contains("seconds") && card["seconds"].is_number()) sample.seconds = card["seconds"].get<double>();
      }
    }
    out.push_back(std::move(sample));
  }
}

}  // namespace

std::vector<SampleCase> sample_cases() {
  std::vector<SampleCase> out;
  add_cases(resources_folder() / "cases", out);
  if (const fs::path own = own_templates_folder(); !own.empty()) add_cases(own, out);
  std::sort(out.begin(), out.end(), [](const SampleCase& a, const SampleCase& b) { return a.name < b.name; });
  return out;
}

}  // namespace conoid::cli
