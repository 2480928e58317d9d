// SPDX-License-Identifier: BSD-3-Clause
// The kind of a file by its name.
#pragma once

#include <filesystem>
#include <string>

namespace conoid {

/// ".geo" of "Wing.GEO": a file name's ending with its dot, ASCII letters in lower case; empty without one.
[[nodiscard]] inline std::string lower_case_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

}  // namespace conoid
