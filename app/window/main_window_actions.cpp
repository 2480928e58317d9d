// SPDX-License-Identifier: BSD-3-Clause
// What a person can do in the window: the one table of actions, the tool bar, when each action is possible.
#include <QAction>
#include <QApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>

#include "app/model/file_kinds.hpp"
#include "app/model/markers.hpp"
#include "app/model/mesh_model.hpp"
#include "app/model/run_queue.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/mesh_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/start/start_page.hpp"
#include "app/window/main_window.hpp"
#include "app/window/palette.hpp"
#include "app/window/workbench.hpp"
#include "conoid/config.hpp"
#include "engine/session/mesh_preview.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {

/// Cases, runs and pictures, from and to files.
void MainWindow::add_file_actions(std::vector<ActionRow>& rows) {
  rows.insert(
      rows.end(),
      {
          {"file.start", tr("&File"), tr("Start page"), QKeySequence("Ctrl+Home"), "home",
           tr("Samples and recent runs"), [this] { show_start(); }},
          {"file.runs", tr("&File"), tr("Runs, queue and sweeps"), QKeySequence("Ctrl+Shift+R"), "runs",
           tr("All runs with their numbers, the queue, sweeps"), [this] { show_runs(); }},
          {"file.jobs", tr("&File"), tr("Jobs and machines"), QKeySequence("Ctrl+Shift+J"), "connect",
           tr("Jobs that were given to clusters and other machines, and what their queues have to do"),
           [this] { show_jobs(); }},
          {"file.open", tr("&File"), tr("Open…"), QKeySequence::Open, "open", tr("Open a case file"),
           [this] { ask_open(); }},
          {"file.mesh", tr("&File"), tr("New from a mesh or model…"), QKeySequence::New, "mesh",
           tr("A new case around a mesh, a geometry or a model of the medium"),
           [this] {
             const QString file = QFileDialog::getOpenFileName(
                 this, tr("Choose a mesh or a model"), {},
                 file_filter("mesh") + ";;" + file_filter("model") + ";;" + tr("All files (*)"));
             if (file.isEmpty()) return;
             is_mesh(file) ? new_around_body(file) : static_cast<void>(take_file(file).ok());
           }},
          {"file.body", tr("&File"), tr("New from sizes…"), QKeySequence("Ctrl+Shift+N"), "add",
           tr("A new case around a sphere, a box, a plate, a barrier …"), [this] { new_around_body({}); }},
          {"file.open_run",
           tr("&File"),
           tr("Open a run folder…"),
           QKeySequence("Ctrl+Shift+O"),
           "folder",
           {},
           [this] {
             const QString folder = QFileDialog::getExistingDirectory(
                 this, tr("Open a run folder"), QString::fromStdString(settings_.runs_folder().string()));
             if (!folder.isEmpty()) static_cast<void>(open_file(folder).ok());
           }},
          {"file.save", tr("&File"), tr("Save"), QKeySequence::Save, "save", {}, [this] { save(); }},
          {"file.save_as", tr("&File"), tr("Save as…"), QKeySequence("Ctrl+Shift+S"), {}, {}, [this] { save_as(); }},
          {"file.picture",
           tr("&File"),
           tr("Save the picture…"),
           QKeySequence("Ctrl+P"),
           "picture",
           {},
           [this] {
             if (workbench_) workbench_->viewport_panel().save_picture();
           }},
          {"file.copy_picture",
           tr("&File"),
           tr("Copy the picture"),
           {},
           "copy",
           tr("The field as it is seen, to the clipboard; Ctrl+C in the picture does it too"),
           [this] {
             if (workbench_) workbench_->viewport_panel().pane().copy_picture();
           }},
          {"file.export",
           tr("&File"),
           tr("Export the fields…"),
           {},
           "export",
           tr("Fields of all frames for ParaView (VTU, VTI) or as tables (CSV)"),
           [this] { ask_export(); }},
          {"file.template",
           tr("&File"),
           tr("Keep as a template…"),
           {},
           {},
           tr("A case to start others from: it stands in the gallery"),
           [this] { ask_template(); }},
          {{}, tr("&File"), {}, {}, {}, {}, {}},
          {"file.quit", tr("&File"), tr("Quit"), QKeySequence::Quit, {}, {}, [this] { close(); }},
      });
}

