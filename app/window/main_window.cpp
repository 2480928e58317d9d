// SPDX-License-Identifier: BSD-3-Clause
// The window.
#include "app/window/main_window.hpp"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QCryptographicHash>
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLockFile>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/model/case_watcher.hpp"
#include "app/model/mesh_model.hpp"
#include "app/model/run_queue.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/runs/runs_page.hpp"
#include "app/start/start_page.hpp"
#include "app/window/palette.hpp"
#include "app/window/settings_dialog.hpp"
#include "app/window/workbench.hpp"
#include "conoid/config.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {
namespace {

QString state_word(SessionState state) {
  switch (state) {
    case SessionState::finished: return "finished";
    case SessionState::stopped: return "stopped";
    case SessionState::failed: return "failed";
    default: return "running";
  }
}

}  // namespace

MainWindow::MainWindow(Look& look, Settings& settings, WindowOptions options, QWidget* parent)
    : QMainWindow(parent), look_(look), settings_(settings), options_(std::move(options)),
      model_(std::make_unique<CaseModel>()), run_(std::make_unique<RunModel>(options_.start)) {
  queue_ = std::make_unique<RunQueue>(options_.start, settings_.runs_folder(), [this] { return run_->is_active(); });
  recovery_ = std::make_unique<Recovery>(*model_, options_.asks ? settings_.state_folder() : QString());
  actions_ = new ActionTable(look_, action_rows(), this);
  actions_->fill(*menuBar());
  make_tool_bar();
  stack_ = new QStackedWidget(this);
  start_ = new StartPage(look_, settings_, *actions_, options_.samples, stack_);
  stack_->addWidget(start_);
  watcher_ = std::make_unique<CaseWatcher>(*model_);
  auto* centre = new QWidget(this);
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_outside_bar());
  column->addWidget(stack_, 1);
  setCentralWidget(centre);
  setAcceptDrops(true);
  apply_settings();
  setWindowIcon(look_.icon("conoid", "accent"));
  resize(1280, 800);
  setMinimumSize(960, 600);
  if (const QByteArray geometry = settings_.geometry(); !geometry.isEmpty() && options_.asks) restoreGeometry(geometry);

  connect(start_, &StartPage::case_chosen, this, [this](const QString& file) { choose_case(file); });
  connect(start_, &StartPage::run_chosen, this, [this](const RecentRun& run) {
    // An error has been shown by then.
    static_cast<void>(open_run(run.folder.toStdString()).ok());
  });
  connect(start_, &StartPage::recovery_chosen, this, [this](const RecoveredCase& recovered) {
    auto document = Recovery::load(recovered);
    if (!document) return show_error(tr("The unsaved edits cannot be read"), document.error());
    Recovery::discard(recovered);
    make_workbench();
    model_->take(std::move(document).value(), true);
    show_workbench();
  });
  connect(model_.get(), &CaseModel::validated, this, &MainWindow::refresh_actions);
  connect(model_.get(), &CaseModel::dirty_changed, this, &MainWindow::refresh_title);
  connect(model_.get(), &CaseModel::changed, this, &MainWindow::refresh_title);
  QUndoStack& undo = model_->undo_stack();
  connect(&undo, &QUndoStack::indexChanged, this, &MainWindow::refresh_actions);
  connect(&undo, &QUndoStack::canUndoChanged, this, &MainWindow::refresh_actions);
  connect(run_.get(), &RunModel::state_changed, this, &MainWindow::refresh_actions);
  connect(run_.get(), &RunModel::opened, this, [this] {
    if (run_->state() == SessionState::finished) current_run_.state = "finished";
    refresh_actions();
  });
  connect(run_.get(), &RunModel::open_failed, this,
          [this](const Error& error) { show_error(tr("The run cannot be opened"), error); });
  connect(run_.get(), &RunModel::ended, this, [this] {
    remember_run();
    if (closing_) close();
  });
  if (options_.asks) start_->show_recovered(Recovery::left_behind(settings_.state_folder()));
  show_start();
}

MainWindow::~MainWindow() {
  // These look at the models until the very end.
  delete workbench_;
  delete runs_;
}

