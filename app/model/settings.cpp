// SPDX-License-Identifier: BSD-3-Clause
// What the window remembers between starts.
#include "app/model/settings.hpp"

#include <algorithm>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace conoid::app {
namespace {

constexpr int recent_limit = 12;

QString config_file() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/conoid/conoid-gui.ini";
}

bool can_write_in(const QString& folder) {
  return QDir().mkpath(folder) && QFileInfo(folder).isWritable();
}

RecentRun run_from(const QJsonObject& o) {
  return {o["folder"].toString(), o["case"].toString(),    o["title"].toString(),
          o["state"].toString(),  o["seconds"].toDouble(), QDateTime::fromString(o["started"].toString(), Qt::ISODate)};
}

QJsonObject to_json(const RecentRun& run) {
  return {{"folder", run.folder}, {"case", run.case_file},  {"title", run.title},
          {"state", run.state},   {"seconds", run.seconds}, {"started", run.started.toString(Qt::ISODate)}};
}

}  // namespace

Settings::Settings(const QString& file, QObject* parent)
    : QObject(parent), store_(file.isEmpty() ? config_file() : file, QSettings::IniFormat) {}

ThemeChoice Settings::theme() const {
  const QString name = store_.value("look/theme").toString();
  return name == "dark" ? ThemeChoice::dark : name == "light" ? ThemeChoice::light : ThemeChoice::system;
}

void Settings::set_theme(ThemeChoice choice) {
  store_.setValue("look/theme", choice == ThemeChoice::dark    ? "dark"
                                : choice == ThemeChoice::light ? "light"
                                                               : "system");
}

double Settings::font_scale() const {
  return std::clamp(store_.value("look/font_scale", 1.0).toDouble(), 0.8, 2.0);
}

UnitSystem Settings::units() const {
  const QString name = store_.value("look/units").toString();
  return name == "mm" ? UnitSystem::millimetre : name == "us" ? UnitSystem::us : UnitSystem::si;
}

void Settings::set_units(UnitSystem units) {
  store_.setValue("look/units", units == UnitSystem::millimetre ? "mm" : units == UnitSystem::us ? "us" : "si");
}

std::uint64_t Settings::frame_memory() const {
  const std::uint64_t mebibyte = std::uint64_t{1} << 20;
  return std::clamp<std::uint64_t>(
      store_.value("memory/frames", QVariant::fromValue<qulonglong>(384 * mebibyte)).toULongLong(), 32 * mebibyte,
      65536 * mebibyte);
}

std::uint64_t Settings::budget(const char* key) const {
  const auto bytes = store_.value(key).toULongLong();
  return bytes == 0 ? 0 : std::clamp<std::uint64_t>(bytes, std::uint64_t{32} << 20, std::uint64_t{1} << 46);
}

int Settings::autosave_seconds() const {
  return std::clamp(store_.value("recovery/seconds", 2).toInt(), 1, 600);
}

void Settings::set_window(const QByteArray& geometry, const QByteArray& layout) {
  store_.setValue("window/geometry", geometry);
  if (!layout.isEmpty()) store_.setValue("window/layout", layout);
}

QByteArray Settings::views(const QString& case_file) const {
  return store_.value("views/kept").toHash().value(case_file).toByteArray();
}

void Settings::set_views(const QString& case_file, const QByteArray& views) {
  keep_by_case("views", case_file, views);
}

QByteArray Settings::annotations(const QString& case_file) const {
  return store_.value("annotations/kept").toHash().value(case_file).toByteArray();
}

void Settings::set_annotations(const QString& case_file, const QByteArray& annotations) {
  keep_by_case("annotations", case_file, annotations);
}

void Settings::keep_by_case(const QString& group, const QString& case_file, const QByteArray& text) {
  if (case_file.isEmpty()) return;
  const QString kept_key = group + "/kept", order_key = group + "/order";
  QVariantHash kept = store_.value(kept_key).toHash();
  QStringList order = store_.value(order_key).toStringList();
  order.removeAll(case_file);
  if (text.isEmpty()) {
    kept.remove(case_file);
  } else {
    order.prepend(case_file);
    kept[case_file] = text;
  }
  constexpr qsizetype most = 200;
  while (order.size() > most) kept.remove(order.takeLast());
  store_.setValue(kept_key, kept);
  store_.setValue(order_key, order);
}

void Settings::add_recent_case(const QString& file) {
  QStringList files = recent_cases();
  files.removeAll(file);
  files.prepend(file);
  store_.setValue("recent/cases", QStringList(files.mid(0, recent_limit)));
}

void Settings::add_launcher(const QString& line) {
  QStringList lines = launchers();
  lines.removeAll(line);
  lines.prepend(line);
  store_.setValue("compute/launchers", QStringList(lines.mid(0, recent_limit)));
}

std::vector<RecentRun> Settings::recent_runs() const {
  std::vector<RecentRun> runs;
  const auto array = QJsonDocument::fromJson(store_.value("recent/runs").toByteArray()).array();
  for (const auto& value : array) {
    RecentRun run = run_from(value.toObject());
    if (QFileInfo::exists(run.folder)) runs.push_back(std::move(run));
  }
  return runs;
}

void Settings::put_run(const RecentRun& run) {
  if (run.folder.isEmpty()) return;
  std::vector<RecentRun> runs = {run};
  for (RecentRun& other : recent_runs())
    if (other.folder != run.folder) runs.push_back(std::move(other));
  QJsonArray array;
  for (std::size_t i = 0; i < runs.size() && i < recent_limit; ++i) array.append(to_json(runs[i]));
  store_.setValue("recent/runs", QJsonDocument(array).toJson(QJsonDocument::Compact));
  emit runs_changed();
}

std::filesystem::path Settings::runs_folder() const {
  QString folder = runs_override_.isEmpty() ? store_.value("runs/folder").toString() : runs_override_;
  if (folder.isEmpty() || !can_write_in(folder))
    folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/conoid/runs";
  if (!can_write_in(folder)) folder = QDir::tempPath() + "/conoid-runs-" + qEnvironmentVariable("USER", "user");
  return folder.toStdString();
}

std::filesystem::path Settings::jobs_folder() const {
  const std::filesystem::path runs = runs_folder();
  const std::string name = runs.filename().string();
  return runs.parent_path() / (name == "runs" ? std::string("jobs") : name + "-jobs");
}

void Settings::set_runs_folder(const QString& folder) {
  runs_override_ = QDir(folder).absolutePath();
}

QString Settings::state_folder() const {
  QString base = qEnvironmentVariable("XDG_STATE_HOME");
  if (base.isEmpty()) base = QDir::homePath() + "/.local/state";
  const QString folder = base + "/conoid";
  return can_write_in(folder) ? folder : QString();
}

}  // namespace conoid::app
