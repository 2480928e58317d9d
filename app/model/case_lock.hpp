// SPDX-License-Identifier: BSD-3-Clause
// One window a case: a lock file for each open case, and a way to ask the window that has it to show itself.
#pragma once

#include <filesystem>
#include <memory>

#include <QFileSystemWatcher>
#include <QLockFile>
#include <QObject>
#include <QString>

namespace conoid::app {

/// Lives in the window's thread. Files in the state folder; no socket.
class CaseLock : public QObject {
  Q_OBJECT
 public:
  /// `folder` empty: nothing can be written, every case is free.
  explicit CaseLock(QString folder, QObject* parent = nullptr);
  ~CaseLock() override;
  /// Gives up the case held so far and takes this one; false when another window has it.
  bool take(const std::filesystem::path& file);
  void release();
  /// The process that holds a case; 0 when nobody does.
  [[nodiscard]] qint64 holder(const std::filesystem::path& file) const;
  /// Asks the window that has the case to come to the front.
  void ask_to_show(const std::filesystem::path& file) const;

 signals:
  void show_wanted();  ///< another window was asked for the case that this one holds

 private:
  [[nodiscard]] QString base_of(const std::filesystem::path& file) const;
  void look();
  QString folder_;
  QString held_;  ///< base name of the files of the case held
  std::unique_ptr<QLockFile> lock_;
  QFileSystemWatcher watcher_;
};

}  // namespace conoid::app
