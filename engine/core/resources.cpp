// SPDX-License-Identifier: BSD-3-Clause
// Look-up of the folders of resources and documentation.
#include "engine/core/resources.hpp"

#include <cstdlib>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "conoid/config.hpp"
#include "engine/core/error.hpp"

namespace conoid {
namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  return self.parent_path();
}

std::filesystem::path own_templates_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return std::filesystem::path(data) / "conoid" / "templates";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::filesystem::path(home) / ".local" / "share" / "conoid" / "templates"
                                          : std::filesystem::path();
}

fs::path temporary_folder() {
  const char* named = std::getenv("TMPDIR");
  fs::path folder = named && *named ? named : "/tmp";
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) && ::access(folder.c_str(), W_OK | X_OK) == 0) return folder;
  throw Failure(make_error(ErrorCode::file,
                           fmt::format("there is no folder for temporary files: '{}'{} cannot be written to",
                                       folder.string(), named && *named ? ", named by TMPDIR," : ""),
                           "Set TMPDIR to a folder that you may write to."));
}

fs::path resources_folder() {
  if (const char* named = std::getenv("CONOID_RESOURCES"); named && *named) return named;
  std::error_code ignored;
  const fs::path installed = program_folder().parent_path() / "share" / "conoid";
  if (fs::is_directory(installed / "cases", ignored)) return installed;
  return fs::path(CONOID_SOURCE_FOLDER) / "resources";
}

fs::path documentation_folder() {
  std::vector<fs::path> places;
  if (const char* named = std::getenv("CONOID_DOCUMENTATION"); named && *named) places.emplace_back(named);
  const fs::path above = program_folder().parent_path();
  places.push_back(above / "share" / "doc" / "conoid" / "html");
  places.push_back(above / "docs" / "html");
  places.push_back(fs::path(CONOID_SOURCE_FOLDER) / "build" / "docs" / "html");
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place / "index.html", ignored)) return place;
  return {};
}

}  // namespace conoid
