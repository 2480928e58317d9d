// SPDX-License-Identifier: BSD-3-Clause
// One run as the window sees it: a session, asked for news thirty times a second, or a run read from its folder.
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
#include "app/model/run_parts.hpp"
#include "engine/session/session.hpp"
#include "render/scene/field_values.hpp"

class QThreadPool;

namespace conoid::app {

struct StoredRun;

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
  /// Reads a run from its folder in the background; `opened` or `open_failed` follows. Not while a session is active.
  void open(const std::filesystem::path& folder);
  /// Of the stored run at hand: reads curves, numbers, balance and log again in the background; frames, colours and views stay as they are.
  void read_curves_again();
  /// Shows a run that has been read. Its frames are read when they are wanted (see fetch).
  void show(StoredRun run);
  /// Memory for frames that can be scrubbed to.
  void set_frame_memory(Bytes bytes) { frames_.set_budget(bytes); }
  /// Lets go of everything: no run.
  void reset();
  /// Whether what is shown was read from a folder.
  [[nodiscard]] bool is_stored() const { return reader_ != nullptr || opened_; }
  /// A run read from its folder, in which another program (or another run of this window) computes now. Once that has ended the
  /// folder is read again; `opened` follows.
  [[nodiscard]] bool is_elsewhere() const { return elsewhere_ && !is_active(); }
  /// Asks for a frame of a stored run; `frame_loaded` follows. Only the newest wish counts.
  void fetch(std::size_t index);
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
  /// Of a run that has ended: whether it can go on from where it was.
  [[nodiscard]] bool has_checkpoint() const { return has_checkpoint_; }

  [[nodiscard]] const ProgressEvent& progress() const { return progress_; }
  [[nodiscard]] const std::vector<RunPhase>& phases() const { return phases_; }
  [[nodiscard]] double elapsed() const;
  [[nodiscard]] const std::vector<RunTable>& tables() const { return tables_; }
  [[nodiscard]] const RunTable* table(const std::string& id) const;
  [[nodiscard]] const std::vector<WorkerSpec>& workers() const { return workers_; }
  [[nodiscard]] const std::deque<BalanceSample>& balance() const { return balance_; }
  /// What the machine of the run can do; zeros until it is known.
  [[nodiscard]] const MachineRates& rates() const { return rates_; }
  /// One a worker; zeros of processors; empty: not measured.
  [[nodiscard]] const std::vector<MachineRates>& device_rates() const { return device_rates_; }
  [[nodiscard]] const std::vector<NumberEvent>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<std::pair<std::string, FieldInfo>>& catalog() const { return catalog_; }
  [[nodiscard]] const FrameHistory& frames() const { return frames_; }
  /// The frame that a stored run opens on.
  [[nodiscard]] std::size_t first_shown() const { return first_shown_; }
  [[nodiscard]] const std::deque<LogLine>& log() const { return log_; }
  void add_log(LogLine line);

  /// Says which field the viewer shows. All fields are asked for as long as a frame stays small, so that another field
  /// can be chosen after the end; of big runs only the chosen one is made.
  void view(const std::string& part, const std::string& field);

  /// Finds the range of a selection over all frames of a stored run (of more than some hundred, over as many of them), one by one
  /// while none is wanted for the screen; `range_known` follows. Only the newest wish counts.
  void find_range(std::string part, std::string field, ValueSelection selection, double percent);
  [[nodiscard]] bool is_finding_range() const { return search_.has_value(); }

  /// Takes news now (the timer does it by itself).
  void poll();

 signals:
  void started();
  void state_changed(conoid::SessionState state);
  void progressed();
  void tables_changed();  ///< rows or tables are new
  void balance_changed();
  void numbers_changed();
  void catalog_changed();
  void frame_arrived();
  void frame_loaded(std::size_t index);  ///< a frame of a stored run is in its place now
  void opened();                         ///< a stored run is shown
  void open_failed(const conoid::Error& error);
  void log_grew(int lines);
  /// Answers find_range.
  void range_known(const std::string& part, const std::string& field, double low, double high);
  void ended();  ///< after the last event and the last frame were taken

 private:
  void clear();
  void take(const SessionEvent& event);
  void take_state(const StateEvent& event);
  void take_progress(const ProgressEvent& event);
  void take_table(const TableEvent& event);
  void ask_for_frames();
  void close_phase();
  void read_wanted();
  void search_on();
  [[nodiscard]] QThreadPool& reading_pool();
  void look_elsewhere();
  void take_read(std::size_t index, std::uint64_t generation, const std::shared_ptr<const Frame>& frame,
                 const QString& trouble);

  StartSession start_;
  std::unique_ptr<SessionPort> port_;
  QTimer timer_;
  QElapsedTimer clock_;
  double began_ = 0;  ///< on the clock of the log
  double total_seconds_ = 0;
  SessionState state_ = SessionState::idle;
  bool stopping_ = false;
  bool has_checkpoint_ = false;
  std::optional<Error> error_;
  std::filesystem::path folder_;
  ProgressEvent progress_;
  std::vector<RunPhase> phases_;
  std::vector<RunTable> tables_;
  std::vector<WorkerSpec> workers_;
  std::deque<BalanceSample> balance_;
  MachineRates rates_{};
  std::vector<MachineRates> device_rates_;
  std::vector<NumberEvent> numbers_;
  std::vector<std::pair<std::string, FieldInfo>> catalog_;
  FrameHistory frames_;
  std::deque<LogLine> log_;
  std::size_t first_shown_ = 0;
  std::string part_, field_;
  bool chosen_only_ = false;

  std::shared_ptr<VtkhdfReader> reader_;  ///< used by the reading thread alone
  std::unique_ptr<QThreadPool> pool_;     ///< one thread
  std::optional<std::size_t> wanted_;     ///< the frame to be read next
  std::uint64_t generation_ = 0;          ///< what was asked for before a change of run or field is dropped
  bool reading_ = false;
  struct RangeSearch {
    std::string part, field;
    ValueSelection selection;
    double percent = 100;
    std::size_t next = 0, step = 1;
    std::vector<std::pair<double, double>> ranges;  // of the frames read so far
  };
  std::optional<RangeSearch> search_;
  std::uint64_t search_ticket_ = 0;
  bool opened_ = false;
  bool elsewhere_ = false;
  QElapsedTimer since_looked_;

  std::mutex inbox_mutex_;  ///< the logger calls from any thread
  std::vector<LogLine> inbox_;
  std::unique_ptr<log::Subscription> subscription_;
};

}  // namespace conoid::app
