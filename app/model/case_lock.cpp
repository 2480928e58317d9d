// SPDX-License-Identifier: BSD-3-Clause
// Lock files by the hash of the case's path.
#include "app/model/case_lock.hpp"

#include <QCryptographicHash>
#include <QFile>

namespace conoid::app {

CaseLock::CaseLock(QString folder, QObject* parent) : QObject(parent), folder_(std::move(folder)) {
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &CaseLock::look);
}

CaseLock::~CaseLock() {
  release();
}

QString CaseLock::base_of(const std::filesystem::path& file) const {
  // One case under two names is one case.
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(file, ignored);
  const QByteArray path = QByteArray::fromStdString((ignored ? file : real).string());
  return folder_ + "/case-" + QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex().left(16);
}

bool CaseLock::take(const std::filesystem::path& file) {
  if (folder_.isEmpty()) return true;
  const QString base = base_of(file);
  if (base == held_) return true;
  auto lock = std::make_unique<QLockFile>(base + ".lock");
  lock->setStaleLockTime(0);
  if (!lock->tryLock(0)) return false;
  release();
  QFile::remove(base + ".show");
  lock_ = std::move(lock);
  held_ = base;
  watcher_.addPath(folder_);
  return true;
}

void CaseLock::release() {
  if (!watcher_.directories().isEmpty()) watcher_.removePaths(watcher_.directories());
  lock_.reset();
  held_.clear();
}

qint64 CaseLock::holder(const std::filesystem::path& file) const {
  QLockFile lock(base_of(file) + ".lock");
  qint64 process = 0;
  QString host, program;
  return lock.getLockInfo(&process, &host, &program) ? process : 0;
}

void CaseLock::ask_to_show(const std::filesystem::path& file) const {
  QFile wish(base_of(file) + ".show");
  static_cast<void>(wish.open(QIODevice::WriteOnly));
}

void CaseLock::look() {
  if (held_.isEmpty() || !QFile::remove(held_ + ".show")) return;
  emit show_wanted();
}

}  // namespace conoid::app
