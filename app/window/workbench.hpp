// SPDX-License-Identifier: BSD-3-Clause
// The page on which one case is worked on: case at the left, picture in the middle, run at the right, results below.
#pragma once

#include <QMainWindow>

#include "app/model/action_table.hpp"
#include "app/model/case_model.hpp"
#include "app/model/help_topic.hpp"
#include "app/model/run_model.hpp"
#include "render/window/make_viewport.hpp"

class QDockWidget;
class QStackedWidget;
class QTabBar;

namespace conoid::app {

class CasePanel;
class MeshModel;
class MeshPanel;
class ResultsPanel;
class RunPanel;
class Settings;
class ViewportPanel;

class Workbench : public QMainWindow {
  Q_OBJECT
 public:
  Workbench(CaseModel& model, RunModel& run, const ActionTable& actions, const Look& look, ViewportKind kind,
            QWidget* parent = nullptr);
  [[nodiscard]] CasePanel& case_panel() { return *case_; }
  [[nodiscard]] MeshPanel& mesh_panel() { return *mesh_panel_; }
  [[nodiscard]] MeshModel& mesh() { return *mesh_; }
  void show_mesh(bool on);
  void apply_settings(const Settings& settings);
  /// Views kept under a name belong to the case file and are there again at the next start.
  void keep_views_in(Settings& settings);
  [[nodiscard]] ViewportPanel& viewport_panel() { return *viewport_; }
  [[nodiscard]] ResultsPanel& results_panel() { return *results_; }
  /// "case", "run" or "results".
  void show_pane(const QString& id, bool visible);
  [[nodiscard]] bool is_pane_visible(const QString& id) const;
  /// The results take the room of picture and panes, or give it back.
  void show_results_alone(bool on);

 signals:
  void help_wanted(const conoid::app::HelpTopic& topic);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  CaseModel& model_;
  void add_pane(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area);
  [[nodiscard]] QDockWidget* pane(const QString& id) const;
  QWidget* make_left(CaseModel& model, const Look& look);
  void show_mesh_group(int number);
  /// What the field that is chosen in the form says of boundaries, in the picture.
  void show_conditions();
  QTabBar* left_tabs_;
  QStackedWidget* left_stack_;
  MeshModel* mesh_;
  MeshPanel* mesh_panel_;
  CasePanel* case_;
  RunPanel* run_panel_;
  ViewportPanel* viewport_;
  ResultsPanel* results_;
  std::string chosen_;  ///< in the form
  std::string marked_;  ///< the group of the condition that is marked in the picture
  bool sized_ = false;
};

}  // namespace conoid::app