/// The case that is open.
void MainWindow::add_edit_actions(std::vector<ActionRow>& rows) {
  rows.insert(rows.end(),
              {
                  {"edit.undo",
                   tr("&Edit"),
                   tr("Undo"),
                   QKeySequence::Undo,
                   "undo",
                   {},
                   [this] { model_->undo_stack().undo(); }},
                  {"edit.redo",
                   tr("&Edit"),
                   tr("Redo"),
                   QKeySequence("Ctrl+Shift+Z"),
                   "redo",
                   {},
                   [this] { model_->undo_stack().redo(); },
                   false,
                   {QKeySequence("Ctrl+Y")}},
                  {"edit.receiver", tr("&Edit"), tr("Add a receiver at…"), QKeySequence("Ctrl+Shift+A"), "place",
                   tr("A receiver at a typed point; the tool above the picture places them by clicks"),
                   [this] { ask_receiver(); }},
                  {"edit.faces", tr("&Edit"), tr("Choose faces"), QKeySequence("Ctrl+Shift+F"), "place",
                   tr("Sides of the body that become a group of the mesh"),
                   [this] {
                     if (!workbench_) return;
                     workbench_->show_pane("case", true);
                     workbench_->show_mesh(true);
                     workbench_->mesh_panel().set_choosing(true);
                   }},
                  {"edit.settings",
                   tr("&Edit"),
                   tr("Settings…"),
                   QKeySequence("Ctrl+,"),
                   "settings",
                   {},
                   [this] { show_settings(); }},
                  {"edit.palette",
                   tr("&Edit"),
                   tr("Find an action…"),
                   QKeySequence("Ctrl+K"),
                   "search",
                   {},
                   [this] { show_palette(*this, *actions_); }},
              });
}

/// Computing it.
void MainWindow::add_run_actions(std::vector<ActionRow>& rows) {
  rows.insert(
      rows.end(),
      {
          {"run.start", tr("&Run"), tr("Run"), QKeySequence("Ctrl+R"), "run", tr("Compute this case"),
           [this] { start_run(); }},
          {"run.queue", tr("&Run"), tr("Add to the queue"), QKeySequence("Ctrl+Shift+Q"), "queue",
           tr("Run this case after those that wait"),
           [this] {
             queue_->add(model_->title(), {}, model_->document());
             show_runs();
           }},
          {"run.submit", tr("&Run"), tr("Submit as a job…"), QKeySequence("Ctrl+Shift+Return"), "export",
           tr("Compute this case on a cluster or another machine; it goes on when the window is closed"),
           [this] { ask_submit(); }},
          {"run.pause", tr("&Run"), tr("Pause"), QKeySequence("F6"), "pause", {}, [this] { pause_or_resume(); }},
          {"run.step", tr("&Run"), tr("Step"), QKeySequence("F7"), "step", tr("One step, then pause"),
           [this] { run_->send(Command::step); }},
          {"run.checkpoint", tr("&Run"), tr("Checkpoint"), QKeySequence("F8"), "checkpoint",
           tr("Write a checkpoint and go on"), [this] { run_->send(Command::checkpoint); }},
          {"run.stop", tr("&Run"), tr("Stop"), QKeySequence("Ctrl+."), "stop",
           tr("Stop after this step; can be resumed"), [this] { run_->stop(); }},
          {{}, tr("&Run"), {}, {}, {}, {}, {}},
          {"run.place",
           tr("&Run"),
           tr("Where to compute…"),
           {},
           "connect",
           tr("In this window, in a process of its own, on another machine"),
           [this] { show_place(); }},
          {"run.folder",
           tr("&Run"),
           tr("Open the run folder"),
           {},
           "folder",
           {},
           [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(run_->folder().string()))); }},
          {"run.report",
           tr("&Run"),
           tr("Report…"),
           {},
           "export",
           tr("One page of this run, HTML or PDF: case, pictures, charts, numbers, resources"),
           [this] { ask_report(); }},
      });
}

