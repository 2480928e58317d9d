// SPDX-License-Identifier: BSD-3-Clause
// Look-up of the resources folder.
#include "engine/core/resources.hpp"

#include <cstdlib>

#include "conoid/config.hpp"

namespace conoid {
namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  return self.parent_path();
}

fs::path resources_folder() {
  if (const char* named = std::getenv("CONOID_RESOURCES"); named && *named) return named;
  std::error_code ignored;
  const fs::path installed = program_folder().parent_path() / "share" / "conoid";
  if (fs::is_directory(installed / "cases", ignored)) return installed;
  return fs::path(CONOID_SOURCE_FOLDER) / "resources";
}

}  // namespace conoid
