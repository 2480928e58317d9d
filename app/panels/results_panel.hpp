// SPDX-License-Identifier: BSD-3-Clause
// Below the picture: a tab for every table of the run, one for the balance of workers, one for the log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/run_model.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QStackedWidget;
class QTabBar;
class QToolButton;

namespace conoid::app {

class LogPanel;

/// One chart viewport serves all tabs: what is not seen is not drawn.
class ResultsPanel : public QWidget {
  Q_OBJECT
 public:
  ResultsPanel(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent = nullptr);
  void show_log();
  [[nodiscard]] ChartScene& chart() { return *scene_; }
  [[nodiscard]] QTabBar& tabs() { return *tabs_; }

 signals:
  void field_wanted(const QString& pointer);

 private:
  void refresh_tabs();
  void show_tab(int index);
  void draw_chart();
  void draw_soon();
  void save_chart();
  void apply_theme();

  RunModel& run_;
  const Look& look_;
  std::shared_ptr<ChartScene> scene_;
  ViewportHost* viewport_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  QToolButton* save_;
  LogPanel* log_;
  QTimer draw_timer_;
  bool chosen_ = false;  ///< a person picked the tab: it stays while others come
};

}  // namespace conoid::app
