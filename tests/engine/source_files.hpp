// SPDX-License-Identifier: BSD-3-Clause
// The files of the tree, for tests that read them.
#pragma once

#include <filesystem>
#include <fstream>
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

}  // namespace conoid::test
