// SPDX-License-Identifier: BSD-3-Clause
// One run from document to summary, on the calling thread and on every rank alike.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/cluster/communicator.hpp"
#include "engine/session/control.hpp"
#include "engine/session/progress_tracker.hpp"
#include "engine/session/run_files.hpp"
#include "engine/session/session_results.hpp"
#include "engine/session/setup.hpp"
#include "engine/session/stop_guard.hpp"
#include "engine/solvers/frame_marks.hpp"

namespace conoid {

/// Rank 0 decides before each step what happens next and tells the others in one small block, so that all ranks make
/// the same collective calls. Used once.
class Engine {
 public:
  /// `tick` is called on rank 0 about ten times a second, between steps and from the solver's progress calls.
  Engine(SessionOptions options, Control& control, Communicator& cluster, std::function<void()> tick = {});
  ~Engine();

  /// Never throws. The final state has been entered in the control when this returns.
  StateEvent run();

 private:
  using Clock = std::chrono::steady_clock;

  enum class Settling : std::uint8_t { none, look, wait, drop };

  /// What rank 0 tells all ranks at each turn of the loop.
  struct Turn {
    bool keep = false;  ///< a results frame
    bool show = false;  ///< a live frame
    bool checkpoint = false;
    Settling settling = Settling::none;  ///< of the checkpoint that is being written beside the march
    bool advance = false;
    bool finished = false;      ///< leave the loop: done
    bool stopped = false;       ///< leave the loop: stopped
    std::uint32_t request = 0;  ///< bytes of the live frame's request that follow
  };

  // The stages, in order.
  void life();
  void tell(const std::vector<Diagnostic>& diagnostics);
  void read_case();
  void open_files();
  void prepare();
  void march();
  void finish();

  // Turns of the loop.
  Turn decide();
  Turn tell_all(Turn turn, FrameRequest& request);
  void advance();
  void keep_frame();
  void show_frame(const FrameRequest& request, bool idle);
  void write_checkpoint(bool last);
  void settle_checkpoint(Settling how);
  void checkpoint_counts(Index step);

  // Around them.
  void together(const char* what, const std::function<void()>& work);
  void agree(std::optional<Error> mine);
  StateEvent conclude(std::optional<Error> failure);
  void write_summary(const StateEvent& last);
  void abandon(const std::string& phase);
  void change_the_case(CaseDocument& document);
  void expect_own_case(const CaseDocument& document);
  void name_the_case();
  void keep_changed_case();
  [[nodiscard]] double checkpoint_cost(bool beside) const;
  [[nodiscard]] Bytes least_copy() const;
  [[nodiscard]] Bytes room_for_a_copy() const;
  [[nodiscard]] Bytes bytes_to_save() const;
  [[nodiscard]] bool patient() const;
  [[nodiscard]] bool checkpoint_is_due() const;
  [[nodiscard]] bool end_is_kept() const;
  [[nodiscard]] bool is_worth_a_checkpoint() const;
  void pump(bool now);
  void take_samples();
  void measure_machine();
  /// Of the whole run: by its own pace, and by the estimate while little of it is done.
  [[nodiscard]] std::optional<double> seconds_left() const;
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  [[nodiscard]] RunContext context();

  SessionOptions options_;
  Control& control_;
  Communicator& cluster_;
  std::function<void()> tick_;
  StopGuard guard_;
  ProgressTracker tracker_;
  Setup setup_;
  RankPlace place_;
  Cadence cadence_;
  std::unique_ptr<RunFiles> files_;
  std::unique_ptr<SessionResults> results_;
  std::unique_ptr<Team> team_;

  Advanced at_;
  Cadence::Moment kept_;  ///< of the last results frame
  bool frame_due_ = false;
  /// Frames and the last of them before one that is kept only since the run ends there: a run that is prolonged has none of its moment.
  struct BeforeEnd {
    std::uint64_t frames = 0;
    Cadence::Moment kept;
  };
  std::optional<BeforeEnd> before_end_;
  bool due_by_end_ = false;  ///< the frame that is due
  bool looks_finished_ = false;
  std::string case_hash_;          ///< by which checkpoints name their case
  bool can_be_prolonged_ = false;  ///< the case has an end that may be moved
  Index shown_step_ = -1;
  FrameRequest live_request_;
  std::uint64_t frames_shown_ = 0;
  std::uint64_t passes_before_ = 0;  ///< of the earlier part of a resumed run
  std::uint64_t passes_ = 0;
  bool counted_ = false;  ///< a phase has said what it took
  MachineRates rates_{};
  std::vector<MachineRates> device_rates_;
  Bytes peak_memory_ = 0;  ///< before the machine was measured; 0: it was not
  Bytes device_peak_ = 0;  ///< held of a device at most
  Bytes streamed_ = 0;     ///< through windows, in this start
  bool stopped_ = false;

  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_pump_{};
  std::string told_phase_;  ///< the tracker's, under the guard's lock
  Clock::time_point last_flush_ = Clock::now();
  Clock::time_point last_checkpoint_ = Clock::now();
  Clock::time_point march_begun_{};
  double last_advance_ = 0;       ///< seconds that the last advance took
  mutable double disk_rate_ = 0;  ///< bytes a second as measured; 0: not yet
  double last_copy_ = 0;        ///< seconds that the march stood still for the last checkpoint; 0: none has been taken
  double last_write_ = 0;       ///< seconds from its beginning to the end of its writing; 0: none has been written
  double unsaved_ = 0;          ///< seconds of steps that no checkpoint holds, nor one that is being written
  double unsaved_before_ = 0;   ///< what the one that is being written holds of them
  Index checkpoint_step_ = -1;  ///< of the newest checkpoint that counts; -1: none
  mutable std::optional<Clock::time_point> stop_seen_;  ///< by who waits for a checkpoint
  Index saved_step_ = -1;                               ///< of the newest one, written or being written
  int checkpoints_written_ = 0, written_beside_ = 0;    ///< in this start
  Index first_step_ = 0;                                ///< where this session's march began
  Stages stages_;
  double marched_before_ = 0;  ///< seconds of march before this start
};

}  // namespace conoid
