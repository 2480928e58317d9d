// SPDX-License-Identifier: BSD-3-Clause
// What the window opens on: samples to try, recent runs with their state, open a case.
#pragma once

#include <filesystem>
#include <vector>

#include <QWidget>

#include "app/model/recovery.hpp"
#include "app/model/settings.hpp"
#include "engine/session/slowness.hpp"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace conoid::app {

class ActionTable;
class CardGrid;
class SampleCardWidget;

class StartPage : public QWidget {
  Q_OBJECT
 public:
  StartPage(const Look& look, Settings& settings, const ActionTable& actions, const std::filesystem::path& samples,
            QWidget* parent = nullptr);
  void show_recovered(const std::vector<RecoveredCase>& recovered);
  /// Shows recent runs and cases as they are now.
  void refresh_recent();
  /// Reads samples and templates again.
  void show_gallery();
  /// The tour has been taken or declined.
  void hide_invitation();
  /// The seconds on the cards become those of a machine of these rates; unknown ones change nothing.
  void set_rates(const conoid::MachineRates& rates);

 signals:
  void case_chosen(const QString& file);
  void run_chosen(const conoid::app::RecentRun& run);
  void recovery_chosen(const conoid::app::RecoveredCase& recovered);
  void jobs_wanted();

 private:
  QWidget* make_head(const ActionTable& actions);
  QWidget* make_samples(const std::filesystem::path& samples);
  QWidget* make_recent(const ActionTable& actions);
  QWidget* make_news(const ActionTable& actions);
  QWidget* make_invitation(const ActionTable& actions);
  void measure_machine();
  void show_jobs(std::size_t jobs);
  QWidget* make_filters(QWidget* parent);
  /// Shows the cards that are looked for.
  void filter();
  struct Group {
    QWidget* title;
    CardGrid* grid;
    std::vector<SampleCardWidget*> cards;
  };

  const Look& look_;
  Settings& settings_;
  QWidget* invitation_ = nullptr;
  std::filesystem::path samples_;
  QVBoxLayout* gallery_ = nullptr;
  std::vector<Group> groups_;
  QLineEdit* search_ = nullptr;
  QComboBox *physics_ = nullptr, *time_ = nullptr;
  QCheckBox* devices_ = nullptr;
  QLabel* none_ = nullptr;
  QVBoxLayout* recovered_column_;
  QVBoxLayout* runs_column_;
  QVBoxLayout* jobs_column_;
  QVBoxLayout* cases_column_;
};

}  // namespace conoid::app
