// SPDX-License-Identifier: BSD-3-Clause
// One run as the window sees it: owns the session's port, asks it for news thirty times a second and keeps what came.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/model/frame_history.hpp"
#include "engine/session/session.hpp"

namespace conoid::app {

struct RunTable {
  TableInfo info;
  std::vector<std::vector<double>> rows;
};

struct RunPhase {
  std::string name;
  double began = 0;    ///< seconds of wall time since the start
  double seconds = 0;  ///< so far
  bool finished = false;
};

struct LogLine {
  LogLevel level = LogLevel::info;
  double seconds = 0;
  std::string text;
  std::string hint;
  std::string pointer;  ///< the field of the case it speaks of, or empty
};

/// What starts a session; tests put a port of their own in its place.
using StartSession = std::function<std::unique_ptr<SessionPort>(SessionOptions)>;

/// Lives in the window's thread; nothing here waits for the engine.
class RunModel : public QObject {
  Q_OBJECT
 public:
  static constexpr int poll_ms = 33;
  static constexpr double pictures_per_second = 30;

  explicit RunModel(StartSession start = start_session, QObject* parent = nullptr);
  ~RunModel() override;

  void start(SessionOptions options);
  void send(Command command);
  /// Asks a running session to stop; `ended` follows.
  void stop() { send(Command::stop); }

  [[nodiscard]] SessionState state() const { return state_; }
  [[nodiscard]] bool is_active() const { return port_ != nullptr && !is_final(state_); }
  [[nodiscard]] bool is_stopping() const { return stopping_ && is_active(); }
  [[nodiscard]] bool has_run() const { return state_ != SessionState::idle; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// The exit code that `conoid run` would have given; 0 while nothing has ended.
  [[nodiscard]] int exit_code() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  [[nodiscard]] const ProgressEvent& progress() const { return progress_; }
  [[nodiscard]] const std::vector<RunPhase>& phases() const { return phases_; }
  [[nodiscard]] double elapsed() const;
  [[nodiscard]] const std::vector<RunTable>& tables() const { return tables_; }
  [[nodiscard]] const RunTable* table(const std::string& id) const;
  [[nodiscard]] const std::vector<WorkerSpec>& workers() const { return workers_; }
  [[nodiscard]] const std::deque<BalanceSample>& balance() const { return balance_; }
  [[nodiscard]] const std::vector<NumberEvent>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<std::pair<std::string, FieldInfo>>& catalog() const { return catalog_; }
  [[nodiscard]] const FrameHistory& frames() const { return frames_; }
  [[nodiscard]] const std::deque<LogLine>& log() const { return log_; }
  void add_log(LogLine line);

  /// Says which field the viewer shows. All fields are asked for as long as a frame stays small, so that another field
  /// can be chosen after the end; of big runs only the chosen one is made.
  void view(const std::string& part, const std::string& field);

  /// Takes news now (the timer does it by itself).
  void poll();

 signals:
  void started();
  void state_changed(conoid::SessionState state);
  void progressed();
  void tables_changed();                  ///< rows or tables are new
  void balance_changed();
  void numbers_changed();
  void catalog_changed();
  void frame_arrived();
  void log_grew(int lines);
  void ended();                           ///< after the last event and the last frame were taken

 private:
  void clear();
  void take(const SessionEvent& event);
  void take_state(const StateEvent& event);
  void take_progress(const ProgressEvent& event);
  void take_table(const TableEvent& event);
  void ask_for_frames();
  void close_phase();

  StartSession start_;
  std::unique_ptr<SessionPort> port_;
  QTimer timer_;
  QElapsedTimer clock_;
  double total_seconds_ = 0;
  SessionState state_ = SessionState::idle;
  bool stopping_ = false;
  std::optional<Error> error_;
  std::filesystem::path folder_;
  ProgressEvent progress_;
  std::vector<RunPhase> phases_;
  std::vector<RunTable> tables_;
  std::vector<WorkerSpec> workers_;
  std::deque<BalanceSample> balance_;
  std::vector<NumberEvent> numbers_;
  std::vector<std::pair<std::string, FieldInfo>> catalog_;
  FrameHistory frames_;
  std::deque<LogLine> log_;
  std::string part_, field_;
  bool chosen_only_ = false;

  std::mutex inbox_mutex_;          ///< the logger calls from any thread
  std::vector<LogLine> inbox_;
  std::unique_ptr<log::Subscription> subscription_;
};

}  // namespace conoid::app
