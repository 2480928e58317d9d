// SPDX-License-Identifier: BSD-3-Clause
// What two runs say differently, as a table: keys of their cases, result numbers, and how far curves and fields are apart. The same as
// `conoid compare`.
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include <QTreeWidget>
#include <QWidget>

#include "engine/session/run_comparison.hpp"

class QLabel;

namespace conoid::app {

/// A row of the table; a head stands above the rows of its kind.
struct DifferenceRow {
  bool head = false;
  QString what, first, second, apart;
  std::string pointer;  ///< of a key
};
/// Heads and rows in the order of `conoid compare`: keys, numbers, curves, fields, notes.
[[nodiscard]] std::vector<DifferenceRow> rows_of(const RunComparison& comparison);

/// Rows that are copied as text.
class DifferenceTable : public QTreeWidget {
  Q_OBJECT
 public:
  explicit DifferenceTable(QWidget* parent = nullptr);
  [[nodiscard]] QString as_text() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

/// Lives in the window's thread; runs are read beside it.
class DifferencesPanel : public QWidget {
  Q_OBJECT
 public:
  explicit DifferencesPanel(QWidget* parent = nullptr);
  /// Two run folders; empty ones: nothing is shown.
  void compare(const std::filesystem::path& first, const std::filesystem::path& second);
  [[nodiscard]] DifferenceTable& table() { return *table_; }

 signals:
  /// A key of the case that is at hand.
  void field_wanted(const QString& pointer);

 private:
  void show_rows(const std::filesystem::path& first, const std::filesystem::path& second,
                 const Result<RunComparison>& compared);
  QLabel* words_;
  DifferenceTable* table_;
  std::uint64_t ticket_ = 0;
};

}  // namespace conoid::app
