// SPDX-License-Identifier: BSD-3-Clause
// A folder of this process for targets whose reader takes files; in memory where the system has that.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace conoid::fuzz {

inline const std::filesystem::path& scratch() {
  namespace fs = std::filesystem;
  struct Folder {
    fs::path path = (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
                    ("conoid-fuzz-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

inline std::filesystem::path written(const std::string& name, std::string_view bytes) {
  const auto file = scratch() / name;
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file;
}

}  // namespace conoid::fuzz
