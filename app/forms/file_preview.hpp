// SPDX-License-Identifier: BSD-3-Clause
// What is in the file that a field names: a line of words, a curve or a picture of its values.
#pragma once

#include <filesystem>
#include <vector>

#include <QDateTime>
#include <QImage>
#include <QWidget>

#include "app/look/theme.hpp"

class QLabel;

namespace conoid::app {

/// What a look into a file tells.
struct FileGlance {
  QString words;  ///< "400 rows, t from 0 to 1.2 s"; why it cannot be read
  bool wrong = false;
  std::vector<double> x, y;  ///< of a table: its first two columns
  QImage picture;            ///< of traces: one column a trace, values as signed colours
};

/// Reads tables (CSV, text), SEG-Y, the header of a VTK image; of other files nothing is said. Bounded; may be called from any thread.
[[nodiscard]] FileGlance look_into_file(const std::filesystem::path& file);

/// Shows a glance of a file; reads in the background, again when the file has changed.
class FilePreview : public QWidget {
  Q_OBJECT
 public:
  explicit FilePreview(const Look& look, QWidget* parent = nullptr);
  /// An empty path: nothing is shown.
  void show_file(const std::filesystem::path& file);
  [[nodiscard]] const FileGlance& glance() const { return glance_; }

 signals:
  void shown();

 private:
  void take(FileGlance glance);
  const Look& look_;
  QLabel* words_;
  QWidget* picture_;
  FileGlance glance_;
  std::filesystem::path file_;
  QDateTime changed_;
  std::uint64_t ticket_ = 0;
};

}  // namespace conoid::app
