// SPDX-License-Identifier: BSD-3-Clause
// Notices that the file of the case at hand was changed by another program.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include "app/model/case_model.hpp"

namespace conoid::app {

/// Editors replace files rather than change them: folder and file are watched, and the content decides, not the clock.
class CaseWatcher : public QObject {
  Q_OBJECT
 public:
  explicit CaseWatcher(CaseModel& model, QObject* parent = nullptr);
  /// Values that differ between the window and the file: "/excitation/frequency: 1 GHz → 2 GHz".
  [[nodiscard]] QStringList differences() const;
  /// Opens the file again; edits made here are given up.
  Status reload();
  /// The window's content stays; the same content of the file is not announced again.
  void keep();

 signals:
  void changed_outside();
  void settled();  ///< nothing differs any more

 private:
  void watch();
  void look();
  CaseModel& model_;
  QFileSystemWatcher watcher_;
  QTimer timer_;
  std::string known_;  ///< canonical text of what was read, saved or refused last
  bool different_ = false;
};

}  // namespace conoid::app
