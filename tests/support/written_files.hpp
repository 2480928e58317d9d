// SPDX-License-Identifier: BSD-3-Clause
// Files that a test writes for a reader.
#pragma once

#include <QTemporaryDir>

#include <fstream>
#include <string>

namespace conoid::test {

/// A folder of files; gone with it.
class WrittenFiles {
 public:
  /// Its path.
  std::string operator()(const std::string& name, const std::string& content) const {
    const std::string path = folder_.filePath(QString::fromStdString(name)).toStdString();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  [[nodiscard]] const QTemporaryDir& folder() const { return folder_; }

 private:
  QTemporaryDir folder_;
};

}  // namespace conoid::test
