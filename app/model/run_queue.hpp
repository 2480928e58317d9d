// SPDX-License-Identifier: BSD-3-Clause
// Cases that wait to be run one after the other, in an order that can be changed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <QAbstractListModel>
#include <QTimer>

#include "app/model/run_model.hpp"
#include "engine/case/document.hpp"
#include "engine/session/session.hpp"

namespace conoid::app {

struct QueuedRun {
  QString title;
  QString detail;  ///< what this one sets: "frequency = 2 GHz"
  CaseDocument document;
  SessionState state = SessionState::idle;  ///< idle: waiting
  QString trouble;                          ///< why it failed
  std::filesystem::path folder;
  double share = 0;  ///< done, 0 … 1
};

/// Lives in the window's thread. Waiting runs can be dragged; the one that runs and those that ended stay where they are.
class RunQueue : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { state_role = Qt::UserRole + 1, detail_role, share_role, folder_role };
  /// `runs`: where run folders are made. `is_busy`: true while the window computes something itself; the queue waits then.
  RunQueue(StartSession start, std::filesystem::path runs, std::function<bool()> is_busy, QObject* parent = nullptr);
  ~RunQueue() override;

  /// For runs that have not begun.
  void set_runs_folder(std::filesystem::path runs) { runs_folder_ = std::move(runs); }
  void add(QString title, QString detail, CaseDocument document);
  /// Takes a waiting run out, or asks the running one to stop.
  void remove(int row);
  void remove_ended();
  void set_active(bool on);
  [[nodiscard]] bool is_active() const { return active_; }
  [[nodiscard]] bool is_running() const { return port_ != nullptr; }
  [[nodiscard]] int waiting() const;
  [[nodiscard]] const std::vector<QueuedRun>& runs() const { return queue_; }
  /// Looks for news now (the timer does it by itself).
  void poll();

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  [[nodiscard]] QStringList mimeTypes() const override { return {"application/x-conoid-queue-row"}; }
  [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;
  /// Moves a waiting run before another place (by keys as well as by the mouse); false when it cannot.
  bool move(int from, int to);

 signals:
  void run_ended(const QString& folder);
  void changed();

 private:
  void start_next();
  StartSession start_;
  std::filesystem::path runs_folder_;
  std::function<bool()> is_busy_;
  std::vector<QueuedRun> queue_;
  std::unique_ptr<SessionPort> port_;
  int running_ = -1;
  bool active_ = true;
  QTimer timer_;
};

}  // namespace conoid::app
