// SPDX-License-Identifier: BSD-3-Clause
// The window.
#include "app/window/main_window.hpp"

#include <utility>

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QFrame>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QTableView>
#include <QToolBar>
#include <QVBoxLayout>

#include "app/jobs/jobs_page.hpp"
#include "app/jobs/submit_dialog.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/case_lock.hpp"
#include "app/model/case_watcher.hpp"
#include "app/model/compute_place.hpp"
#include "app/model/job_list.hpp"
#include "app/model/mesh_model.hpp"
#include "app/model/names.hpp"
#include "app/model/run_queue.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/panels/warm_up.hpp"
#include "app/runs/runs_page.hpp"
#include "app/start/start_page.hpp"
#include "app/window/connect_dialog.hpp"
#include "app/window/settings_dialog.hpp"
#include "app/window/workbench.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"

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

/// What the settings say of this machine; nothing where runs go elsewhere.
ResourceRequest resources_of(const Settings& settings) {
  ResourceRequest out;
  if (is_far(settings.place())) return out;
  out.workers = settings.workers().toStdString();
  if (const auto bytes = settings.host_memory(); bytes > 0) out.host = bytes;
  if (const auto bytes = settings.device_memory(); bytes > 0) out.device = bytes;
  return out;
}

/// At the place of the settings, and there with the workers and the memory of the settings.
StartSession start_as_settings_say(const Settings& settings, StartSession inside) {
  const auto placed = start_at([&settings] { return settings.place(); }, std::move(inside));
  return [&settings, placed](SessionOptions options) {
    // The devices that were chosen are those of this machine, as is the window that goes before the run.
    if (!is_far(settings.place())) {
      constexpr int window_goes_first = 5;
      options.courtesy = window_goes_first;
    }
    options.settings = resources_of(settings);
    return placed(std::move(options));
  };
}

}  // namespace

MainWindow::MainWindow(Look& look, Settings& settings, WindowOptions options, QWidget* parent)
    : QMainWindow(parent), look_(look), settings_(settings), options_(std::move(options)),
      start_session_(start_as_settings_say(settings_, options_.start)), model_(std::make_unique<CaseModel>()),
      run_(std::make_unique<RunModel>(start_session_)) {
  queue_ = std::make_unique<RunQueue>(start_session_, settings_.runs_folder(), [this] { return run_->is_active(); });
  model_->set_resources([this] { return resources_of(settings_); });
  recovery_ = std::make_unique<Recovery>(*model_, options_.asks ? settings_.state_folder() : QString());
  actions_ = new ActionTable(look_, action_rows(), this);
  actions_->fill(*menuBar());
  make_tool_bar();
  stack_ = new QStackedWidget(this);
  start_ = new StartPage(look_, settings_, *actions_, options_.samples, stack_);
  stack_->addWidget(start_);
  watcher_ = std::make_unique<CaseWatcher>(*model_);
  lock_ = std::make_unique<CaseLock>(options_.asks ? settings_.state_folder() : QString());
  connect(lock_.get(), &CaseLock::show_wanted, this, [this] {
    setWindowState(windowState() & ~Qt::WindowMinimized);
    raise();
    activateWindow();
    QApplication::alert(this);
  });
  auto* centre = new QWidget(this);
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_outside_bar());
  column->addWidget(stack_, 1);
  setCentralWidget(centre);
  setAcceptDrops(true);
  apply_settings();
  const bool in_memory = options_.viewport == ViewportKind::raster || (options_.viewport == ViewportKind::automatic &&
                                                                       viewport_of_platform() == ViewportKind::raster);
  const std::filesystem::path programs = options_.command.empty() ? program_folder() : options_.command.parent_path();
  connect(new WarmUp(look_, in_memory, programs / "conoid-render", this), &WarmUp::done, this,
          &MainWindow::make_workbench);
  setWindowIcon(look_.icon("conoid", "accent"));
  setMinimumSize(960, 560);
  resize(QSize(1280, 800));
  if (const QScreen* screen = options_.asks ? QGuiApplication::primaryScreen() : nullptr) {
    // The frame that a desktop draws around the window belongs to what must fit, too.
    constexpr QSize frame(0, 40);
    const QSize room = screen->availableSize() - frame;
    setMinimumSize(minimumSize().boundedTo(room));
    resize(size().boundedTo(room));
  }
  if (const QByteArray geometry = settings_.geometry(); !geometry.isEmpty() && options_.asks) restoreGeometry(geometry);

  connect(start_, &StartPage::case_chosen, this, [this](const QString& file) { choose_case(file); });
  connect(start_, &StartPage::run_chosen, this, [this](const RecentRun& run) {
    // An error has been shown by then.
    static_cast<void>(open_run(run.folder.toStdString()).ok());
  });
  connect(start_, &StartPage::jobs_wanted, this, &MainWindow::show_jobs);
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
  connect(run_.get(), &RunModel::started, this, &MainWindow::follow_job);
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
  commands_.request_stop();
  // These look at the models until the very end.
  delete std::exchange(workbench_, nullptr);
  delete std::exchange(runs_, nullptr);
  delete std::exchange(jobs_page_, nullptr);
  // An undo stack with something to redo says a last word when it goes.
  disconnect(&model_->undo_stack(), nullptr, this, nullptr);
  disconnect(model_.get(), nullptr, this, nullptr);
  disconnect(run_.get(), nullptr, this, nullptr);
}

