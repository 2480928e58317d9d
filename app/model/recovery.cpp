// SPDX-License-Identifier: BSD-3-Clause
// Keeps a copy of unsaved edits.
#include "app/model/recovery.hpp"

#include <cerrno>
#include <csignal>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include "engine/core/atomic_file.hpp"
#include "engine/core/log.hpp"

namespace conoid::app {
namespace {

constexpr int writing_delay_ms = 2000;
constexpr Bytes copy_limit = Bytes{80} << 20;

bool is_running(qint64 pid) {
  return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

}  // namespace

Recovery::Recovery(CaseModel& model, QString folder, QObject* parent)
    : QObject(parent), model_(model), folder_(std::move(folder)) {
  static int count = 0;
  if (!folder_.isEmpty())
    file_ = folder_ + QString("/unsaved-%1-%2.json").arg(QCoreApplication::applicationPid()).arg(count++);
  timer_.setSingleShot(true);
  timer_.setInterval(writing_delay_ms);
  connect(&timer_, &QTimer::timeout, this, &Recovery::save_now);
  connect(&model_, &CaseModel::changed, this, [this] { model_.is_dirty() ? timer_.start() : forget(); });
  connect(&model_, &CaseModel::dirty_changed, this, [this](bool dirty) { dirty ? timer_.start() : forget(); });
}

Recovery::~Recovery() {
  forget();
}

void Recovery::save_now() {
  if (file_.isEmpty() || !model_.is_dirty()) return;
  Json wrapped = Json::object();
  wrapped["file"] = model_.document().file().string();
  wrapped["case"] = model_.json();
  if (Status written = write_file_atomically(file_.toStdString(), compact_json(wrapped)); !written)
    log::warning("unsaved edits are not protected: {}", written.error().text);
}

void Recovery::forget() {
  timer_.stop();
  if (!file_.isEmpty()) QFile::remove(file_);
}

std::vector<RecoveredCase> Recovery::left_behind(const QString& folder) {
  std::vector<RecoveredCase> found;
  if (folder.isEmpty()) return found;
  static const QRegularExpression name("^unsaved-(\\d+)-\\d+\\.json$");
  for (const QFileInfo& info : QDir(folder).entryInfoList({"unsaved-*.json"}, QDir::Files, QDir::Time)) {
    const auto match = name.match(info.fileName());
    if (!match.hasMatch() || is_running(match.captured(1).toLongLong())) continue;
    RecoveredCase recovered{info.filePath(), {}, {}, info.lastModified()};
    const auto document = load(recovered);
    if (!document) continue;
    recovered.case_file = QString::fromStdString(document->file().string());
    const auto title = document->json().find("title");
    recovered.title = title != document->json().end() && title->is_string()
                          ? QString::fromStdString(title->get<std::string>())
                          : QFileInfo(recovered.case_file).fileName();
    found.push_back(std::move(recovered));
  }
  return found;
}

Result<CaseDocument> Recovery::load(const RecoveredCase& recovered) {
  const auto text = read_file(recovered.copy.toStdString(), copy_limit);
  if (!text) return text.error();
  Json wrapped = read_json(*text);
  if (!wrapped.is_object() || !wrapped.contains("case") || !wrapped["case"].is_object() || !wrapped.contains("file") ||
      !wrapped["file"].is_string())
    return make_error(ErrorCode::file, "the copy of unsaved edits is damaged", "",
                      {recovered.copy.toStdString(), 0, ""});
  return CaseDocument::from_json(wrapped["case"], wrapped["file"].get<std::string>());
}

void Recovery::discard(const RecoveredCase& recovered) {
  QFile::remove(recovered.copy);
}

}  // namespace conoid::app
