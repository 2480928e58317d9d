// SPDX-License-Identifier: BSD-3-Clause
// A session drives one solver from a case to its results. The window and the command line are thin clients of it.
//
// SessionPort is the face that a client sees. The thread transport (start_session) runs the engine on a thread of this
// process; a child process or a far machine fits behind the same face: nothing in it is a pointer into the engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"
#include "engine/core/log.hpp"
#include "engine/core/progress.hpp"
#include "engine/io/frame.hpp"
#include "engine/io/results.hpp"
#include "engine/session/frame_channel.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/estimate.hpp"
#include "engine/team/balancer.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/workers.hpp"

namespace conoid {

enum class SessionState : std::uint8_t {
  idle,       ///< made, not started
  preparing,  ///< reading mesh, building spaces and matrices
  running,
  paused,
  finishing,  ///< far fields, spectra, last writes
  finished,   ///< finished as asked
  stopped,    ///< stopped on request; checkpoint written
  failed      ///< error(); what was computed is kept
};
[[nodiscard]] std::string_view name_of(SessionState state);
[[nodiscard]] inline bool is_final(SessionState s) {
  return s == SessionState::finished || s == SessionState::stopped || s == SessionState::failed;
}

/// Rows appended to a table since the last event for it.
struct TableEvent {
  TableInfo info;
  std::size_t first_row = 0;  ///< index of rows.front(); 0 replaces everything
  std::vector<std::vector<double>> rows;
};
struct StateEvent {
  SessionState state = SessionState::idle;
  std::optional<Error> error;  ///< with `failed`
};
struct ProgressEvent {
  ProgressState progress;
  Index step = 0;
  Index steps = 0;
  double value = 0;
  double elapsed = 0;         ///< seconds of wall time in this session
  std::optional<double> eta;  ///< seconds left, only where honest
};
struct BalanceEvent {
  std::vector<WorkerSpec> workers;
  std::vector<BalanceSample> samples;
  MachineRates rates;  ///< of the processors; zeros until they are known: they are measured as the run ends
  std::vector<MachineRates> device_rates{};  ///< one a worker, likewise; zeros of processors
};
struct DiagnosticEvent {
  Diagnostic diagnostic;
};
struct NumberEvent {  ///< a result number for the summary
  std::string name;
  double value = 0;
  std::string unit;
};
struct CatalogEvent {                                     ///< fields that may be asked for
  std::vector<std::pair<std::string, FieldInfo>> fields;  ///< part, field
};
using SessionEvent =
    std::variant<StateEvent, ProgressEvent, TableEvent, BalanceEvent, DiagnosticEvent, NumberEvent, CatalogEvent>;

enum class Command : std::uint8_t { pause, resume, step, checkpoint, stop };

/// All members may be called from any thread and return at once.
class SessionPort {
 public:
  virtual ~SessionPort() = default;  ///< stops and waits
  virtual void send(Command command) = 0;
  [[nodiscard]] virtual SessionState state() const = 0;
  /// Events since the last call, oldest first. The queue is bounded: table rows and balance samples of one kind are
  /// merged, progress is latest-wins, states and diagnostics are never dropped.
  [[nodiscard]] virtual std::vector<SessionEvent> take_events() = 0;
  /// Latest-wins: the newest frame not yet taken, or null.
  [[nodiscard]] virtual std::shared_ptr<const Frame> take_frame() = 0;
  /// Says what the viewer wants to see and how often (0 = nothing); frames cost the solver at most 2 % of its time
  /// unless `paused`.
  virtual void want_frames(FrameRequest request, double per_second) = 0;
  /// Waits until the state is final or the time is over; true if final.
  virtual bool wait(std::chrono::milliseconds timeout) = 0;
  [[nodiscard]] virtual std::filesystem::path folder() const = 0;  ///< the run folder
};

/// How to start.
struct SessionOptions {
  CaseDocument document;
  std::filesystem::path runs = "runs";  ///< a run folder <UTC time>-<hash8> is made below it
  std::filesystem::path folder;         ///< or exactly this folder (--out); must be empty or new
  std::filesystem::path resume;         ///< or: continue this run folder from its newest valid checkpoint; its own
                                        ///< case.json is taken, `document` is not looked at
  ResourceRequest flags;                ///< go before what the case says under "compute"
  ResourceRequest settings;             ///< go after it: the window's
  int courtesy = 0;  ///< niceness (nice(2)) of all threads of the run, 0 to 19: a window on the same machine goes
                     ///< first; where nothing else wants the processor the run is as fast
  bool start_paused = false;
  bool keep_results = true;  ///< false: nothing is written
  bool trust_geometry =
      false;  ///< the user's word for the script that the case names as its mesh (engine/mesh/gmsh.hpp)
  /// With `resume`: "PATH=VALUE", changes of what a run that goes on may take: its end and its output. Others are refused.
  std::vector<std::string> set;
  std::stop_token stop;  ///< a wish to stop from outside (a signal); the same as Command::stop
  /// Called on a thread of its own when a stop was asked for and the solver has not come back for some seconds; must end the
  /// process (abort_all_ranks). The run goes on from its last checkpoint. Not set: the session waits for the solver.
  std::function<void(const StateEvent& last)> abandoned;
};

/// Starts on a thread of this process. Errors in the case arrive as DiagnosticEvents and state `failed`.
[[nodiscard]] std::unique_ptr<SessionPort> start_session(SessionOptions options);

/// The same on the calling thread, for the command line and for MPI: `drive` is called on rank 0 between steps and
/// about ten times a second with a port whose commands it may send; returns the final state. Collective over world().
[[nodiscard]] StateEvent run_session_here(SessionOptions options, const std::function<void(SessionPort&)>& drive);

/// The case of a run folder, with the folder of the original case as base of its relative paths.
[[nodiscard]] Result<CaseDocument> read_run_case(const std::filesystem::path& run);

/// Checks a case without running: schema, files, mesh, the solver's own rules, memory. Used by `check` and by forms.
struct CheckReport {
  std::vector<Diagnostic> diagnostics;
  bool estimated = false;  ///< no: something is wrong, and the rest is empty
  Estimate estimate;       ///< the plan's, with seconds for this machine
  RunPlan plan;            ///< what `run` would do with the same resources
};
[[nodiscard]] CheckReport check_case(const CaseDocument& document, const OfferSources& sources = {});

}  // namespace conoid
