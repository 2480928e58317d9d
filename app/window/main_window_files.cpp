// SPDX-License-Identifier: BSD-3-Clause
// Cases, runs and meshes come into the window and leave it: opening, dropping, saving, locks, changes from outside.
#include <functional>
#include <utility>
#include <vector>

#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QUrl>

#include "app/look/small_widgets.hpp"
#include "app/model/background.hpp"
#include "app/model/case_lock.hpp"
#include "app/model/case_watcher.hpp"
#include "app/model/file_kinds.hpp"
#include "app/model/gallery.hpp"
#include "app/model/json_path.hpp"
#include "app/model/mesh_model.hpp"
#include "app/model/run_list.hpp"
#include "app/model/run_report.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/differences_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/runs/runs_page.hpp"
#include "app/start/new_case_dialog.hpp"
#include "app/start/start_page.hpp"
#include "app/window/main_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/run/run_reader.hpp"
#include "engine/session/mesh_preview.hpp"
#include "engine/solvers/registry.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {

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
  outside_text_->setText(
      model_->is_dirty() ? tr("Another program has changed %1. You have edits of your own.").arg(model_->file_name())
                         : tr("Another program has changed %1.").arg(model_->file_name()));
  outside_bar_->show();
}

bool MainWindow::lock_case(const std::filesystem::path& file) {
  if (!options_.asks || lock_->take(file)) return true;
  QMessageBox box(QMessageBox::Question, tr("Already open"),
                  tr("Another window (process %1) has this case open.\nEdits of the two would overwrite each other.")
                      .arg(lock_->holder(file)),
                  QMessageBox::NoButton, this);
  QAbstractButton* show = box.addButton(tr("Show that window"), QMessageBox::AcceptRole);
  QAbstractButton* anyway = box.addButton(tr("Open it anyway"), QMessageBox::DestructiveRole);
  box.addButton(QMessageBox::Cancel);
  box.exec();
  if (box.clickedButton() == show) lock_->ask_to_show(file);
  return box.clickedButton() == anyway;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() && event->mimeData()->urls().front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString file = event->mimeData()->urls().front().toLocalFile();
  event->acceptProposedAction();
  // The drag belongs to another program until this returns: no question before that.
  QMetaObject::invokeMethod(
      this,
      [this, file] {
        // An error has been shown by then.
        static_cast<void>(open_file(file).ok());
      },
      Qt::QueuedConnection);
}

namespace {

/// "mesh" or "model": what a file holds by its ending; empty for anything else.
QString kind_of(const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  for (const char* kind : {"mesh", "model"})
    if (telling_endings_of(kind).contains(ending)) return kind;
  return {};
}

struct Taker {
  const SolverInfo* solver;
  FileKey key;
};

/// Solvers whose cases name a file of this kind, and where.
std::vector<Taker> takers_of(const QString& kind, const std::string& file) {
  std::vector<Taker> out;
  for (const SolverInfo* info : registered_solvers())
    if (const auto schema = registered_schemas()(std::string(info->id)))
      if (auto key = key_for_file(schema->json(), kind.toStdString(), file)) out.push_back({info, std::move(*key)});
  return out;
}

}  // namespace

bool MainWindow::is_taken(const QString& file) {
  return !kind_of(file).isEmpty();
}

bool MainWindow::is_mesh(const QString& file) {
  return kind_of(file) == "mesh";
}

Status MainWindow::open_file(const QString& file) {
  const std::filesystem::path path = file.toStdString();
  if (QFileInfo(file).isDir())
    return RunFolder::is_of_case_alone(path) ? open_case(path / "case.json") : open_run(path);
  return kind_of(file).isEmpty() ? open_case(file.toStdString()) : take_file(file);
}

