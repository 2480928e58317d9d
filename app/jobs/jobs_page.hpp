// SPDX-License-Identifier: BSD-3-Clause
// All jobs that were given to machines, with their states; the machines that are kept, and what the queue of one has to do.
#pragma once

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/job_list.hpp"

class QLabel;
class QListWidget;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QTableWidget;
class QToolButton;

namespace conoid::app {

class JobsPage : public QWidget {
  Q_OBJECT
 public:
  JobsPage(JobList& jobs, const Look& look, QWidget* parent = nullptr);
  [[nodiscard]] QTableView& table() { return *table_; }
  [[nodiscard]] QTableWidget& queue() { return *queue_; }
  [[nodiscard]] QListWidget& machines() { return *machines_; }
  /// The folder of the chosen job; empty: none.
  [[nodiscard]] QString chosen() const;
  void choose(const QString& folder);
  /// Shows the run of the chosen job; that of another machine is brought first.
  void open_chosen();
  /// Asks the chosen machine what it has to do.
  void ask_queue();

 signals:
  void run_chosen(const QString& run);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_table();
  QWidget* make_side();
  void fill_machines();
  void edit_machine(const ComputeHost& host);
  void refresh();
  void show_queue(const HostQueue& queue, const QString& trouble);
  [[nodiscard]] const ComputeHost* machine() const;

  JobList& jobs_;
  const Look& look_;
  QSortFilterProxyModel* sorted_;
  QStackedWidget* stack_;
  QTableView* table_;
  QPushButton *open_, *bring_, *cancel_;
  QLabel* note_;
  QListWidget* machines_;
  QToolButton *edit_, *forget_;
  QLabel* queue_note_;
  QTableWidget* queue_;
  QString wanted_;  ///< the job whose run is opened as soon as it is here
  QString chosen_before_;
};

}  // namespace conoid::app