QWidget* MainWindow::make_outside_bar() {
  outside_bar_ = new QFrame(this);
  outside_bar_->setObjectName("noticeBar");
  auto* row = new QHBoxLayout(outside_bar_);
  row->setContentsMargins(16, 6, 12, 6);
  row->setSpacing(8);
  row->addWidget(new IconLabel(look_, "info", "caution", 18, outside_bar_));
  outside_text_ = make_label({}, "", outside_bar_);
  row->addWidget(outside_text_, 1);
  auto* compare = new QPushButton(tr("What differs"), outside_bar_);
  auto* keep = new QPushButton(tr("Keep mine"), outside_bar_);
  auto* reload = new QPushButton(tr("Reload"), outside_bar_);
  for (QPushButton* button : {compare, keep, reload}) row->addWidget(button);
  connect(compare, &QPushButton::clicked, this, [this] {
    QMessageBox box(QMessageBox::NoIcon, tr("What differs"), tr("In the window → in the file"), QMessageBox::Ok, this);
    box.setInformativeText(watcher_->differences().mid(0, 24).join("\n"));
    box.exec();
  });
  connect(keep, &QPushButton::clicked, this, [this] { watcher_->keep(); });
  connect(reload, &QPushButton::clicked, this, [this] {
    if (Status done = watcher_->reload(); !done) show_error(tr("The case cannot be opened"), done.error());
  });
  connect(watcher_.get(), &CaseWatcher::changed_outside, this, &MainWindow::show_outside_bar);
  connect(watcher_.get(), &CaseWatcher::settled, outside_bar_, &QWidget::hide);
  outside_bar_->hide();
  return outside_bar_;
}

void MainWindow::show_outside_bar() {
  outside_text_->setText(model_->is_dirty() ? tr("Another program has changed %1. You have edits of your own.").arg(model_->file_name())
                                            : tr("Another program has changed %1.").arg(model_->file_name()));
  outside_bar_->show();
}

void MainWindow::apply_settings() {
  run_->set_frame_memory(settings_.frame_memory());
  recovery_->set_delay(1000 * settings_.autosave_seconds());
  if (options_.asks) look_.set_font_scale(settings_.font_scale());
  QApplication::setEffectEnabled(Qt::UI_AnimateMenu, !settings_.reduced_motion());
  if (workbench_) workbench_->apply_settings(settings_);
}

void MainWindow::show_settings() {
  SettingsDialog dialog(settings_, look_, this);
  connect(&dialog, &SettingsDialog::changed, this, [this] {
    apply_settings();
    refresh_actions();
  });
  dialog.exec();
}

bool MainWindow::lock_case(const std::filesystem::path& file) {
  lock_.reset();
  const QString folder = settings_.state_folder();
  if (!options_.asks || folder.isEmpty()) return true;
  const QByteArray key = QCryptographicHash::hash(QByteArray::fromStdString(file.string()), QCryptographicHash::Sha1).toHex().left(16);
  auto lock = std::make_unique<QLockFile>(folder + "/case-" + key + ".lock");
  lock->setStaleLockTime(0);
  if (!lock->tryLock(0)) {
    qint64 process = 0;
    QString host, program;
    lock->getLockInfo(&process, &host, &program);
    QMessageBox box(QMessageBox::Question, tr("Already open"),
                    tr("Another window (process %1) has this case open.\nEdits of the two would overwrite each other.").arg(process),
                    QMessageBox::NoButton, this);
    QAbstractButton* anyway = box.addButton(tr("Open it anyway"), QMessageBox::AcceptRole);
    box.addButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == anyway;
  }
  lock_ = std::move(lock);
  return true;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() && event->mimeData()->urls().front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString file = event->mimeData()->urls().front().toLocalFile();
  event->acceptProposedAction();
  // The drag belongs to another program until this returns: no question before that.
  QMetaObject::invokeMethod(this, [this, file] {
    if (QFileInfo(file).isDir()) static_cast<void>(open_run(file.toStdString()).ok());
    else if (file.endsWith(".json", Qt::CaseInsensitive)) choose_case(file);
    else take_mesh(file);
  }, Qt::QueuedConnection);
}

