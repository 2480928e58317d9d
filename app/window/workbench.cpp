// SPDX-License-Identifier: BSD-3-Clause
// The page on which one case is worked on.
#include "app/window/workbench.hpp"

#include <algorithm>

#include <QDockWidget>
#include <QTimer>

#include "app/model/markers.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/run_panel.hpp"
#include "app/panels/viewport_panel.hpp"

namespace conoid::app {
namespace {

constexpr int case_width = 368;
constexpr int run_width = 296;
constexpr int results_height = 264;

}  // namespace

Workbench::Workbench(CaseModel& model, RunModel& run, const ActionTable& actions, const Look& look, ViewportKind kind,
                     QWidget* parent)
    : QMainWindow(parent) {
  setWindowFlags(Qt::Widget);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setDockOptions(QMainWindow::AnimatedDocks);
  case_ = new CasePanel(model, look, this);
  run_panel_ = new RunPanel(model, run, actions, look, this);
  viewport_ = new ViewportPanel(run, model, look, kind, this);
  results_ = new ResultsPanel(run, look, kind, this);
  setCentralWidget(viewport_);
  add_pane("case", tr("Case"), case_, Qt::LeftDockWidgetArea);
  add_pane("run", tr("Run"), run_panel_, Qt::RightDockWidgetArea);
  add_pane("results", tr("Results"), results_, Qt::BottomDockWidgetArea);
  connect(viewport_, &ViewportPanel::profile_drawn, this,
          [this](const std::vector<ProfilePoint>& points, const QString& label, const QString& unit) {
            show_pane("results", true);
            results_->show_profile(points, label, unit);
          });
  connect(viewport_, &ViewportPanel::place_chosen, this, [this, &model, &run](const Vec3& place) {
    if (!place_receiver(model, place))
      run.add_log({LogLevel::warning, run.elapsed(), tr("This kind of case has no receivers.").toStdString(), {}, {}});
  });
  connect(results_, &ResultsPanel::field_wanted, this, [this](const QString& pointer) {
    show_pane("case", true);
    case_->reveal(pointer.toStdString());
  });
}

void Workbench::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (sized_) return;
  sized_ = true;
  // Docks take sizes only once there is a layout to divide.
  QTimer::singleShot(0, this, [this] {
    resizeDocks({pane("case"), pane("run")}, {case_width, run_width}, Qt::Horizontal);
    resizeDocks({pane("results")}, {std::max(results_height, height() * 3 / 10)}, Qt::Vertical);
  });
}

void Workbench::add_pane(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(id);
  dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
  dock->setTitleBarWidget(new QWidget(dock));  // the panes have heads of their own
  dock->setWidget(content);
  addDockWidget(area, dock);
}

QDockWidget* Workbench::pane(const QString& id) const { return findChild<QDockWidget*>(id, Qt::FindDirectChildrenOnly); }

void Workbench::show_pane(const QString& id, bool visible) {
  if (auto* dock = pane(id)) dock->setVisible(visible);
}

bool Workbench::is_pane_visible(const QString& id) const {
  const auto* dock = pane(id);
  return dock && !dock->isHidden();
}

}  // namespace conoid::app