/// Frames and the picture of them.
void MainWindow::add_picture_actions(std::vector<ActionRow>& rows) {
  rows.insert(rows.end(),
              {
                  {"view.play", tr("&View"), tr("Play or pause"), QKeySequence("Ctrl+Space"), "play",
                   tr("Play the frames, or the phase of a wave"),
                   [this] {
                     if (workbench_) workbench_->viewport_panel().play(!workbench_->viewport_panel().is_playing());
                   }},
                  {"view.previous",
                   tr("&View"),
                   tr("Frame before"),
                   QKeySequence("Alt+Left"),
                   "previous",
                   {},
                   [this] {
                     if (workbench_) workbench_->viewport_panel().step(-1);
                   }},
                  {"view.next",
                   tr("&View"),
                   tr("Next frame"),
                   QKeySequence("Alt+Right"),
                   "next",
                   {},
                   [this] {
                     if (workbench_) workbench_->viewport_panel().step(1);
                   }},
                  {"view.film",
                   tr("&View"),
                   tr("Save a film…"),
                   {},
                   "film",
                   tr("Numbered pictures, or MP4 and WebM where ffmpeg is installed"),
                   [this] {
                     if (workbench_) workbench_->viewport_panel().save_film();
                   }},
                  {"view.values", tr("&View"), tr("Values over all frames…"), QKeySequence("Ctrl+Shift+V"), "probe",
                   tr("The field at a place, or its mean, ends and integral, over all frames"),
                   [this] { ask_where_values({}); }},
                  {"view.split",
                   tr("&View"),
                   tr("Two linked views"),
                   QKeySequence("Ctrl+2"),
                   "split",
                   {},
                   [this] {
                     if (workbench_) workbench_->viewport_panel().set_split(!workbench_->viewport_panel().is_split());
                   }},
                  {"view.scene", tr("&View"), tr("Another scene in a window of its own"), QKeySequence("Ctrl+Shift+E"),
                   "split", tr("Its own field, camera and planes; of the same frame, or of another"),
                   [this] {
                     if (workbench_) workbench_->viewport_panel().add_scene();
                   }},
                  {"view.fit",
                   tr("&View"),
                   tr("Fit the picture"),
                   QKeySequence("Ctrl+0"),
                   "fit",
                   {},
                   [this] {
                     if (workbench_) workbench_->viewport_panel().fit();
                   }},
              });
}

/// What stands beside it.
void MainWindow::add_pane_actions(std::vector<ActionRow>& rows) {
  const auto pane = [this](const char* id) {
    return [this, id] {
      if (workbench_) workbench_->show_pane(id, !workbench_->is_pane_visible(id));
      refresh_actions();
    };
  };
  rows.insert(
      rows.end(),
      {
          {{}, tr("&View"), {}, {}, {}, {}, {}},
          {"view.case", tr("&View"), tr("Case pane"), QKeySequence("Alt+1"), {}, {}, pane("case"), true},
          {"view.run", tr("&View"), tr("Run pane"), QKeySequence("Alt+2"), {}, {}, pane("run"), true},
          {"view.results", tr("&View"), tr("Results pane"), QKeySequence("Alt+3"), {}, {}, pane("results"), true},
          {"view.mesh",
           tr("&View"),
           tr("Mesh pane"),
           QKeySequence("Alt+4"),
           "mesh",
           {},
           [this] {
             if (workbench_) {
               workbench_->show_pane("case", true);
               workbench_->show_mesh(true);
             }
           }},
          {"view.display", tr("&View"), tr("How the field is shown"), QKeySequence("Ctrl+D"), "display",
           tr("How the field is shown: planes, surfaces, arrows, labels"),
           [this] {
             if (workbench_)
               workbench_->viewport_panel().pane().show_display_panel(
                   !workbench_->viewport_panel().pane().display_panel_visible());
           }},
          {"view.spectrum",
           tr("&View"),
           tr("Spectrum of the curves"),
           {},
           "spectrum",
           {},
           [this] {
             if (workbench_) workbench_->results_panel().set_spectrum(true);
           }},
          {"view.spectrogram",
           tr("&View"),
           tr("Spectrogram of a curve"),
           {},
           "spectrogram",
           tr("Levels over time and frequency"),
           [this] {
             if (workbench_) workbench_->results_panel().set_spectrogram(true);
           }},
          {"view.log",
           tr("&View"),
           tr("Log"),
           QKeySequence("Ctrl+L"),
           {},
           {},
           [this] {
             if (workbench_) {
               workbench_->show_pane("results", true);
               workbench_->results_panel().show_log();
             }
           }},
      });
}

