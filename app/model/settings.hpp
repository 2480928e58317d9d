// SPDX-License-Identifier: BSD-3-Clause
// What the window remembers between starts: theme, geometry, recent cases and runs. Works without a writable home.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QDateTime>
#include <QObject>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "app/look/theme.hpp"

namespace conoid::app {

/// A run that this window started.
struct RecentRun {
  QString folder;
  QString case_file;
  QString title;
  QString state;  ///< "running", "finished", "stopped", "failed"; "interrupted" when the window went away in between
  double seconds = 0;
  QDateTime started;
};

class Settings : public QObject {
  Q_OBJECT
 public:
  /// `file` empty: $XDG_CONFIG_HOME/conoid/conoid-gui.ini.
  explicit Settings(const QString& file = {}, QObject* parent = nullptr);

  [[nodiscard]] ThemeChoice theme() const;
  void set_theme(ThemeChoice choice);
  [[nodiscard]] QByteArray geometry() const { return store_.value("window/geometry").toByteArray(); }
  [[nodiscard]] QByteArray layout() const { return store_.value("window/layout").toByteArray(); }
  void set_window(const QByteArray& geometry, const QByteArray& layout);

  [[nodiscard]] QStringList recent_cases() const { return store_.value("recent/cases").toStringList(); }
  void add_recent_case(const QString& file);

  /// Newest first; runs whose folder is gone are left out.
  [[nodiscard]] std::vector<RecentRun> recent_runs() const;
  /// Adds a run or, for a folder already known, brings its entry up to date.
  void put_run(const RecentRun& run);

  /// Where runs are kept: the user's choice, else $XDG_DATA_HOME/conoid/runs, else a temporary folder.
  [[nodiscard]] std::filesystem::path runs_folder() const;
  void set_runs_folder(const QString& folder);
  /// Where unsaved work and flags of the running program lie; empty when nothing can be written.
  [[nodiscard]] QString state_folder() const;

 signals:
  void runs_changed();

 private:
  QSettings store_;
  QString runs_override_;
};

}  // namespace conoid::app
