// SPDX-License-Identifier: BSD-3-Clause
// Notices changes from outside.
#include "app/model/case_watcher.hpp"

#include <QFileInfo>

#include "app/model/json_path.hpp"

namespace conoid::app {
namespace {

constexpr int settle_ms = 250;  // an editor writes in several steps

void collect(const Json& before, const Json& now, const std::string& pointer, QStringList& out) {
  if (before == now || out.size() > 200) return;
  if (before.is_object() && now.is_object()) {
    for (const auto& [key, value] : now.items()) {
      const auto it = before.find(key);
      collect(it == before.end() ? Json() : *it, value, child_pointer(pointer, key), out);
    }
    for (const auto& [key, value] : before.items())
      if (!now.contains(key)) collect(value, Json(), child_pointer(pointer, key), out);
    return;
  }
  const auto text = [](const Json& v) {
    return v.is_null() ? QObject::tr("not given") : QString::fromStdString(json_text(v)).left(60);
  };
  out << QString::fromStdString(pointer) + ": " + text(before) + " → " + text(now);
}

}  // namespace

CaseWatcher::CaseWatcher(CaseModel& model, QObject* parent) : QObject(parent), model_(model) {
  timer_.setSingleShot(true);
  timer_.setInterval(settle_ms);
  connect(&timer_, &QTimer::timeout, this, &CaseWatcher::look);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &timer_, qOverload<>(&QTimer::start));
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, &timer_, qOverload<>(&QTimer::start));
  connect(&model, &CaseModel::opened, this, &CaseWatcher::watch);
  connect(&model, &CaseModel::dirty_changed, this, [this](bool dirty) {
    if (!dirty) watch();  // saved just now
  });
}

void CaseWatcher::watch() {
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  if (!watcher_.directories().isEmpty()) watcher_.removePaths(watcher_.directories());
  const bool was = std::exchange(different_, false);
  if (was) emit settled();
  const QString file = QString::fromStdString(model_.document().file().string());
  known_.clear();
  if (file.isEmpty() || !QFileInfo::exists(file)) return;
  if (const auto now = CaseDocument::read(file.toStdString())) known_ = json_text(now->json());
  watcher_.addPath(file);
  watcher_.addPath(QFileInfo(file).path());
}

void CaseWatcher::look() {
  const std::filesystem::path file = model_.document().file();
  if (!model_.is_open() || file.empty()) return;
  const auto now = CaseDocument::read(file);
  if (!now) return;  // half written, or gone: the window's content is what there is
  const QString path = QString::fromStdString(file.string());
  if (!watcher_.files().contains(path)) watcher_.addPath(path);
  const std::string text = json_text(now->json());
  if (text == known_) return;
  if (model_.named_as_now(now->json()) == model_.json()) {
    known_ = text;
    if (std::exchange(different_, false)) emit settled();
    return;
  }
  different_ = true;
  emit changed_outside();
}

QStringList CaseWatcher::differences() const {
  QStringList out;
  if (const auto now = CaseDocument::read(model_.document().file()))
    collect(model_.json(), model_.named_as_now(now->json()), "", out);
  return out;
}

Status CaseWatcher::reload() {
  const std::filesystem::path file = model_.document().file();
  different_ = false;
  Status opened = model_.open(file);
  emit settled();
  return opened;
}

void CaseWatcher::keep() {
  if (const auto now = CaseDocument::read(model_.document().file())) known_ = json_text(now->json());
  different_ = false;
  emit settled();
}

}  // namespace conoid::app
