// SPDX-License-Identifier: BSD-3-Clause
// What explains the window: shortcuts, manual and documentation, news, the tour, tutorials.
#include <algorithm>

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSlider>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/field_editor.hpp"
#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/gallery.hpp"
#include "app/model/names.hpp"
#include "app/model/news.hpp"
#include "app/model/tutorials.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/display_panel.hpp"
#include "app/panels/log_panel.hpp"
#include "app/panels/mesh_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/scene_head.hpp"
#include "app/panels/scene_pane.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/start/card_grid.hpp"
#include "app/start/guide.hpp"
#include "app/start/start_page.hpp"
#include "app/start/tour.hpp"
#include "app/window/documentation_window.hpp"
#include "app/window/main_window.hpp"
#include "app/window/manual_window.hpp"
#include "app/window/workbench.hpp"
#include "conoid/config.hpp"
#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {

namespace {

/// The field of a key, or the one that it lies in.
QWidget* field_at(CasePanel& panel, const std::string& pointer) {
  panel.reveal(pointer);
  FieldEditor* best = nullptr;
  for (auto* field : panel.findChildren<FieldEditor*>()) {
    const std::string& own = field->pointer();
    const bool holds = own == pointer || pointer.starts_with(own + '/');
    if (field->isVisible() && holds && (!best || own.size() > best->pointer().size())) best = field;
  }
  return best ? static_cast<QWidget*>(best) : &panel;
}

/// In a narrow head it is in a menu.
QWidget* tool_of(SceneHead& head, const QString& id) {
  QToolButton* button = id.isEmpty() ? nullptr : head.tool_button(id);
  if (!button) return nullptr;
  return button->isVisible() ? static_cast<QWidget*>(button) : &head;
}

}  // namespace

QWidget* MainWindow::control_at(const QString& at) {
  if (!workbench_ || stack_->currentWidget() != workbench_) return nullptr;
  Workbench& bench = *workbench_;
  const QString kind = at.section(':', 0, 0), what = at.section(':', 1);
  ScenePane& pane = bench.viewport_panel().pane();
  // What a step has opened goes with it.
  if (kind != "display" && bench.property("displayOfGuide").toBool()) {
    pane.show_display_panel(false);
    bench.setProperty("displayOfGuide", false);
  }
  if (kind == "case") {
    bench.show_pane("case", true);
    bench.show_mesh(false);
    return field_at(bench.case_panel(), what.toStdString());
  }
  if (kind == "run") {
    bench.show_pane("run", true);
    return bench.findChild<QPushButton*>("runButton");
  }
  if (kind == "picture") return &pane;
  auto* head = pane.findChild<SceneHead*>();
  if (kind == "head") return head;
  if (kind == "tool") return head ? tool_of(*head, what) : nullptr;
  if (kind == "time") {
    auto* slider = bench.viewport_panel().findChild<QSlider*>();
    return slider && slider->isVisible() ? static_cast<QWidget*>(slider)
                                         : &pane;  // there is none before the first frame
  }
  if (kind == "display") {
    if (!pane.display_panel_visible()) {
      pane.show_display_panel(true);
      bench.setProperty("displayOfGuide", true);
    }
    return &pane.display_panel();
  }
  if (kind == "mesh") {
    bench.show_pane("case", true);
    bench.show_mesh(true);
    return &bench.mesh_panel();
  }
  if (kind != "results") return nullptr;
  bench.show_pane("results", true);
  QTabBar& tabs = bench.results_panel().tabs();
  for (int i = 0; i < tabs.count() && !what.isEmpty(); ++i)
    if (tabs.tabData(i).toString() == what) tabs.setCurrentIndex(i);
  return &bench.results_panel();
}

void MainWindow::start_tutorial(const Tutorial& tutorial) {
  delete findChild<Guide*>(QString(), Qt::FindDirectChildrenOnly);
  const auto file = options_.samples / tutorial.sample.toStdString() / "case.json";
  if (!open_case(file)) return;  // the error has been shown
  show_workbench();
  GuideHost host;
  host.control = [this](const QString& at) { return control_at(at); };
  host.state = [this](const TutorialStep& step) -> QString {
    if (step.until == "edited") {
      const Json* value = model_->value(step.at.section(':', 1).toStdString());
      return value ? QString::fromStdString(value->dump()) : QString();
    }
    return run_->state() == SessionState::finished ? "finished" : run_->is_active() ? "running" : QString();
  };
  auto* guide = new Guide(tutorial, std::move(host), look_, this);
  guide->begin();
}

