// SPDX-License-Identifier: BSD-3-Clause
// The window: start page or workbench, the actions, opening, saving and closing in order.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include <QMainWindow>
#include <QPointer>

#include "app/model/action_table.hpp"
#include "app/model/case_model.hpp"
#include "app/model/help_topic.hpp"
#include "app/model/recovery.hpp"
#include "app/model/run_model.hpp"
#include "app/model/settings.hpp"
#include "engine/core/vec3.hpp"
#include "render/window/make_viewport.hpp"

class QFrame;
class QLabel;
class QStackedWidget;
class QToolBar;

namespace conoid {
struct MeshPreview;
}

namespace conoid::app {

class CaseLock;
class CaseWatcher;
class JobList;
class JobsPage;
class ManualWindow;
class RunQueue;
class RunsPage;
class StartPage;
struct Tutorial;
struct ValuesQuestion;
class Workbench;

struct WindowOptions {
  std::filesystem::path samples;  ///< the folder with the sample cases
  ViewportKind viewport = ViewportKind::automatic;
  bool asks = true;  ///< false: no dialogs (pictures without a person)
  StartSession start = start_session;
  std::filesystem::path command = {};  ///< the program `conoid`; empty: the one beside this program
};

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(Look& look, Settings& settings, WindowOptions options, QWidget* parent = nullptr);
  ~MainWindow() override;
  /// Takes over what the settings say by now.
  void apply_settings();

  /// Opens a case and shows the workbench. An error is shown (or only returned when the window does not ask).
  Status open_case(const std::filesystem::path& file);
  /// Shows a run from its folder: its case, frames, curves and numbers.
  Status open_run(const std::filesystem::path& folder);
  /// Opens whatever this is, as an argument, by dropping and from the menu: a run folder, a mesh, a geometry or a model of the
  /// medium (in the case at hand, or in a new one), else a case.
  Status open_file(const QString& file);
  /// Whether the ending is that of a mesh, a geometry or a model of the medium.
  [[nodiscard]] static bool is_taken(const QString& file);
  [[nodiscard]] static bool is_mesh(const QString& file);
  void show_start();
  void show_workbench();
  /// Shows all runs, the queue and sweeps.
  void show_runs();
  /// Shows the jobs that were given to machines, and the machines.
  void show_jobs();
  /// Asks where, and gives the case at hand to a machine as a job.
  void ask_submit();
  /// Two finished runs: linked views and overlaid curves.
  Status compare_runs(const std::filesystem::path& first, const std::filesystem::path& second);
  /// Writes the page of the run at hand beside the work that goes on, then opens its folder. An error is shown.
  void write_report(const std::filesystem::path& page);
  void start_run();
  /// Opens the sample of a tutorial and points at what its steps are about. An error is shown.
  void start_tutorial(const Tutorial& tutorial);
  /// Ends in order without asking, for signals: stops a run, keeps unsaved edits for recovery.
  void end_by_signal();

  [[nodiscard]] CaseModel& model() { return *model_; }
  [[nodiscard]] RunModel& run() { return *run_; }
  [[nodiscard]] Workbench* workbench() { return workbench_; }
  [[nodiscard]] RunsPage& runs_page();
  [[nodiscard]] RunQueue& queue() { return *queue_; }
  /// Made when it is first asked for.
  [[nodiscard]] JobList& jobs();
  [[nodiscard]] JobsPage& jobs_page();
  [[nodiscard]] const ActionTable& actions() const { return *actions_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  [[nodiscard]] std::vector<ActionRow> action_rows();
  void add_file_actions(std::vector<ActionRow>& rows);
  void add_edit_actions(std::vector<ActionRow>& rows);
  void add_run_actions(std::vector<ActionRow>& rows);
  void add_picture_actions(std::vector<ActionRow>& rows);
  void add_pane_actions(std::vector<ActionRow>& rows);
  void add_window_actions(std::vector<ActionRow>& rows);
  void add_help_actions(std::vector<ActionRow>& rows);
  void make_tool_bar();
  void make_workbench();
  void refresh_actions();
  void refresh_title();
  void choose_case(const QString& file);
  void ask_open();
  void ask_report();
  bool save();
  bool save_as();
  bool may_leave_case();
  void pause_or_resume();
  void resume_run(const QString& folder);
  void begin(SessionOptions options);
  void end_comparison();
  void remember_run();
  /// Keeps the charts of the run at hand up to date where it goes on on another machine.
  void follow_job();
  void show_error(const QString& title, const Error& error);
  void show_shortcuts();
  void show_settings();
  void show_place();
  void show_tour();
  void choose_tutorial();
  /// The control that a step of a tutorial is about, brought on the screen; null where there is none now.
  [[nodiscard]] QWidget* control_at(const QString& at);
  void show_news();
  /// The manual at the field that has the focus, or at what the line of the log at hand is about.
  void show_manual();
  /// The manual at a key, or the page on a kind of failure.
  void show_help(const HelpTopic& topic);
  void show_pages(const QString& page);
  void show_key(const QString& solver, const QString& field);
  [[nodiscard]] ManualWindow& manual();
  void ask_template();
  /// Fields of the run at hand in files for other programs: asks for format and folder.
  void ask_export();
  /// Asks for a place, or what to sum over, and shows the values over all frames as charts; `place`: not asked for.
  void ask_where_values(const std::optional<Vec3>& place);
  void show_values(const ValuesQuestion& question);
  void ask_receiver();
  QWidget* make_outside_bar();
  void show_outside_bar();
  /// Holds the lock of a case file; says who has it when it is another window.
  [[nodiscard]] bool lock_case(const std::filesystem::path& file);
  /// A mesh or a model of the medium comes into the case at hand, or gets a new one.
  Status take_file(const QString& file);
  void show_about();
  /// A new case, made on a page of its own; an empty file: around a body by its sizes.
  void new_around_body(const QString& file);
  /// Takes a case that is not on the disk yet, and goes to what is missing in it. `body`: its mesh, where it has been read.
  void open_new(Json json, bool shows_mesh, std::shared_ptr<const MeshPreview> body = {});

  Look& look_;
  Settings& settings_;
  WindowOptions options_;
  StartSession start_session_;  ///< at the place and with the workers of the settings
  std::unique_ptr<CaseModel> model_;
  std::unique_ptr<RunModel> run_;
  std::unique_ptr<RunModel> other_run_;  ///< the second of a comparison
  std::unique_ptr<RunQueue> queue_;
  std::unique_ptr<JobList> jobs_;
  std::unique_ptr<Recovery> recovery_;
  std::unique_ptr<CaseWatcher> watcher_;
  std::unique_ptr<CaseLock> lock_;
  QFrame* outside_bar_ = nullptr;
  QLabel* outside_text_ = nullptr;
  ActionTable* actions_ = nullptr;
  QStackedWidget* stack_;
  QToolBar* bar_ = nullptr;
  StartPage* start_;
  RunsPage* runs_ = nullptr;
  JobsPage* jobs_page_ = nullptr;
  Workbench* workbench_ = nullptr;
  RecentRun current_run_;
  std::stop_source commands_;  ///< ends what the command is doing for the window: a page, values, files
  bool writes_report_ = false, exports_ = false, asks_values_ = false;
  ManualWindow* manual_ = nullptr;
  bool closing_ = false;
};

}  // namespace conoid::app