void MainWindow::apply_settings() {
  run_->set_frame_memory(settings_.frame_memory());
  queue_->set_runs_folder(settings_.runs_folder());
  const UnitSystem units = settings_.units();
  look_.set_preferred_units(units == UnitSystem::millimetre ? QStringList{"mm"}
                            : units == UnitSystem::us       ? QStringList{"in", "ft"}
                                                            : QStringList{});
  model_->check_again();  // by whom and within what is the settings' word
  recovery_->set_delay(1000 * settings_.autosave_seconds());
  if (options_.asks) look_.set_font_scale(settings_.font_scale());
  if (options_.asks) look_.set_font_family(settings_.font_family());
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

void MainWindow::make_workbench() {
  if (workbench_) return;
  workbench_ = new Workbench(*model_, *run_, *actions_, look_, options_.viewport, stack_);
  workbench_->apply_settings(settings_);
  workbench_->keep_views_in(settings_);
  stack_->addWidget(workbench_);
  connect(workbench_, &Workbench::help_wanted, this, &MainWindow::show_help);
  ScenePane& pane = workbench_->viewport_panel().pane();
  pane.set_asks_values(true);
  connect(&pane, &ScenePane::values_wanted, this, &MainWindow::ask_where_values);
}

void MainWindow::show_start() {
  start_->refresh_recent();
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

RunsPage& MainWindow::runs_page() {
  if (!runs_) {
    runs_ = new RunsPage(*model_, *queue_, settings_, look_, stack_);
    stack_->addWidget(runs_);
    connect(runs_, &RunsPage::run_chosen, this,
            [this](const QString& folder) { static_cast<void>(open_run(folder.toStdString()).ok()); });
    connect(runs_, &RunsPage::comparison_wanted, this, [this](const QString& first, const QString& second) {
      static_cast<void>(compare_runs(first.toStdString(), second.toStdString()).ok());
    });
  }
  return *runs_;
}

void MainWindow::show_runs() {
  RunsPage& page = runs_page();
  page.set_own_run(run_->is_active() ? QString::fromStdString(absolute_path(run_->folder()).lexically_normal().string())
                                     : QString());
  page.refresh();
  stack_->setCurrentWidget(&page);
  page.table().setFocus();  // arrows choose a run at once
  bar_->show();
  refresh_title();
}

JobList& MainWindow::jobs() {
  if (!jobs_) {
    const auto program = options_.command.empty() ? program_folder() / "conoid" : options_.command;
    jobs_ = std::make_unique<JobList>([this] { return settings_.jobs_folder(); }, program);
    connect(jobs_.get(), &JobList::submitted, this, [this] { show_jobs(); });
    connect(jobs_.get(), &JobList::troubled, this, &MainWindow::show_error);
    connect(jobs_.get(), &JobList::charts_brought, this, [this](const QString&, const QString& run) {
      if (run_->folder() == run.toStdString()) run_->read_curves_again();
    });
    connect(jobs_.get(), &JobList::brought, this, [this](const QString& folder, const QString& run) {
      // What was looked at while it went on, now that it is whole.
      const bool shown = folder == jobs_->followed() && run_->folder().parent_path() == folder.toStdString();
      if (shown && run_->folder() != run.toStdString() && stack_->currentWidget() == workbench_)
        static_cast<void>(open_run(run.toStdString()).ok());
    });
  }
  return *jobs_;
}

void MainWindow::follow_job() {
  const std::filesystem::path run = run_->is_stored() ? run_->folder() : std::filesystem::path();
  const bool goes_on = run.filename() == "so-far" && job_at(run.parent_path()).is_far();
  if (goes_on || jobs_) jobs().follow(goes_on ? QString::fromStdString(run.parent_path().string()) : QString());
}

JobsPage& MainWindow::jobs_page() {
  if (!jobs_page_) {
    jobs_page_ = new JobsPage(jobs(), look_, stack_);
    stack_->addWidget(jobs_page_);
    connect(jobs_page_, &JobsPage::run_chosen, this,
            [this](const QString& folder) { static_cast<void>(open_run(folder.toStdString()).ok()); });
  }
  return *jobs_page_;
}

void MainWindow::show_jobs() {
  JobsPage& page = jobs_page();
  stack_->setCurrentWidget(&page);
  page.table().setFocus();  // arrows choose a job at once
  bar_->show();
  refresh_title();
}

void MainWindow::ask_submit() {
  if (!model_->is_open() || !options_.asks) return;
  SubmitDialog dialog(model_->document(), jobs(), look_, this);
  if (dialog.exec() == QDialog::Accepted) jobs().submit(model_->document(), dialog.host());
}

void MainWindow::show_place() {
  ConnectDialog dialog(settings_, look_, this);
  connect(&dialog, &ConnectDialog::changed, this, [this] {
    if (workbench_) workbench_->apply_settings(settings_);
    refresh_actions();
  });
  dialog.exec();
}

void MainWindow::start_run() {
  if (run_->is_active()) return;
  // A field that is being typed in counts as it stands.
  if (QWidget* field = QApplication::focusWidget(); field && workbench_ && workbench_->isAncestorOf(field))
    field->clearFocus();
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
  current_run_ = {QString::fromStdString(run_->folder().string()),
                  QString::fromStdString(model_->document().file().string()),
                  model_->title(),
                  "running",
                  0,
                  QDateTime::currentDateTime()};
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
  if (run_->is_elsewhere()) return;
  if (!current_run_.folder.isEmpty() && current_run_.state != "finished") resume_run(current_run_.folder);
}

void MainWindow::refresh_title() {
  const bool working = workbench_ && stack_->currentWidget() == workbench_ && model_->is_open();
  const QString what =
      working && model_->is_copy_of_run() ? tr("%1, as it was run").arg(model_->title()) : model_->title();
  setWindowTitle(working ? what + "[*] – Conoid" : QString("Conoid"));
  setWindowModified(working && model_->is_dirty());
  refresh_actions();
}

void MainWindow::show_error(const QString& title, const Error& error) {
  if (!options_.asks) return;
  QMessageBox box(QMessageBox::Warning, title, title + ".", QMessageBox::Ok, this);
  box.setInformativeText(rendered(error));
  QPushButton* help = box.addButton(tr("What helps"), QMessageBox::HelpRole);
  box.exec();
  if (box.clickedButton() == help) show_help(topic_of(error));
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
    if (!run_->is_active())
      return static_cast<void>(QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection));
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

}  // namespace conoid::app
