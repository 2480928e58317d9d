// SPDX-License-Identifier: BSD-3-Clause
// Folders for files of a moment.
#pragma once

#include <filesystem>
#include <string>

namespace conoid {

/// A new folder `parent`/`name`-XXXXXX that only this user may enter, gone with the object and all that is in it. path() is empty where it
/// could not be made.
class PrivateFolder {
 public:
  PrivateFolder(const std::filesystem::path& parent, const std::string& name);
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace conoid