Status MainWindow::take_file(const QString& file) {
  const QString kind = kind_of(file);
  if (kind.isEmpty()) {
    const Error neither = make_error(ErrorCode::invalid_input,
                                     "'" + file.toStdString() + "' is neither a case, a mesh nor a model of the medium",
                                     ("Cases end in .json; meshes and geometry in ." + endings_of("mesh").join(", .") +
                                      "; models in ." + telling_endings_of("model").join(", .") + ".")
                                         .toStdString());
    show_error(tr("This file cannot be taken"), neither);
    return neither;
  }
  if (!QFileInfo::exists(file)) {
    const Error missing = make_error(ErrorCode::file, "there is no file '" + file.toStdString() + "'",
                                     "Look whether it was moved or renamed.");
    show_error(tr("This file cannot be taken"), missing);
    return missing;
  }
  if (model_->is_open() && workbench_ && stack_->currentWidget() == workbench_) {
    // The case at hand, where it has a place for it.
    const QDir folder(QString::fromStdString(model_->document().folder().string()));
    const QString relative = folder.relativeFilePath(file);
    const std::string named = (relative.startsWith("../") ? file : relative).toStdString();
    if (auto key = key_for_file(model_->schema(), kind.toStdString(), named)) {
      model_->set(key->pointer, std::move(key->value),
                  kind == "mesh" ? tr("choice of another mesh") : tr("choice of another model"));
      workbench_->show_mesh(kind == "mesh");
      return {};
    }
  }
  // Else a new case; the person says which physics.
  if (run_->is_active()) {
    const Error busy = make_error(ErrorCode::invalid_input, "a run is going on", "Stop it before making another case.");
    show_error(tr("This file cannot be taken"), busy);
    return busy;
  }
  if (kind == "mesh" && options_.asks) {
    new_around_body(file);
    return {};
  }
  std::vector<Taker> takers = takers_of(kind, file.toStdString());
  if (takers.empty() || !options_.asks)
    return make_error(ErrorCode::invalid_input,
                      "a " + kind.toStdString() + " is no case: what is to be computed with it is not known",
                      "Open a case that takes a " + kind.toStdString() + " first, or write one that names this file.");
  QStringList titles;
  for (const Taker& taker : takers)
    titles << QString::fromUtf8(taker.solver->title.data(), static_cast<qsizetype>(taker.solver->title.size()));
  bool ok = true;
  const QString chosen = takers.size() == 1
                             ? titles.front()
                             : QInputDialog::getItem(this, tr("New case from a mesh or model"),
                                                     tr("What is to be computed?"), titles, 0, false, &ok);
  if (!ok || !may_leave_case()) return {};
  Taker& taker = takers[static_cast<std::size_t>(titles.indexOf(chosen))];
  Json json = Json::object();
  json["conoid"] = 1;
  json["title"] = QFileInfo(file).completeBaseName().toStdString();
  json["solver"] = std::string(taker.solver->id);
  assign_value(json, taker.key.pointer, std::move(taker.key.value));
  open_new(std::move(json), kind == "mesh");
  return {};
}

void MainWindow::open_new(Json json, bool shows_mesh, std::shared_ptr<const MeshPreview> body) {
  make_workbench();
  if (body) workbench_->mesh().know(json["mesh"], std::move(body));
  model_->take(CaseDocument::from_json(std::move(json), {}), true);
  current_run_ = {};
  end_comparison();
  run_->reset();
  show_workbench();
  const bool complete = model_->obstacle().isEmpty();
  workbench_->show_mesh(shows_mesh && complete);
  if (!complete) workbench_->case_panel().reveal_first_problem();
}

void MainWindow::new_around_body(const QString& file) {
  if (run_->is_active())
    return show_error(tr("Another case cannot be made now"),
                      make_error(ErrorCode::invalid_input, "a run is going on", "Stop it before making another case."));
  NewCaseDialog dialog(file, look_, options_.viewport, this);
  if (dialog.exec() != QDialog::Accepted || !may_leave_case()) return;
  open_new(dialog.made(), !dialog.run_wanted(), dialog.body());
  if (dialog.run_wanted()) start_run();
}

