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

/// Which units lengths are shown in first, and which are offered first while typing.
enum class UnitSystem { si, millimetre, us };

class Settings : public QObject {
  Q_OBJECT
 public:
  /// `file` empty: $XDG_CONFIG_HOME/conoid/conoid-gui.ini.
  explicit Settings(const QString& file = {}, QObject* parent = nullptr);

  [[nodiscard]] ThemeChoice theme() const;
  void set_theme(ThemeChoice choice);
  /// "en", "fr"; empty: as the system.
  [[nodiscard]] QString language() const { return store_.value("look/language").toString(); }
  void set_language(const QString& id) { store_.setValue("look/language", id); }
  /// 1 = 13 px; 0.8 … 2.
  [[nodiscard]] double font_scale() const;
  void set_font_scale(double scale) { store_.setValue("look/font_scale", scale); }
  /// A family of this system, "system" for its own choice; empty: the program's.
  [[nodiscard]] QString font_family() const { return store_.value("look/font").toString(); }
  void set_font_family(const QString& family) { store_.setValue("look/font", family); }
  /// No movement that nobody asked for.
  [[nodiscard]] bool reduced_motion() const { return store_.value("look/reduced_motion", false).toBool(); }
  void set_reduced_motion(bool on) { store_.setValue("look/reduced_motion", on); }
  [[nodiscard]] UnitSystem units() const;
  void set_units(UnitSystem units);
  /// Memory for frames kept for scrubbing, in bytes.
  [[nodiscard]] std::uint64_t frame_memory() const;
  void set_frame_memory(std::uint64_t bytes) {
    store_.setValue("memory/frames", QVariant::fromValue<qulonglong>(bytes));
  }
  /// Memory of the host and of each device that a run on this machine may take, in bytes; 0: as each case says.
  [[nodiscard]] std::uint64_t host_memory() const { return budget("memory/host"); }
  [[nodiscard]] std::uint64_t device_memory() const { return budget("memory/device"); }
  void set_host_memory(std::uint64_t bytes) { store_.setValue("memory/host", QVariant::fromValue<qulonglong>(bytes)); }
  void set_device_memory(std::uint64_t bytes) {
    store_.setValue("memory/device", QVariant::fromValue<qulonglong>(bytes));
  }
  /// Seconds after the last edit until unsaved work is kept for recovery.
  [[nodiscard]] int autosave_seconds() const;
  void set_autosave_seconds(int seconds) { store_.setValue("recovery/seconds", seconds); }
  void keep_runs_folder(const QString& folder) { store_.setValue("runs/folder", folder); }
  /// Where runs are computed: empty here, "process", or a launcher line (compute_place.hpp).
  [[nodiscard]] QString place() const { return store_.value("compute/place", default_place_).toString(); }
  /// Where they are computed as long as nobody has chosen.
  void set_default_place(const QString& place) { default_place_ = place; }
  void set_place(const QString& place) { store_.setValue("compute/place", place); }
  /// Launcher lines used before, newest first.
  [[nodiscard]] QStringList launchers() const { return store_.value("compute/launchers").toStringList(); }
  void add_launcher(const QString& line);
  /// Who computes on this machine ("cuda:0,cpu"); empty: as each case says.
  [[nodiscard]] QString workers() const { return store_.value("compute/workers").toString(); }
  void set_workers(const QString& workers) { store_.setValue("compute/workers", workers); }
  [[nodiscard]] bool tour_seen() const { return store_.value("start/tour_seen", false).toBool(); }
  void set_tour_seen() { store_.setValue("start/tour_seen", true); }
  [[nodiscard]] QByteArray geometry() const { return store_.value("window/geometry").toByteArray(); }
  [[nodiscard]] QByteArray layout() const { return store_.value("window/layout").toByteArray(); }
  void set_window(const QByteArray& geometry, const QByteArray& layout);

  /// Views of a case file kept under names, as their pane writes them. Of the 200 cases that were given any last.
  [[nodiscard]] QByteArray views(const QString& case_file) const;
  void set_views(const QString& case_file, const QByteArray& views);
  /// Texts in the picture of a case file, as a view that has nothing else.
  [[nodiscard]] QByteArray annotations(const QString& case_file) const;
  void set_annotations(const QString& case_file, const QByteArray& annotations);

  [[nodiscard]] QStringList recent_cases() const { return store_.value("recent/cases").toStringList(); }
  void add_recent_case(const QString& file);

  /// Newest first; runs whose folder is gone are left out.
  [[nodiscard]] std::vector<RecentRun> recent_runs() const;
  /// Adds a run or, for a folder already known, brings its entry up to date.
  void put_run(const RecentRun& run);

  /// Where runs are kept: the user's choice, else $XDG_DATA_HOME/conoid/runs, else a temporary folder.
  [[nodiscard]] std::filesystem::path runs_folder() const;
  void set_runs_folder(const QString& folder);
  /// Where jobs are kept that were given to machines: "jobs" beside a folder "runs", as the command does it, else "<runs>-jobs".
  [[nodiscard]] std::filesystem::path jobs_folder() const;
  /// Where unsaved work and flags of the running program lie; empty when nothing can be written.
  [[nodiscard]] QString state_folder() const;

 signals:
  void runs_changed();

 private:
  [[nodiscard]] std::uint64_t budget(const char* key) const;
  /// Of the 200 cases that were given any last.
  void keep_by_case(const QString& group, const QString& case_file, const QByteArray& text);
  QSettings store_;
  QString default_place_;
  QString runs_override_;
};

}  // namespace conoid::app
