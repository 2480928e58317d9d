// SPDX-License-Identifier: BSD-3-Clause
// Making and finding run folders.
#include "engine/io/run_folder.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/json.hpp"
#include "engine/core/utc.hpp"

namespace conoid {
namespace fs = std::filesystem;
namespace {

Status make_folders(const fs::path& path) {
  for (const char* name : {"charts", "checkpoints"}) {
    std::error_code code;
    fs::create_directories(path / name, code);
    if (code) return system_error("make folder", (path / name).string(), code.value());
  }
  return {};
}

// "20261120T101725Z-…" as a sortable key; empty for folders that a person named.
std::string time_of_name(const std::string& name) {
  static constexpr std::string_view form = "dddddddd:dddddd:";
  if (name.size() < form.size() || name[8] != 'T' || name[15] != 'Z') return {};
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' && (name[i] < '0' || name[i] > '9')) return {};
  return name.substr(0, form.size());
}

}  // namespace

Result<RunFolder> RunFolder::create(const fs::path& runs, std::string_view hash,
                                    std::chrono::system_clock::time_point now) {
  std::error_code code;
  fs::create_directories(runs, code);
  if (code) return system_error("make folder", runs.string(), code.value());
  const std::string base =
      fmt::format("{}-{}", utc_stamp(std::chrono::system_clock::to_time_t(now)), hash.substr(0, 8));
  for (int n = 1; n < 10000; ++n) {
    const fs::path path = runs / (n == 1 ? base : fmt::format("{}-{}", base, n));
    // create_directory answers false when it is there already: two programs never share a folder.
    if (fs::create_directory(path, code)) {
      if (const Status made = make_folders(path); !made) return made.error();
      return RunFolder(path);
    }
    if (code) return system_error("make folder", path.string(), code.value());
  }
  return make_error(ErrorCode::file, fmt::format("cannot find a free name for a run below '{}'", runs.string()),
                    "Choose another folder with --out.");
}

Result<RunFolder> RunFolder::create_at(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return system_error("make folder", folder.string(), code.value());
  const bool empty = fs::is_empty(folder, code);
  if (code) return system_error("read folder", folder.string(), code.value());
  if (!empty)
    return make_error(ErrorCode::file,
                      fmt::format("the folder '{}' is not empty; nothing was written", folder.string()),
                      "Choose a new folder with --out, or continue that run with `conoid resume`.");
  if (const Status made = make_folders(folder); !made) return made.error();
  // Absolute, so that the run keeps its place when the program changes its working folder.
  return RunFolder(fs::absolute(folder).lexically_normal());
}

bool RunFolder::is_of_case_alone(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "case.json", ignored) && !fs::exists(folder / "run.json", ignored);
}

bool RunFolder::has_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  const fs::directory_iterator entries(folder / "checkpoints", ignored);
  return entries != fs::directory_iterator();
}

Status RunFolder::check_format(const fs::path& folder) {
  const auto text = read_file(folder / "run.json", json_limit);
  if (!text) return {};  // who needs the file says that it is missing
  const auto json = read_json(*text);
  if (!json.is_object() || !json.contains("format") || !json["format"].is_number_integer()) return {};
  const auto found = json["format"].get<std::int64_t>();
  if (found <= format) return {};
  const auto writer = json.find("conoid");
  return make_error(ErrorCode::file,
                    fmt::format("the run in '{}' has format {}, this version of Conoid reads formats up to {}",
                                folder.string(), found, format),
                    fmt::format("Open it with the version that wrote it{}.",
                                writer != json.end() && writer->is_string() ? ", " + writer->get<std::string>() : ""));
}

Result<RunFolder> RunFolder::open(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / "case.json", code))
    return make_error(ErrorCode::file,
                      fmt::format("expected a run folder, found no case.json in '{}'", folder.string()),
                      "Name a folder that `conoid run` made, or 'latest'.");
  if (const Status known = check_format(folder); !known) return known.error();
  if (!is_of_case_alone(folder))  // which stays as it is: who needs run.json says that it is missing
    if (const Status made = make_folders(folder); !made) return made.error();
  return RunFolder(fs::absolute(folder).lexically_normal());
}

Result<RunFolder> RunFolder::latest(const fs::path& runs) {
  std::error_code code;
  std::string best_key;
  fs::path best;
  for (fs::directory_iterator it(runs, fs::directory_options::skip_permission_denied, code), end; !code && it != end;
       it.increment(code)) {
    const fs::path& path = it->path();
    std::error_code ignored;
    if (!fs::exists(path / "case.json", ignored)) continue;
    const std::string name = path.filename().string();
    std::string key = time_of_name(name);
    if (key.empty()) {
      const auto written = fs::last_write_time(path / "case.json", ignored);
      key = utc_stamp(std::chrono::system_clock::to_time_t(
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(std::chrono::file_clock::to_sys(written))));
    }
    // Within one second the longer name is the later run ("-2"), then the higher one.
    key += fmt::format("{:06}{}", name.size(), name);
    if (key > best_key) {
      best_key = key;
      best = path;
    }
  }
  if (best.empty())
    return make_error(ErrorCode::file, fmt::format("there is no run below '{}'", runs.string()),
                      "Start one with `conoid run CASE`, or name a run folder.");
  return open(best);
}

Result<RunFolder> RunFolder::find(std::string_view what, const fs::path& runs) {
  if (what == "latest") return latest(runs);
  std::error_code ignored;
  const fs::path path(what);
  if (fs::exists(path, ignored)) return open(path);
  if (path.filename() == "latest") return latest(path.parent_path());
  if (fs::exists(runs / what, ignored)) return open(runs / what);
  return make_error(ErrorCode::file,
                    fmt::format("there is no run '{}' (looked here and below '{}')", what, runs.string()),
                    "Name a run folder, or 'latest'.");
}

std::string RunFolder::id() const {
  const std::string name = path_.filename().string();
  return name.empty() ? path_.parent_path().filename().string() : name;
}

}  // namespace conoid
