// SPDX-License-Identifier: BSD-3-Clause
// The files of the tree, for tests that read them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace conoid::test {

/// The folder of the tree.
inline const std::filesystem::path root = CONOID_SOURCE_DIR;

/// All bytes of a file; empty where there is none.
inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

/// Headers and sources directly or deeper in `folders` of the tree.
inline std::vector<std::filesystem::path> source_files(const std::vector<std::string>& folders) {
  static const std::set<std::string> endings = {".hpp", ".cpp", ".inl", ".cu", ".cuh", ".h"};
  std::vector<std::filesystem::path> out;
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && endings.contains(entry.path().extension().string())) out.push_back(entry.path());
  }
  return out;
}

/// What stands between back ticks in the columns of a table's rows; `head` is the table's first line.
struct TableRow {
  std::vector<std::string> first, second;
};
inline std::vector<TableRow> table_of(const std::string& page, const std::string& head) {
  static const std::regex quoted("`([^`]+)`");
  const auto words = [](const std::string& cell) {
    std::vector<std::string> out;
    for (auto at = std::sregex_iterator(cell.begin(), cell.end(), quoted); at != std::sregex_iterator(); ++at)
      out.push_back((*at)[1]);
    return out;
  };
  std::vector<TableRow> rows;
  std::istringstream in(page);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == head) {
      inside = true;
    } else if (inside && !line.starts_with("|")) {
      break;
    } else if (inside && !line.starts_with("|--")) {
      const std::size_t middle = line.find('|', 1);
      rows.push_back({words(line.substr(0, middle)), words(line.substr(std::min(middle, line.size())))});
    }
  }
  return rows;
}

}  // namespace conoid::test
