// SPDX-License-Identifier: BSD-3-Clause
// The page on which one case is worked on: case at the left, picture in the middle, run at the right, results below.
#pragma once

#include <QMainWindow>

#include "app/model/action_table.hpp"
#include "app/model/case_model.hpp"
#include "app/model/run_model.hpp"
#include "render/window/make_viewport.hpp"

class QDockWidget;

namespace conoid::app {

class CasePanel;
class ResultsPanel;
class RunPanel;
class ViewportPanel;

class Workbench : public QMainWindow {
  Q_OBJECT
 public:
  Workbench(CaseModel& model, RunModel& run, const ActionTable& actions, const Look& look, ViewportKind kind,
            QWidget* parent = nullptr);
  [[nodiscard]] CasePanel& case_panel() { return *case_; }
  [[nodiscard]] ViewportPanel& viewport_panel() { return *viewport_; }
  [[nodiscard]] ResultsPanel& results_panel() { return *results_; }
  /// "case", "run" or "results".
  void show_pane(const QString& id, bool visible);
  [[nodiscard]] bool is_pane_visible(const QString& id) const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void add_pane(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area);
  [[nodiscard]] QDockWidget* pane(const QString& id) const;
  CasePanel* case_;
  RunPanel* run_panel_;
  ViewportPanel* viewport_;
  ResultsPanel* results_;
  bool sized_ = false;
};

}  // namespace conoid::app
