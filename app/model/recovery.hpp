// SPDX-License-Identifier: BSD-3-Clause
// Keeps a copy of unsaved edits, so that a crash of the window loses nothing.
#pragma once

#include <optional>
#include <vector>

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/model/case_model.hpp"

namespace conoid::app {

struct RecoveredCase {
  QString copy;       ///< the file that holds the unsaved edits
  QString case_file;  ///< what was being edited
  QString title;
  QDateTime saved;
};

/// Writes `<folder>/unsaved-<pid>-<n>.json` two seconds after the last edit and removes it once the case is saved or
/// closed in order. The copy wraps the case: {"file": …, "case": …}.
class Recovery : public QObject {
  Q_OBJECT
 public:
  Recovery(CaseModel& model, QString folder, QObject* parent = nullptr);
  ~Recovery() override;

  /// Copies left behind by programs that are no longer running.
  [[nodiscard]] static std::vector<RecoveredCase> left_behind(const QString& folder);
  [[nodiscard]] static Result<CaseDocument> load(const RecoveredCase& recovered);
  static void discard(const RecoveredCase& recovered);

  /// Milliseconds after the last edit (2000).
  void set_delay(int ms) { timer_.setInterval(ms); }
  void save_now();
  void forget();

 private:
  CaseModel& model_;
  QString folder_;
  QString file_;
  QTimer timer_;
};

}  // namespace conoid::app
