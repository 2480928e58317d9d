// SPDX-License-Identifier: BSD-3-Clause
// A text file in the user's cache, replaced as a whole.
#include "engine/core/kept_values.hpp"

#include "engine/core/atomic_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace conoid {
namespace {

constexpr int most_lines = 500;
constexpr std::string_view equals = " = ";

std::string_view key_of(std::string_view line) {
  const auto at = line.rfind(equals);
  return at == std::string_view::npos ? std::string_view{} : line.substr(0, at);
}

}  // namespace

KeptValues::KeptValues(std::string_view name, std::string folder) {
  if (folder.empty()) {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
      folder = std::string(cache) + "/conoid";
    else if (const char* home = std::getenv("HOME"); home && *home)
      folder = std::string(home) + "/.cache/conoid";
  }
  if (!folder.empty()) file_ = folder + "/" + std::string(name);
}

std::optional<std::string> KeptValues::recall(std::string_view key) const {
  std::ifstream in(file_);
  std::string line;
  for (int lines = 0; lines < most_lines && std::getline(in, line); ++lines)
    if (key_of(line) == key) return line.substr(key.size() + equals.size());
  return {};
}

void KeptValues::remember(std::string_view key, std::string_view value) const {
  if (file_.empty()) return;
  std::string text = std::string(key) + std::string(equals) + std::string(value) + "\n";
  {
    std::ifstream in(file_);
    std::string line;
    for (int lines = 1; lines < most_lines && std::getline(in, line); ++lines)
      if (key_of(line) != key) text += line + "\n";
  }
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
  (void)write_file_atomically(file_, text);
}

}  // namespace conoid
