// SPDX-License-Identifier: BSD-3-Clause
// The run pane: Run, Pause, Step, Stop, Checkpoint; phases, progress, rate and ETA; estimate before, numbers after.
#pragma once

#include <QWidget>

#include "app/model/action_table.hpp"
#include "app/model/case_model.hpp"
#include "app/model/help_topic.hpp"
#include "app/model/run_model.hpp"

class QGridLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace conoid::app {

class ElidedLabel;
class FigureLabel;
class FoldButton;
class IconLabel;
class StateDot;

class RunPanel : public QWidget {
  Q_OBJECT
 public:
  RunPanel(CaseModel& model, RunModel& run, const ActionTable& actions, const Look& look, QWidget* parent = nullptr);
  /// Where runs are computed and by whom, as the settings keep it; said beside the command line.
  void set_place(const QString& place, const QString& workers);

 signals:
  /// What went wrong is to be explained.
  void help_wanted(const conoid::app::HelpTopic& topic);

 private:
  QWidget* make_controls(const ActionTable& actions);
  QWidget* make_progress();
  QWidget* make_command(const ActionTable& actions);
  void refresh_state();
  void refresh_progress();
  void refresh_phases();
  void refresh_devices();
  void refresh_estimate();
  void refresh_numbers();
  void refresh_command();

  CaseModel& model_;
  RunModel& run_;
  const Look& look_;
  QLabel* obstacle_;
  StateDot* dot_;
  QLabel* state_;
  FigureLabel* elapsed_;
  QLabel* error_;
  QPushButton* error_help_;
  QWidget* progress_box_;
  QProgressBar* bar_;
  FigureLabel* count_;
  FigureLabel* eta_;
  FigureLabel* rate_;
  FigureLabel* criterion_;
  QWidget* phases_box_;
  QVBoxLayout* phases_column_;
  QWidget* estimate_box_;
  QGridLayout* estimate_grid_;
  QWidget* estimate_more_;
  QGridLayout* estimate_more_grid_;
  FoldButton* estimate_fold_;
  QWidget* details_box_;
  QWidget* devices_box_;
  QGridLayout* devices_grid_;
  QStringList device_words_;
  QGridLayout* details_grid_;
  QWidget* numbers_box_;
  QGridLayout* numbers_grid_;
  QLabel* hint_;
  Json case_of_run_;  ///< what the run shown was made from
  QString place_, workers_, line_;
  ElidedLabel* place_text_;
  ElidedLabel* command_;
  ElidedLabel* folder_;
  QPushButton* open_folder_;
  struct PhaseRow {
    IconLabel* icon;
    ElidedLabel* name;
    FigureLabel* seconds;
  };
  std::vector<PhaseRow> phase_rows_;
};

}  // namespace conoid::app