/// The window and its colours.
void MainWindow::add_window_actions(std::vector<ActionRow>& rows) {
  const auto theme = [this](ThemeChoice choice) {
    return [this, choice] {
      look_.choose(choice);
      settings_.set_theme(choice);
      refresh_actions();
    };
  };
  rows.insert(
      rows.end(),
      {
          {{}, tr("&View"), {}, {}, {}, {}, {}},
          {"view.fullscreen",
           tr("&View"),
           tr("Full screen"),
           QKeySequence("F11"),
           {},
           {},
           [this] {
             setWindowState(windowState() ^ Qt::WindowFullScreen);
             actions_->at("view.fullscreen")->setChecked(isFullScreen());
           },
           true},
          {"view.system", tr("&View"), tr("Colours of the system"), {}, {}, {}, theme(ThemeChoice::system), true},
          {"view.light", tr("&View"), tr("Light"), {}, {}, {}, theme(ThemeChoice::light), true},
          {"view.dark", tr("&View"), tr("Dark"), {}, {}, {}, theme(ThemeChoice::dark), true},
          {"view.theme",
           tr("&View"),
           tr("Switch light and dark"),
           QKeySequence("Ctrl+Shift+D"),
           "theme",
           {},
           [this, theme] { theme(look_.theme().dark ? ThemeChoice::light : ThemeChoice::dark)(); }},
      });
}

/// What helps on.
void MainWindow::add_help_actions(std::vector<ActionRow>& rows) {
  rows.insert(
      rows.end(),
      {
          {"help.tour", tr("&Help"), tr("Tour"), {}, {}, tr("Five steps through the window"), [this] { show_tour(); }},
          {"help.tutorials",
           tr("&Help"),
           tr("Tutorials…"),
           {},
           {},
           tr("A sample, and what to do with it: step by step, pointing at the controls"),
           [this] { choose_tutorial(); }},
          {"help.news", tr("&Help"), tr("What is new"), {}, {}, {}, [this] { show_news(); }},
          {"help.manual", tr("&Help"), tr("Manual"), QKeySequence("F1"), "info",
           tr("What the field at hand means, and all other keys of this case"), [this] { show_manual(); }},
          {"help.shortcuts",
           tr("&Help"),
           tr("Shortcuts"),
           QKeySequence("Ctrl+F1"),
           {},
           {},
           [this] { show_shortcuts(); }},
          {"help.about", tr("&Help"), tr("About Conoid"), {}, {}, {}, [this] { show_about(); }},
          {"help.documentation",
           tr("&Help"),
           tr("Documentation"),
           {},
           {},
           tr("Guide, tutorials, theory and all keys, without a network"),
           [this] { show_pages({}); }},
      });
}

std::vector<ActionRow> MainWindow::action_rows() {
  std::vector<ActionRow> rows;
  add_file_actions(rows);
  add_edit_actions(rows);
  add_run_actions(rows);
  add_picture_actions(rows);
  add_pane_actions(rows);
  add_window_actions(rows);
  add_help_actions(rows);
  return rows;
}

void MainWindow::make_tool_bar() {
  bar_ = addToolBar(tr("Tools"));
  bar_->setObjectName("tools");
  bar_->setMovable(false);
  bar_->setFloatable(false);
  bar_->setContextMenuPolicy(Qt::PreventContextMenu);
  bar_->setIconSize({20, 20});
  bar_->toggleViewAction()->setVisible(false);
  for (const char* id : {"file.start", "file.runs", "file.open", "file.save"}) bar_->addAction(actions_->at(id));
  bar_->addSeparator();
  for (const char* id : {"edit.undo", "edit.redo"}) bar_->addAction(actions_->at(id));
  auto* spacer = new QWidget(bar_);
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar_->addWidget(spacer);
  for (const char* id : {"edit.palette", "view.theme"}) bar_->addAction(actions_->at(id));
}