void MainWindow::take_mesh(const QString& file) {
  static const QStringList endings = {"msh", "stl", "obj", "geo", "step", "stp", "brep", "iges", "igs"};
  const QString ending = QFileInfo(file).suffix().toLower();
  if (!endings.contains(ending))
    return show_error(tr("This file cannot be taken"),
                      make_error(ErrorCode::invalid_input, "'" + file.toStdString() + "' is neither a case nor a mesh",
                                 ("Cases end in .json; meshes and geometry in ." + endings.join(", .") + ".").toStdString()));
  const bool open = model_->is_open() && workbench_ && stack_->currentWidget() == workbench_ && workbench_->mesh().is_wanted();
  if (open) {
    const QDir folder(QString::fromStdString(model_->document().folder().string()));
    const QString relative = folder.relativeFilePath(file);
    model_->set("/mesh/file", (relative.startsWith("../") ? file : relative).toStdString(), tr("choice of another mesh"));
    workbench_->show_mesh(true);
    return;
  }
  // Solvers whose cases have a mesh; the person says which physics.
  std::vector<const SolverInfo*> fitting;
  QStringList titles;
  for (const SolverInfo* info : registered_solvers()) {
    const auto schema = Schema::for_solver(info->id, info->schema);
    if (!schema || !schema->json().contains(Json::json_pointer("/properties/mesh"))) continue;
    fitting.push_back(info);
    titles << QString::fromUtf8(info->title.data(), static_cast<qsizetype>(info->title.size()));
  }
  if (fitting.empty() || !options_.asks) return;
  bool ok = false;
  const QString chosen = QInputDialog::getItem(this, tr("New case from a mesh"), tr("What is to be computed?"), titles, 0, false, &ok);
  if (!ok || !may_leave_case()) return;
  Json json = Json::object();
  json["conoid"] = 1;
  json["title"] = QFileInfo(file).completeBaseName().toStdString();
  json["solver"] = std::string(fitting[static_cast<std::size_t>(titles.indexOf(chosen))]->id);
  json["mesh"]["file"] = file.toStdString();
  make_workbench();
  model_->take(CaseDocument::from_json(std::move(json), {}), true);
  current_run_ = {};
  run_->reset();
  show_workbench();
  workbench_->show_mesh(true);
}