void MainWindow::choose_tutorial() {
  QDialog dialog(this);
  dialog.setWindowTitle(tr("Tutorials"));
  dialog.setMinimumWidth(520);
  auto* column = new QVBoxLayout(&dialog);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  auto* words = make_label(tr("Each opens a sample and points at the controls, step by step."), "muted", &dialog);
  column->addWidget(words);
  auto* list = new QListWidget(&dialog);
  list->setAccessibleName(tr("Tutorials"));
  list->setWordWrap(true);
  list->setResizeMode(QListView::Adjust);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // lines are broken, never cut
  list->setSpacing(2);
  const std::vector<Tutorial> tutorials = load_tutorials();
  for (const Tutorial& one : tutorials) list->addItem(one.title + "\n" + one.summary);
  list->setCurrentRow(0);
  constexpr int row_height = 64;
  list->setMinimumHeight(row_height * static_cast<int>(tutorials.size()) + 8);
  column->addWidget(list, 1);
  add_dialog_buttons(dialog, *column, tr("Begin"));
  connect(list, &QListWidget::itemActivated, &dialog, &QDialog::accept);
  if (dialog.exec() == QDialog::Accepted && list->currentRow() >= 0)
    start_tutorial(tutorials[static_cast<std::size_t>(list->currentRow())]);
}

void MainWindow::show_shortcuts() {
  QDialog dialog(this);
  dialog.setWindowTitle(tr("Shortcuts"));
  auto* columns = new QHBoxLayout(&dialog);
  columns->setContentsMargins(24, 20, 24, 20);
  columns->setSpacing(56);
  // Two columns, each with rows of its own: one would be higher than a small screen. A menu is not torn apart.
  const auto& rows = actions_->rows();
  const auto all = std::count_if(rows.begin(), rows.end(), [](const ActionRow& a) { return !a.shortcut.isEmpty(); });
  QGridLayout* grid = nullptr;
  int row = 0, seen = 0;
  QString menu;
  for (const ActionRow& action : rows) {
    if (action.shortcut.isEmpty()) continue;
    if (!grid || (columns->count() == 1 && action.menu != menu && 2 * seen >= all)) {
      if (grid) grid->setRowStretch(row, 1);
      grid = new QGridLayout;
      grid->setHorizontalSpacing(32);
      grid->setVerticalSpacing(6);
      columns->addLayout(grid);
      row = 0;
    }
    if (action.menu != menu) {
      if (row > 0) grid->setRowMinimumHeight(row++, 6);
      menu = action.menu;
      grid->addWidget(make_label(QString(menu).remove('&'), "section", &dialog), row++, 0);
    }
    ++seen;
    grid->addWidget(make_label(QString(action.text).remove(QStringLiteral("…")), "", &dialog), row, 0);
    grid->addWidget(make_label(action.shortcut.toString(QKeySequence::NativeText), "muted", &dialog), row++, 1,
                    Qt::AlignRight);
  }
  if (grid) grid->setRowStretch(row, 1);
  dialog.exec();
}

void MainWindow::show_manual() {
  QWidget* const focus = QApplication::focusWidget();
  if (!model_->is_open()) return show_shortcuts();
  if (workbench_ && focus && workbench_->results_panel().log().isAncestorOf(focus))
    if (const HelpTopic topic = workbench_->results_panel().log().topic(); !topic.empty()) return show_help(topic);
  std::string pointer;
  for (QWidget* at = focus; at && pointer.empty(); at = at->parentWidget())
    if (const auto* field = qobject_cast<FieldEditor*>(at)) pointer = field->pointer();
  show_help({pointer, {}});
}

void MainWindow::show_help(const HelpTopic& topic) {
  if (topic.code && (topic.pointer.empty() || !model_->is_open())) return show_pages(page_of_code(*topic.code));
  if (model_->is_open()) manual().open_at(model_->solver(), topic.pointer);
}

ManualWindow& MainWindow::manual() {
  if (!manual_) {
    manual_ = new ManualWindow(look_, !documentation_folder().empty(), this);
    connect(manual_, &ManualWindow::page_wanted, this, &MainWindow::show_pages);
  }
  return *manual_;
}