Status MainWindow::open_case(const std::filesystem::path& file) {
  const auto absolute = absolute_path(file);
  // The case at hand with a run going on: go back to it instead of reading it again.
  if (run_->is_active() || (model_->is_open() && absolute == model_->document().file() && model_->is_dirty())) {
    if (!(model_->is_open() && absolute == model_->document().file())) {
      const Error busy =
          make_error(ErrorCode::invalid_input, "a run is going on", "Stop it before opening another case.");
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
    model_->take_as_run(std::move(document).value(), now ? now->json() : Json());
  }
  current_run_ = {QString::fromStdString(absolute_path(folder).lexically_normal().string()),
                  QString::fromStdString(original.string()),
                  model_->title(),
                  "stopped",
                  0,
                  {}};
  for (const RecentRun& known : settings_.recent_runs())
    if (known.folder == current_run_.folder) current_run_ = known;
  show_workbench();
  run_->open(folder);
  return {};
}

namespace {

/// Does one thing after the other, each in a turn of the event loop of its own, for as long as the object is there.
void in_turns(QObject& object, std::vector<std::function<void()>> things) {
  if (things.empty()) return;
  in_free_turn(&object, [&object, things = std::move(things)]() mutable {
    things.front()();
    things.erase(things.begin());
    in_turns(object, std::move(things));
  });
}

}  // namespace

Status MainWindow::compare_runs(const std::filesystem::path& first, const std::filesystem::path& second) {
  if (Status opened = open_run(first); !opened) return opened;
  other_run_ = std::make_unique<RunModel>(start_session_);
  const auto names = names_of_two(first, second);
  const QString own = names.first, name = names.second;
  RunModel* const other = other_run_.get();
  connect(other, &RunModel::open_failed, this,
          [this](const Error& error) { show_error(tr("The run cannot be opened"), error); });
  // Each pane in a turn of the event loop of its own: timers, since what is posted is done in one.
  in_turns(*other, {[this, other, name, own] { workbench_->viewport_panel().compare_with(other, name, own); },
                    [this, other, name, own] { workbench_->results_panel().compare_with(other, name, own); },
                    [this, first, second] { workbench_->results_panel().differences().compare(first, second); },
                    [other, second] { other->open(second); }});
  return {};
}

void MainWindow::end_comparison() {
  if (!other_run_) return;
  if (workbench_) {
    workbench_->viewport_panel().compare_with(nullptr);
    workbench_->results_panel().compare_with(nullptr);
  }
  other_run_.reset();
}

void MainWindow::ask_report() {
  const std::filesystem::path run = run_->folder();
  if (!options_.asks || run.empty()) return;
  const auto page = run.parent_path() / (run.filename().string() + "-report.html");
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Write a page of this run"), QString::fromStdString(page.string()),
                                   tr("Web pages (*.html);;Documents (*.pdf)"));
  if (file.isEmpty()) return;
  write_report(
      (file.endsWith(".html") || file.endsWith(".htm") || file.endsWith(".pdf") ? file : file + ".html").toStdString());
}

void MainWindow::write_report(const std::filesystem::path& page) {
  writes_report_ = true;
  refresh_actions();
  in_background(
      this,
      [run = run_->folder(), page, program = options_.command, stop = commands_.get_token()] {
        return write_run_report(run, page, program, stop);
      },
      [page](MainWindow& self, const Status& written) {
        self.writes_report_ = false;
        self.refresh_actions();
        if (!written) return self.show_error(tr("The report cannot be written"), written.error());
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(page.parent_path().string())));
      });
}

void MainWindow::choose_case(const QString& file) {
  // An error has been shown by then.
  static_cast<void>(open_case(file.toStdString()).ok());
}

void MainWindow::ask_open() {
  const QStringList recent = settings_.recent_cases();
  const QString folder = recent.isEmpty() ? QString() : QFileInfo(recent.front()).path();
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a case"), folder,
      tr("Cases (*.json)") + ";;" +
          tr("Meshes and geometry (%1)").arg(QString::fromStdString(mesh_file_patterns(true))) + ";;" +
          tr("All files (*)"));
  if (!file.isEmpty()) static_cast<void>(open_file(file).ok());
}

bool MainWindow::save() {
  if (!model_->is_open()) return false;
  const std::string samples = options_.samples.string();
  const std::string file = model_->document().file().string();
  // Samples belong to the program: edits of one are saved somewhere else.
  if (file.empty() || model_->is_copy_of_run() || (!samples.empty() && file.starts_with(samples + "/")))
    return save_as();
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

void MainWindow::ask_template() {
  if (!model_->is_open()) return;
  QInputDialog dialog(this);
  dialog.setWindowTitle(tr("Keep as a template"));
  dialog.setLabelText(tr("Name of the template"));
  dialog.setTextValue(model_->title());
  dialog.resize(440, dialog.sizeHint().height());  // titles are longer than names
  const QString name = dialog.exec() == QDialog::Accepted ? dialog.textValue() : QString();
  if (name.trimmed().isEmpty()) return;
  if (const Status kept = keep_template(model_->document(), name.trimmed()); !kept)
    return show_error(tr("The template cannot be kept"), kept.error());
  start_->show_gallery();
  start_->refresh_recent();
}

bool MainWindow::may_leave_case() {
  if (!model_->is_dirty() || !options_.asks) return true;
  QMessageBox box(QMessageBox::Question, tr("Unsaved edits"), tr("Save the edits of “%1”?").arg(model_->title()),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return save();
  return answer == QMessageBox::Discard;
}

}  // namespace conoid::app