std::vector<ActionRow> MainWindow::action_rows() {
  const auto pane = [this](const char* id) {
    return [this, id] {
      if (workbench_) workbench_->show_pane(id, !workbench_->is_pane_visible(id));
      refresh_actions();
    };
  };
  const auto theme = [this](ThemeChoice choice) {
    return [this, choice] {
      look_.choose(choice);
      settings_.set_theme(choice);
      refresh_actions();
    };
  };
  return {
      {"file.start", tr("&File"), tr("Start page"), QKeySequence("Ctrl+Home"), "home", tr("Samples and recent runs"), [this] { show_start(); }},
      {"file.runs", tr("&File"), tr("Runs, queue and sweeps"), QKeySequence("Ctrl+Shift+R"), "runs",
       tr("All runs with their numbers, the queue, sweeps"), [this] { show_runs(); }},
      {"file.open", tr("&File"), tr("Open…"), QKeySequence::Open, "open", tr("Open a case file"), [this] { ask_open(); }},
      {"file.mesh", tr("&File"), tr("New from a mesh…"), QKeySequence::New, "mesh", tr("A new case around a mesh or geometry file"), [this] {
         const QString file = QFileDialog::getOpenFileName(this, tr("Choose a mesh"), {},
                                                           tr("Meshes and geometry (*.msh *.stl *.obj *.geo *.step *.stp);;All files (*)"));
         if (!file.isEmpty()) take_mesh(file);
       }},
      {"file.open_run", tr("&File"), tr("Open a run folder…"), QKeySequence("Ctrl+Shift+O"), "folder", {}, [this] {
         const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a run folder"), QString::fromStdString(settings_.runs_folder().string()));
         if (!folder.isEmpty()) static_cast<void>(open_run(folder.toStdString()).ok());
       }},
      {"file.save", tr("&File"), tr("Save"), QKeySequence::Save, "save", {}, [this] { save(); }},
      {"file.save_as", tr("&File"), tr("Save as…"), QKeySequence("Ctrl+Shift+S"), {}, {}, [this] { save_as(); }},
      {"file.picture", tr("&File"), tr("Save the picture…"), QKeySequence("Ctrl+P"), "picture", {},
       [this] { if (workbench_) workbench_->viewport_panel().save_picture(); }},
      {{}, tr("&File"), {}, {}, {}, {}, {}},
      {"file.quit", tr("&File"), tr("Quit"), QKeySequence::Quit, {}, {}, [this] { close(); }},
      {"edit.undo", tr("&Edit"), tr("Undo"), QKeySequence::Undo, "undo", {}, [this] { model_->undo_stack().undo(); }},
      {"edit.redo", tr("&Edit"), tr("Redo"), QKeySequence("Ctrl+Shift+Z"), "redo", {}, [this] { model_->undo_stack().redo(); }},
      {"edit.settings", tr("&Edit"), tr("Settings…"), QKeySequence("Ctrl+,"), "settings", {}, [this] { show_settings(); }},
      {"edit.palette", tr("&Edit"), tr("Find an action…"), QKeySequence("Ctrl+K"), "search", {},
       [this] { show_palette(*this, *actions_); }},
      {"run.start", tr("&Run"), tr("Run"), QKeySequence("Ctrl+R"), "run", tr("Compute this case"), [this] { start_run(); }},
      {"run.queue", tr("&Run"), tr("Add to the queue"), QKeySequence("Ctrl+Shift+Q"), "queue", tr("Run this case after those that wait"),
       [this] { queue_->add(model_->title(), {}, model_->document()); show_runs(); }},
      {"run.pause", tr("&Run"), tr("Pause"), QKeySequence("F6"), "pause", {}, [this] { pause_or_resume(); }},
      {"run.step", tr("&Run"), tr("Step"), QKeySequence("F7"), "step", tr("One step, then pause"), [this] { run_->send(Command::step); }},
      {"run.checkpoint", tr("&Run"), tr("Checkpoint"), QKeySequence("F8"), "checkpoint", tr("Write a checkpoint and go on"),
       [this] { run_->send(Command::checkpoint); }},
      {"run.stop", tr("&Run"), tr("Stop"), QKeySequence("Ctrl+."), "stop", tr("Stop after this step; can be resumed"), [this] { run_->stop(); }},
      {{}, tr("&Run"), {}, {}, {}, {}, {}},
      {"run.folder", tr("&Run"), tr("Open the run folder"), {}, "folder", {},
       [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(run_->folder().string()))); }},
      {"view.play", tr("&View"), tr("Play or pause"), QKeySequence("Ctrl+Space"), "play", tr("Play the frames, or the phase of a wave"),
       [this] { if (workbench_) workbench_->viewport_panel().play(!workbench_->viewport_panel().is_playing()); }},
      {"view.previous", tr("&View"), tr("Frame before"), QKeySequence("Alt+Left"), "previous", {},
       [this] { if (workbench_) workbench_->viewport_panel().step(-1); }},
      {"view.next", tr("&View"), tr("Next frame"), QKeySequence("Alt+Right"), "next", {},
       [this] { if (workbench_) workbench_->viewport_panel().step(1); }},
      {"view.film", tr("&View"), tr("Save a film…"), {}, "film", tr("Numbered pictures, or MP4 and WebM where ffmpeg is installed"),
       [this] { if (workbench_) workbench_->viewport_panel().save_film(); }},
      {"view.split", tr("&View"), tr("Two linked views"), QKeySequence("Ctrl+2"), "split", {},
       [this] { if (workbench_) workbench_->viewport_panel().set_split(!workbench_->viewport_panel().is_split()); }},
      {"view.fit", tr("&View"), tr("Fit the picture"), QKeySequence("Ctrl+0"), "fit", {},
       [this] { if (workbench_) workbench_->viewport_panel().fit(); }},
      {{}, tr("&View"), {}, {}, {}, {}, {}},
      {"view.case", tr("&View"), tr("Case pane"), QKeySequence("Alt+1"), {}, {}, pane("case"), true},
      {"view.run", tr("&View"), tr("Run pane"), QKeySequence("Alt+2"), {}, {}, pane("run"), true},
      {"view.results", tr("&View"), tr("Results pane"), QKeySequence("Alt+3"), {}, {}, pane("results"), true},
      {"view.mesh", tr("&View"), tr("Mesh pane"), QKeySequence("Alt+4"), "mesh", {},
       [this] { if (workbench_) { workbench_->show_pane("case", true); workbench_->show_mesh(true); } }},
      {"view.display", tr("&View"), tr("How the field is shown"), QKeySequence("Ctrl+D"), "display",
       tr("How the field is shown: planes, surfaces, arrows, labels"),
       [this] { if (workbench_) workbench_->viewport_panel().pane().show_display_panel(!workbench_->viewport_panel().pane().display_panel_visible()); }},
      {"view.spectrum", tr("&View"), tr("Spectrum of the curves"), {}, "spectrum", {},
       [this] { if (workbench_) workbench_->results_panel().set_spectrum(true); }},
      {"view.log", tr("&View"), tr("Log"), QKeySequence("Ctrl+L"), {}, {},
       [this] { if (workbench_) { workbench_->show_pane("results", true); workbench_->results_panel().show_log(); } }},
      {{}, tr("&View"), {}, {}, {}, {}, {}},
      {"view.system", tr("&View"), tr("Colours of the system"), {}, {}, {}, theme(ThemeChoice::system), true},
      {"view.light", tr("&View"), tr("Light"), {}, {}, {}, theme(ThemeChoice::light), true},
      {"view.dark", tr("&View"), tr("Dark"), {}, {}, {}, theme(ThemeChoice::dark), true},
      {"view.theme", tr("&View"), tr("Switch light and dark"), QKeySequence("Ctrl+Shift+D"), "theme", {},
       [this, theme] { theme(look_.theme().dark ? ThemeChoice::light : ThemeChoice::dark)(); }},
      {"help.shortcuts", tr("&Help"), tr("Shortcuts"), QKeySequence("F1"), {}, {}, [this] { show_shortcuts(); }},
      {"help.about", tr("&Help"), tr("About Conoid"), {}, {}, {}, [this] { show_about(); }},
  };
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

