// SPDX-License-Identifier: BSD-3-Clause
// All runs in a table with their numbers, the queue of those to come, and a builder of sweeps over fields of a case.
#pragma once

#include <vector>

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/case_model.hpp"
#include "app/model/run_list.hpp"
#include "app/model/run_queue.hpp"
#include "app/model/settings.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QVBoxLayout;

namespace conoid::app {

/// One axis of a sweep: a field of the case and its values as typed.
class SweepRow : public QWidget {
  Q_OBJECT
 public:
  SweepRow(CaseModel& model, const Look& look, QWidget* parent = nullptr);
  /// Offers the fields of the case at hand.
  void refresh();
  /// "/excitation/frequency=1:0.5:3 GHz"; empty when nothing is typed.
  [[nodiscard]] std::string text() const;
  void set(const QString& pointer, const QString& values);

 signals:
  void edited();
  void remove_wanted();

 private:
  CaseModel& model_;
  QComboBox* field_;
  QLineEdit* values_;
};

class RunsPage : public QWidget {
  Q_OBJECT
 public:
  RunsPage(CaseModel& model, RunQueue& queue, const Settings& settings, const Look& look, QWidget* parent = nullptr);
  void refresh();
  /// The folder in which the window itself computes; empty: none.
  void set_own_run(const QString& folder);
  [[nodiscard]] RunList& list() { return *list_; }
  [[nodiscard]] QTableView& table() { return *table_; }
  /// The folders of the chosen rows.
  [[nodiscard]] QStringList chosen() const;
  /// Puts all points of the sweep into the queue; a sentence when it cannot.
  QString add_sweep();
  /// The chosen runs, or all that the list shows where fewer than two are chosen.
  [[nodiscard]] std::vector<ListedRun> meant() const;
  void show_chart();
  [[nodiscard]] SweepRow& sweep_row(std::size_t i) { return *rows_.at(i); }

 signals:
  void run_chosen(const QString& folder);
  void comparison_wanted(const QString& first, const QString& second);

 private:
  QWidget* make_table();
  QWidget* make_side();
  void add_row();
  void refresh_sweep();
  void refresh_buttons();
  CaseModel& model_;
  RunQueue& queue_;
  const Settings& settings_;
  const Look& look_;
  RunList* list_;
  QSortFilterProxyModel* filter_;
  QTableView* table_;
  QStackedWidget* stack_;
  QPushButton* open_;
  QPushButton* compare_;
  QPushButton* chart_;
  QPushButton* export_;
  QLabel* difference_;
  QLabel* queue_note_;
  QListView* queue_view_;
  QLabel* sweep_case_;
  QLabel* sweep_note_;
  QPushButton* sweep_add_;
  QVBoxLayout* rows_column_;
  std::vector<SweepRow*> rows_;
  QString own_run_;
};

}  // namespace conoid::app