void MainWindow::refresh_actions() {
  if (!actions_) return;
  const bool open = model_->is_open() && workbench_ && stack_->currentWidget() == workbench_;
  const bool active = run_->is_active();
  const SessionState state = run_->state();
  const QUndoStack& undo = model_->undo_stack();
  const auto enable = [&](const char* id, bool on) { actions_->at(id)->setEnabled(on); };
  enable("run.queue", open && model_->obstacle().isEmpty());
  enable("run.submit", open && model_->obstacle().isEmpty());
  enable("file.save", open && (model_->is_dirty() || model_->is_copy_of_run()));
  enable("file.save_as", open);
  enable("file.template", open);
  enable("edit.receiver", open && receiver_list(model_->schema()).has_value());
  enable("help.manual", open);
  for (const char* id : {"file.picture", "file.copy_picture"}) enable(id, open);
  enable("edit.undo", open && undo.canUndo());
  enable("edit.redo", open && undo.canRedo());
  actions_->at("edit.undo")->setText(undo.canUndo() ? tr("Undo %1").arg(undo.undoText()) : tr("Undo"));
  actions_->at("edit.redo")->setText(undo.canRedo() ? tr("Redo %1").arg(undo.redoText()) : tr("Redo"));
  QAction* start = actions_->at("run.start");
  const QString obstacle = model_->obstacle();
  start->setEnabled(open && !active && obstacle.isEmpty());
  start->setText(active ? tr("Running…") : run_->has_run() ? tr("Run again") : tr("Run"));
  start->setToolTip(obstacle.isEmpty() ? tr("Compute this case (Ctrl+R)") : obstacle);
  const bool resumable =
      !active && !run_->is_elsewhere() && (current_run_.state == "stopped" || current_run_.state == "interrupted");
  const bool paused = active && state == SessionState::paused;
  QAction* pause = actions_->at("run.pause");
  pause->setEnabled(open && !run_->is_stopping() &&
                    (paused || resumable || (active && state == SessionState::running)));
  pause->setText(paused || resumable ? tr("Resume") : tr("Pause"));
  pause->setIcon(look_.icon(paused || resumable ? "resume" : "pause"));
  pause->setToolTip(resumable ? tr("Continue the stopped run from its checkpoint (F6)")
                    : paused  ? tr("Resume (F6)")
                    : run_->is_elsewhere()
                        ? tr("Another program computes this run: it can be resumed here once it has ended")
                        : tr("Pause (F6)"));
  const bool steps = active && !run_->is_stopping() && (state == SessionState::running || paused);
  enable("run.step", open && steps);
  enable("run.checkpoint", open && steps);
  enable("run.stop", open && active && !run_->is_stopping());
  enable("run.folder", run_->has_run() && !run_->folder().empty());
  const bool at_rest = run_->has_run() && !run_->folder().empty() && !run_->is_active() && run_->frames().size() > 0;
  enable("file.export", at_rest && !exports_);
  enable("view.values", at_rest && !asks_values_);
  enable("run.report", run_->has_run() && !run_->folder().empty() && !writes_report_);
  actions_->at("run.report")->setText(writes_report_ ? tr("The report is being written…") : tr("Report…"));
  const bool frames = open && !run_->frames().empty();
  enable("view.fit", open);
  for (const char* id : {"view.play", "view.previous", "view.next", "view.film"}) enable(id, frames);
  for (const char* id : {"view.split", "view.scene", "view.display", "view.spectrum", "view.spectrogram"})
    enable(id, open);
  enable("edit.faces", open && workbench_ && workbench_->mesh().is_wanted());
  enable("view.mesh", open && workbench_ && workbench_->mesh().is_wanted());
  for (const char* id : {"case", "run", "results"}) {
    QAction* action = actions_->at(QString("view.") + id);
    action->setEnabled(open);
    action->setChecked(workbench_ && workbench_->is_pane_visible(id));
  }
  enable("view.log", open);
  actions_->at("view.system")->setChecked(look_.choice() == ThemeChoice::system);
  actions_->at("view.light")->setChecked(look_.choice() == ThemeChoice::light);
  actions_->at("view.dark")->setChecked(look_.choice() == ThemeChoice::dark);
}

void MainWindow::ask_receiver() {
  const QString typed =
      QInputDialog::getText(this, tr("Add a receiver"), tr("Its place: x, y, z in metres, or with units"),
                            QLineEdit::Normal, QStringLiteral("0, 0, 0"));
  if (typed.trimmed().isEmpty()) return;
  if (const auto place = place_from(typed)) {
    place_receiver(*model_, *place);
    return;
  }
  show_error(tr("No receiver was added"),
             make_error(ErrorCode::invalid_input, "'" + typed.toStdString() + "' is no point",
                        "Three lengths with commas between: 1, 0.5, 20 cm"));
}

}  // namespace conoid::app