void MainWindow::make_workbench() {
  if (workbench_) return;
  workbench_ = new Workbench(*model_, *run_, *actions_, look_, options_.viewport, stack_);
  workbench_->apply_settings(settings_);
  stack_->addWidget(workbench_);
}

void MainWindow::show_start() {
  stack_->setCurrentWidget(start_);
  bar_->hide();
  refresh_title();
  refresh_actions();
}

void MainWindow::show_workbench() {
  make_workbench();
  stack_->setCurrentWidget(workbench_);
  if (auto* run_button = workbench_->findChild<QPushButton*>("runButton")) run_button->setFocus();
  bar_->show();
  refresh_title();
  refresh_actions();
}

Status MainWindow::open_case(const std::filesystem::path& file) {
  const auto absolute = std::filesystem::absolute(file);
  // The case at hand with a run going on: go back to it instead of reading it again.
  if (run_->is_active() || (model_->is_open() && absolute == model_->document().file() && model_->is_dirty())) {
    if (!(model_->is_open() && absolute == model_->document().file())) {
      const Error busy = make_error(ErrorCode::invalid_input, "a run is going on", "Stop it before opening another case.");
      show_error(tr("Another case cannot be opened now"), busy);
      show_workbench();
      return busy;
    }
    show_workbench();
    return {};
  }
  if (!may_leave_case()) return {};
  if (!lock_case(absolute)) return {};
  make_workbench();
  if (Status opened = model_->open(absolute); !opened) {
    show_error(tr("The case cannot be opened"), opened.error());
    return opened;
  }
  current_run_ = {};
  end_comparison();
  run_->reset();
  if (options_.asks) settings_.add_recent_case(QString::fromStdString(absolute.string()));
  show_workbench();
  return {};
}