void MainWindow::show_pages(const QString& page) {
  const DocumentationWindow& pages = show_documentation(look_, this, page);
  connect(&pages, &DocumentationWindow::key_wanted, this, &MainWindow::show_key, Qt::UniqueConnection);
}

void MainWindow::show_key(const QString& solver, const QString& field) {
  manual().open_at(solver.toStdString(), field.toStdString());
}

void MainWindow::show_news() {
  QDialog dialog(this);
  dialog.setWindowTitle(tr("What is new"));
  dialog.setMinimumWidth(520);
  auto* column = new QVBoxLayout(&dialog);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  for (const News& version : load_news()) {
    column->addWidget(make_label(tr("Version %1").arg(version.version), "title", &dialog));
    for (const QString& item : version.items) {
      auto* row = new QHBoxLayout;
      row->setSpacing(10);
      row->addWidget(new IconLabel(look_, "check", "accent", 16, &dialog), 0, Qt::AlignTop);
      auto* label = make_label(item, "", &dialog);
      label->setWordWrap(true);
      label->setFixedWidth(440);
      label->setMinimumHeight(label->heightForWidth(440));  // whole, however small the screen
      row->addWidget(label, 1);
      column->addLayout(row);
    }
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
  connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::accept);
  column->addWidget(buttons);
  dialog.exec();
}

void MainWindow::show_tour() {
  if (findChild<Tour*>()) return;
  settings_.set_tour_seen();
  start_->hide_invitation();
  const auto on_bench = [this](std::function<QWidget*(Workbench&)> pick) {
    return [this, pick = std::move(pick)]() -> QWidget* {
      // A case must be open to be shown; the first sample does no harm.
      if (!model_->is_open())
        for (const SampleCard& card : load_gallery(options_.samples))
          if (card.available) {
            static_cast<void>(open_case(card.case_file).ok());
            break;
          }
      if (!model_->is_open()) return nullptr;
      show_workbench();
      for (const char* id : {"case", "run", "results"}) workbench_->show_pane(id, true);
      workbench_->show_mesh(false);
      return pick(*workbench_);
    };
  };
  std::vector<TourStep> steps = {
      {tr("Start from a sample"),
       tr("Each card is a finished case and says how long it takes. A click opens it; nothing of the sample itself can "
          "be spoilt."),
       [this]() -> QWidget* {
         show_start();
         return start_->findChild<SampleCardWidget*>();
       }},
      {tr("Change the case"),
       tr("Everything the case says, from geometry to output. Type units as you like: 2 GHz, 0.5 in. What is wrong is "
          "said beside the field, and every edit can be undone."),
       on_bench([](Workbench& bench) -> QWidget* { return &bench.case_panel(); })},
      {tr("Run it"),
       tr("Memory and time are estimated before the run. Pause, step and stop at any moment: a stopped run can be "
          "resumed."),
       on_bench([](Workbench& bench) -> QWidget* { return bench.findChild<QPushButton*>("runButton"); })},
      {tr("Watch the field"),
       tr("It is drawn while it is computed. Turn it with the mouse, cut it open, read values, draw a line across it, "
          "save a picture or a film."),
       on_bench([](Workbench& bench) -> QWidget* { return &bench.viewport_panel(); })},
      {tr("Read the curves"),
       tr("Receivers, energies and radar cross sections, with exact curves where there are any. Ctrl+K finds every "
          "action by its name, F1 opens the manual at the field at hand."),
       on_bench([](Workbench& bench) -> QWidget* { return &bench.results_panel(); })}};
  auto* tour = new Tour(std::move(steps), look_, this);
  tour->begin();
}

void MainWindow::show_about() {
  QString solvers;
  for (const SolverInfo* info : registered_solvers())
    solvers += "\n" + translated(QString::fromUtf8(info->title.data(), static_cast<qsizetype>(info->title.size())));
  QMessageBox box(QMessageBox::NoIcon, tr("About Conoid"), tr("Conoid %1").arg(CONOID_VERSION), QMessageBox::Ok, this);
  box.setIconPixmap(look_.icon("conoid", "accent").pixmap(48, 48));
  box.setInformativeText(tr("A desktop workbench for waves and shocks.\nBSD-3-Clause licence.\n%1").arg(solvers));
  box.exec();
}

}  // namespace conoid::app