RunsPage& MainWindow::runs_page() {
  if (!runs_) {
    runs_ = new RunsPage(*model_, *queue_, settings_, look_, stack_);
    stack_->addWidget(runs_);
    connect(runs_, &RunsPage::run_chosen, this, [this](const QString& folder) { static_cast<void>(open_run(folder.toStdString()).ok()); });
    connect(runs_, &RunsPage::comparison_wanted, this, [this](const QString& first, const QString& second) {
      static_cast<void>(compare_runs(first.toStdString(), second.toStdString()).ok());
    });
  }
  return *runs_;
}

void MainWindow::show_runs() {
  RunsPage& page = runs_page();
  page.refresh();
  stack_->setCurrentWidget(&page);
  bar_->show();
  refresh_title();
}

void MainWindow::end_comparison() {
  if (!other_run_) return;
  if (workbench_) {
    workbench_->viewport_panel().compare_with(nullptr);
    workbench_->results_panel().compare_with(nullptr);
  }
  other_run_.reset();
}

Status MainWindow::compare_runs(const std::filesystem::path& first, const std::filesystem::path& second) {
  if (Status opened = open_run(first); !opened) return opened;
  other_run_ = std::make_unique<RunModel>(options_.start);
  const QString name = QString::fromStdString(second.filename().string());
  workbench_->viewport_panel().compare_with(other_run_.get(), name);
  workbench_->results_panel().compare_with(other_run_.get(), tr("other run"));
  connect(other_run_.get(), &RunModel::open_failed, this,
          [this](const Error& error) { show_error(tr("The run cannot be opened"), error); });
  other_run_->open(second);
  return {};
}

Status MainWindow::open_run(const std::filesystem::path& folder) {
  if (run_->is_active()) {
    const Error busy = make_error(ErrorCode::invalid_input, "a run is going on", "Stop it before opening another one.");
    show_error(tr("The run cannot be opened now"), busy);
    return busy;
  }
  end_comparison();
  // Its own copy of the case, with relative paths taken from where the case was.
  auto document = read_run_case(folder);
  if (!document) {
    show_error(tr("The run cannot be opened"), document.error());
    return document.error();
  }
  if (!may_leave_case()) return {};
  make_workbench();
  std::error_code ignored;
  const auto original = document->file();
  // The case as it is now, where it is still the one that was run; else what was run, as a copy not yet saved.
  auto now = CaseDocument::read(original);
  if (std::filesystem::exists(original, ignored) && now && now->json() == document->json()) {
    if (Status opened = model_->open(original); !opened) return opened;
  } else {
    model_->take(std::move(document).value());
  }
  current_run_ = {QString::fromStdString(std::filesystem::absolute(folder).lexically_normal().string()),
                  QString::fromStdString(original.string()), model_->title(), "stopped", 0, {}};
  for (const RecentRun& known : settings_.recent_runs())
    if (known.folder == current_run_.folder) current_run_ = known;
  show_workbench();
  run_->open(folder);
  return {};
}

void MainWindow::choose_case(const QString& file) {
  // An error has been shown by then.
  static_cast<void>(open_case(file.toStdString()).ok());
}

void MainWindow::ask_open() {
  const QStringList recent = settings_.recent_cases();
  const QString folder = recent.isEmpty() ? QString() : QFileInfo(recent.front()).path();
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a case"), folder, tr("Cases (*.json);;All files (*)"));
  if (!file.isEmpty()) choose_case(file);
}

bool MainWindow::save() {
  if (!model_->is_open()) return false;
  const std::string samples = options_.samples.string();
  const std::string file = model_->document().file().string();
  // Samples belong to the program: edits of one are saved somewhere else.
  if (file.empty() || (!samples.empty() && file.starts_with(samples + "/"))) return save_as();
  if (Status saved = model_->save(); !saved) {
    show_error(tr("The case cannot be saved"), saved.error());
    return false;
  }
  return true;
}

bool MainWindow::save_as() {
  if (!model_->is_open()) return false;
  QString file = QFileDialog::getSaveFileName(this, tr("Save the case"), model_->file_name(), tr("Cases (*.json)"));
  if (file.isEmpty()) return false;
  if (!file.endsWith(".json")) file += ".json";
  if (Status saved = model_->save_as(file.toStdString()); !saved) {
    show_error(tr("The case cannot be saved"), saved.error());
    return false;
  }
  settings_.add_recent_case(file);
  return true;
}

bool MainWindow::may_leave_case() {
  if (!model_->is_dirty() || !options_.asks) return true;
  QMessageBox box(QMessageBox::Question, tr("Unsaved edits"), tr("Save the edits of “%1”?").arg(model_->title()),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return save();
  return answer == QMessageBox::Discard;
}

void MainWindow::start_run() {
  if (run_->is_active()) return;
  // A field that is being typed in counts as it stands.
  if (QWidget* field = QApplication::focusWidget(); field && workbench_ && workbench_->isAncestorOf(field)) field->clearFocus();
  if (!model_->is_valid()) return refresh_actions();
  SessionOptions options;
  options.document = model_->document();
  options.runs = settings_.runs_folder();
  begin(std::move(options));
}

void MainWindow::resume_run(const QString& folder) {
  SessionOptions options;
  options.document = model_->document();
  options.resume = folder.toStdString();
  begin(std::move(options));
}

void MainWindow::begin(SessionOptions options) {
  end_comparison();
  show_workbench();
  run_->start(std::move(options));
  current_run_ = {QString::fromStdString(run_->folder().string()), QString::fromStdString(model_->document().file().string()),
                  model_->title(), "running", 0, QDateTime::currentDateTime()};
}

void MainWindow::remember_run() {
  current_run_.folder = QString::fromStdString(run_->folder().string());
  current_run_.state = state_word(run_->state());
  current_run_.seconds = run_->elapsed();
  if (options_.asks && !run_->folder().empty()) settings_.put_run(current_run_);
  refresh_actions();
}

void MainWindow::pause_or_resume() {
  if (run_->state() == SessionState::paused) return run_->send(Command::resume);
  if (run_->is_active()) return run_->send(Command::pause);
  if (!current_run_.folder.isEmpty() && current_run_.state != "finished") resume_run(current_run_.folder);
}

void MainWindow::refresh_actions() {
  if (!actions_) return;
  const bool open = model_->is_open() && workbench_ && stack_->currentWidget() == workbench_;
  const bool active = run_->is_active();
  const SessionState state = run_->state();
  const QUndoStack& undo = model_->undo_stack();
  const auto enable = [&](const char* id, bool on) { actions_->at(id)->setEnabled(on); };
  enable("run.queue", open && model_->obstacle().isEmpty());
  enable("file.save", open && model_->is_dirty());
  enable("file.save_as", open);
  enable("file.picture", open);
  enable("edit.undo", open && undo.canUndo());
  enable("edit.redo", open && undo.canRedo());
  actions_->at("edit.undo")->setText(undo.canUndo() ? tr("Undo %1").arg(undo.undoText()) : tr("Undo"));
  actions_->at("edit.redo")->setText(undo.canRedo() ? tr("Redo %1").arg(undo.redoText()) : tr("Redo"));
  QAction* start = actions_->at("run.start");
  const QString obstacle = model_->obstacle();
  start->setEnabled(open && !active && obstacle.isEmpty());
  start->setText(active ? tr("Running…") : run_->has_run() ? tr("Run again") : tr("Run"));
  start->setToolTip(obstacle.isEmpty() ? tr("Compute this case (Ctrl+R)") : obstacle);
  const bool resumable = !active && (current_run_.state == "stopped" || current_run_.state == "interrupted");
  const bool paused = active && state == SessionState::paused;
  QAction* pause = actions_->at("run.pause");
  pause->setEnabled(open && !run_->is_stopping() && (paused || resumable || (active && state == SessionState::running)));
  pause->setText(paused || resumable ? tr("Resume") : tr("Pause"));
  pause->setIcon(look_.icon(paused || resumable ? "resume" : "pause"));
  pause->setToolTip(resumable ? tr("Continue the stopped run from its checkpoint (F6)")
                              : paused ? tr("Resume (F6)") : tr("Pause (F6)"));
  const bool steps = active && !run_->is_stopping() && (state == SessionState::running || paused);
  enable("run.step", open && steps);
  enable("run.checkpoint", open && steps);
  enable("run.stop", open && active && !run_->is_stopping());
  enable("run.folder", run_->has_run() && !run_->folder().empty());
  const bool frames = open && !run_->frames().empty();
  enable("view.fit", open);
  for (const char* id : {"view.play", "view.previous", "view.next", "view.film"}) enable(id, frames);
  for (const char* id : {"view.split", "view.display", "view.spectrum"}) enable(id, open);
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

void MainWindow::refresh_title() {
  const bool working = workbench_ && stack_->currentWidget() == workbench_ && model_->is_open();
  setWindowTitle(working ? model_->title() + "[*] – Conoid" : QString("Conoid"));
  setWindowModified(working && model_->is_dirty());
  refresh_actions();
}

void MainWindow::show_error(const QString& title, const Error& error) {
  if (!options_.asks) return;
  QMessageBox box(QMessageBox::Warning, title, title + ".", QMessageBox::Ok, this);
  box.setInformativeText(QString::fromStdString(error.render()));
  box.exec();
}

void MainWindow::end_by_signal() {
  recovery_->save_now();
  options_.asks = false;
  closing_ = true;
  run_->is_active() ? run_->stop() : static_cast<void>(close());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (run_->is_active()) {
    event->ignore();
    if (closing_) {
      // A second wish while the run is still writing: it may be left behind, its last checkpoint is whole.
      if (!options_.asks) return;
      QMessageBox box(QMessageBox::Question, tr("The run is still stopping"),
                      tr("The run writes its checkpoint and ends by itself in a moment.\nQuit without waiting?"),
                      QMessageBox::Yes | QMessageBox::No, this);
      if (box.exec() == QMessageBox::Yes && run_->is_active()) std::_Exit(static_cast<int>(ErrorCode::stopped));
      return;
    }
    if (options_.asks) {
      QMessageBox box(QMessageBox::Question, tr("A run is going on"),
                      tr("Stop the run and close?\nIt writes a checkpoint and can be resumed later."),
                      QMessageBox::NoButton, this);
      QAbstractButton* stop = box.addButton(tr("Stop and close"), QMessageBox::AcceptRole);
      box.addButton(tr("Keep running"), QMessageBox::RejectRole);
      box.exec();
      if (box.clickedButton() != stop) return;
    }
    if (!may_leave_case()) return;
    if (!run_->is_active()) return static_cast<void>(QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection));
    closing_ = true;
    run_->stop();
    return;
  }
  if (!closing_ && !may_leave_case()) return event->ignore();
  if (options_.asks) {
    settings_.set_window(saveGeometry(), {});
    recovery_->forget();
  }
  event->accept();
}

void MainWindow::show_shortcuts() {
  QDialog dialog(this);
  dialog.setWindowTitle(tr("Shortcuts"));
  auto* grid = new QGridLayout(&dialog);
  grid->setContentsMargins(24, 20, 24, 20);
  grid->setHorizontalSpacing(32);
  grid->setVerticalSpacing(6);
  int row = 0;
  QString menu;
  for (const ActionRow& action : actions_->rows()) {
    if (action.shortcut.isEmpty()) continue;
    if (action.menu != menu) {
      menu = action.menu;
      grid->addWidget(make_label(QString(menu).remove('&'), "section", &dialog), row++, 0);
    }
    grid->addWidget(make_label(QString(action.text).remove(QStringLiteral("…")), "", &dialog), row, 0);
    grid->addWidget(make_label(action.shortcut.toString(QKeySequence::NativeText), "muted", &dialog), row++, 1, Qt::AlignRight);
  }
  dialog.exec();
}

void MainWindow::show_about() {
  QString solvers;
  for (const SolverInfo* info : registered_solvers())
    solvers += "\n" + QString::fromUtf8(info->title.data(), static_cast<qsizetype>(info->title.size()));
  QMessageBox box(QMessageBox::NoIcon, tr("About Conoid"), tr("Conoid %1").arg(CONOID_VERSION), QMessageBox::Ok, this);
  box.setIconPixmap(look_.icon("conoid", "accent").pixmap(48, 48));
  box.setInformativeText(tr("A desktop workbench for waves and shocks.\nBSD-3-Clause licence.\n%1").arg(solvers));
  box.exec();
}

}  // namespace conoid::app
