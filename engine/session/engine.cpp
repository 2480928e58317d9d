// SPDX-License-Identifier: BSD-3-Clause
// The life of one run: open, prepare, march, finish.
#include "engine/session/engine.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/session/engine_parts.hpp"
#include "engine/session/request_wire.hpp"
#include "engine/solvers/frame_rule.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"

namespace conoid {
namespace {

using namespace std::chrono_literals;

constexpr auto pump_interval = 100ms;
/// What the session counts a march by, where the solver does not count it by something else.
constexpr const char* steps_of_march = "steps";

/// Without the word "warning", which the log puts in front.
std::string plain(Diagnostic d) {
  d.severity = Severity::error;
  return d.render();
}

}  // namespace

Engine::Engine(SessionOptions options, Control& control, Communicator& cluster, std::function<void()> tick)
    : options_(std::move(options)), control_(control), cluster_(cluster), tick_(std::move(tick)),
      guard_(control_,
             options_.abandoned && cluster_.leads()
                 ? StopGuard::Abandon([this](const std::string& phase) { abandon(phase); })
                 : StopGuard::Abandon(),
             StopGuard::patience_of(cluster_.size())),
      tracker_([this] { pump(false); }) {}

Engine::~Engine() = default;

StateEvent Engine::run() {
  const std::stop_callback from_outside(options_.stop, [this] { control_.send(Command::stop); });
  // On Linux niceness belongs to a thread, and those that it starts inherit it.
  if (options_.courtesy > 0) static_cast<void>(::setpriority(PRIO_PROCESS, 0, std::min(options_.courtesy, 19)));
  std::optional<Error> failure;
  try {
    life();
  } catch (const StoppedEarly&) {
    stopped_ = true;
  } catch (const StopGuard::GivenUp&) {
    // Everybody has been told that the run was stopped; only now its folder is free.
    results_.reset();
    files_.reset();
    return {SessionState::stopped, {}};
  } catch (...) {
    failure = current_exception_as_error();
  }
  return conclude(std::move(failure));
}

void Engine::life() {
  control_.enter(SessionState::preparing);
  place_ = place_of(cluster_);
  together("read the case", [this] { read_case(); });
  together("open the run folder", [this] { open_files(); });
  together("prepare", [this] { prepare(); });
  // Nothing is new since the last checkpoint, or the beginning, and writing it could take longer than a stop may.
  if (cluster_.from_root(control_.wishes().stop)) throw StoppedEarly{};
  march();
  control_.enter(SessionState::finishing);
  together("finish", [this] { finish(); });
}

/// Errors go to the windows only: the last one is logged with the end of the run.
void Engine::tell(const std::vector<Diagnostic>& diagnostics) {
  if (!cluster_.leads()) return;
  for (const Diagnostic& d : diagnostics) {
    control_.emit(DiagnosticEvent{d});
    if (d.severity == Severity::warning) log::warning("{}", plain(d));
    if (d.severity == Severity::note) log::info("{}", plain(d));
  }
}

void Engine::read_case() {
  if (!options_.resume.empty()) {
    options_.keep_results = true;
    auto document = read_run_case(options_.resume);
    if (!document) throw Failure(document.error());
    change_the_case(*document);
    expect_own_case(*document);
    options_.document = std::move(*document);
  }
  guard_.watch("read the case", [this] {
    setup_ = set_up(
        options_.document, tracker_, cluster_.size() == 1 ? control_.stop_token() : std::stop_token{},
        options_.trust_geometry ? Meshing::trusted : Meshing::confined,
        {options_.flags, options_.settings, place_,
         options_.resume.empty() ? (options_.folder.empty() ? options_.runs : options_.folder) : options_.resume});
  });
  tell(setup_.diagnostics);
  // The last error is logged with the end of the run.
  const Diagnostic* last = nullptr;
  for (const Diagnostic& d : setup_.diagnostics) {
    if (d.severity != Severity::error) continue;
    if (last && cluster_.leads()) log::error("{}", last->render());
    last = &d;
  }
  if (last && last->code == ErrorCode::stopped && control_.wishes().stop) throw StoppedEarly{};
  if (last) throw Failure(*last);

  cadence_ = frame_cadence(setup_.input);
  name_the_case();
}

RunContext Engine::context() {
  // A stop that only one rank sees would tear the ranks' collective calls apart: with several of them it is looked at
  // between steps only, where rank 0 decides for all.
  return {setup_.input,
          setup_.mesh,
          *team_,
          setup_.offer,
          cluster_,
          *results_,
          tracker_,
          cluster_.size() == 1 ? control_.stop_token() : std::stop_token{},
          files_ ? FrameMarks(cadence_, kept_) : FrameMarks()};  // a session without files keeps none
}

void Engine::prepare() {
  const Stopwatch watch(stages_.prepare);
  RunContext run = context();
  const bool resumed = !options_.resume.empty();
  std::optional<RunFiles::Found> found;
  std::vector<Diagnostic> damaged;
  if (resumed) {
    found = files_->newest_checkpoint(damaged);
    if (found) {
      const auto given_up = files_->cut_back_to(*found);
      damaged.insert(damaged.end(), given_up.begin(), given_up.end());
      for (auto& [info, rows] : files_->stored_tables()) results_->has_rows(info, std::move(rows));
    } else {
      damaged.push_back(make_warning("there is no checkpoint to go on from; the run starts again from its beginning"));
      files_->start_over();
    }
    for (const Diagnostic& d : damaged) {
      if (!cluster_.leads()) break;
      control_.emit(DiagnosticEvent{d});
      log::warning("{}", plain(d));
    }
  }
  results_->mute(found.has_value());
  tracker_.begin("prepare", 0, "");
  const Status prepared = guard_.watch("prepare", [&] { return setup_.solver->prepare(run); });
  tracker_.end();
  if (!prepared) {
    if (prepared.error().code == ErrorCode::stopped && control_.wishes().stop) throw StoppedEarly{};
    throw Failure(prepared.error());
  }
  if (found) {
    guard_.watch("load", [&] { setup_.solver->load(*found->reader); });
    const SessionMark& mark = found->mark;
    if (setup_.estimate.steps > 0 && !options_.set.empty() && mark.step >= setup_.estimate.steps)
      throw Failure(make_error(
          ErrorCode::invalid_input,
          fmt::format("the run stands at step {} already, and {} are wanted", mark.step, setup_.estimate.steps),
          "Set a later end."));
    const std::vector<std::string> known = hashes_of(run_record(files_->folder()));
    if (!mark.hash.empty() && std::find(known.begin(), known.end(), mark.hash) == known.end())
      throw Failure(make_error(ErrorCode::file,
                               fmt::format("the checkpoint of step {} is of another case than this run's", mark.step),
                               "It was copied here from another run; put this run's own checkpoints back.",
                               {files_->folder().string(), 0, {}}));
    at_ = {false, mark.step, mark.steps, mark.value};
    checkpoint_step_ = saved_step_ = mark.step;
    // The run had come to its end, and was ended before it was finished.
    looks_finished_ = mark.steps > 0 && mark.step >= mark.steps && options_.set.empty();
    frame_due_ = looks_finished_ && mark.step != mark.kept_step;
    kept_ = {mark.kept_step, mark.kept_value, mark.kept_share};
    passes_before_ = mark.passes;
    const double preparing = stages_.prepare;
    stages_ = mark.stages;
    marched_before_ = stages_.march;
    stages_.prepare += preparing;
    ++stages_.resumed;
    if (cluster_.leads()) log::info("goes on from the checkpoint of step {}", mark.step);
  } else {
    at_.steps = setup_.estimate.steps;
    frame_due_ = true;  // the beginning is always kept
  }
  keep_changed_case();
  results_->mute(false);
}

void Engine::march() {
  if (cluster_.leads()) {
    CatalogEvent catalog;
    for (const CatalogEntry& entry : setup_.solver->catalog()) catalog.fields.emplace_back(entry.part, entry.field);
    control_.emit(std::move(catalog));
    if (options_.start_paused) control_.send(Command::pause);
  }
  march_begun_ = last_checkpoint_ = Clock::now();
  first_step_ = at_.step;
  tracker_.begin("march", at_.steps, steps_of_march);
  tracker_.at(at_.step);
  for (;;) {
    FrameRequest request;
    const Turn turn = tell_all(decide(), request);
    if (turn.keep) together("write a results frame", [this] { keep_frame(); });
    if (turn.show) together("build a live frame", [&] { show_frame(request, !turn.advance); });
    if (turn.settling != Settling::none) together("write a checkpoint", [&] { settle_checkpoint(turn.settling); });
    if (turn.checkpoint) together("write a checkpoint", [&] { write_checkpoint(turn.stopped || turn.finished); });
    if (turn.stopped) stopped_ = true;
    if (turn.finished || turn.stopped) break;
    if (turn.advance) together("advance", [this] { advance(); });
    if (stopped_) break;
  }
  tracker_.end();
}

Engine::Turn Engine::decide() {
  Turn turn;
  if (!cluster_.leads()) return turn;
  for (;;) {
    pump(false);
    const Wishes wishes = control_.wishes();
    turn.keep = frame_due_ && files_ != nullptr && cadence_.keeps_any();
    turn.finished = looks_finished_;
    turn.stopped = !looks_finished_ && wishes.stop;
    const bool hold = wishes.paused && wishes.steps == 0 && !turn.finished && !turn.stopped;
    if (!hold) control_.enter(SessionState::running);
    if (hold) control_.enter(SessionState::paused);

    if (files_ != nullptr) {
      const bool under_way = files_->writes_checkpoint();
      turn.checkpoint = (wishes.checkpoint && !under_way) ||
                        (turn.stopped && saved_step_ != at_.step && is_worth_a_checkpoint()) ||
                        (turn.finished ? end_is_kept() : !turn.stopped && checkpoint_is_due());
      if (under_way && turn.stopped) {
        // A new one that would be given up loses both.
        const bool in_time = last_write_ <= checkpoint_patience;
        turn.checkpoint = turn.checkpoint && in_time;
        turn.settling = turn.checkpoint ? Settling::drop : Settling::wait;
      } else if (under_way && turn.finished && turn.checkpoint) {
        turn.settling = Settling::drop;
      } else if (files_->has_written_checkpoint()) {
        turn.settling = Settling::look;
      }
    } else if (wishes.checkpoint) {
      control_.checkpoint_served();  // nothing is kept in this session
    }

    FrameChannel& channel = control_.frames();
    std::optional<FrameRequest> wanted;
    // One picture a moment, unless the viewer asks for another. At rest it may cost what it costs.
    if (shown_step_ != at_.step || channel.wish_is_new())
      wanted = turn.finished || turn.stopped ? channel.wish() : hold ? channel.wanted_when_idle() : channel.wanted();
    if (wanted) {
      turn.show = true;
      live_request_ = std::move(*wanted);
    }
    turn.advance = !hold && !turn.finished && !turn.stopped;
    if (turn.advance && wishes.steps > 0) control_.step_served();
    if (!hold || turn.keep || turn.show || turn.checkpoint || turn.settling != Settling::none) return turn;
    results_->send_rows();
    control_.sleep_until_wish(pump_interval);
  }
}

Engine::Turn Engine::tell_all(Turn turn, FrameRequest& request) {
  if (cluster_.size() == 1) {
    request = live_request_;
    return turn;
  }
  std::vector<std::byte> wire;
  if (turn.show) {
    wire = to_wire(live_request_);
    turn.request = static_cast<std::uint32_t>(wire.size());
  }
  turn = cluster_.from_root(turn);
  if (turn.show) {
    wire.resize(turn.request);
    cluster_.broadcast(wire, 0);
    request = from_wire(wire);
  }
  return turn;
}

void Engine::advance() {
  const Stopwatch watch(stages_.march);
  RunContext run = context();
  const Index before = at_.step;
  const auto start = Clock::now();
  auto result = guard_.watch("march", [&] { return setup_.solver->advance(run); });
  last_advance_ = since(start);
  unsaved_ += last_advance_;
  if (!result) {
    // A solver may give up a long step when asked to stop; the run then goes on from the last checkpoint.
    if (result.error().code == ErrorCode::stopped && control_.wishes().stop) {
      stopped_ = true;
      return;
    }
    throw Failure(result.error());
  }
  at_ = *result;
  looks_finished_ = at_.finished;
  const Cadence::Moment now = Cadence::moment(at_);
  // The end is always kept, also one that a solver finds without a step of its own (a time step that collapsed).
  const bool by_cadence = at_.step != before && cadence_.due(kept_, now);
  due_by_end_ = !by_cadence && at_.finished && at_.step != kept_.step;
  frame_due_ = by_cadence || due_by_end_;
  // A solver may count its march by something else.
  if (const ProgressState& p = tracker_.state(); p.phase == "march" && p.unit == steps_of_march) {
    if (at_.steps > 0 && p.total != at_.steps) tracker_.begin("march", at_.steps, steps_of_march);
    tracker_.at(at_.step);
  }
  take_samples();
  if (files_ && since(last_flush_) > 1) {
    files_->flush(false);  // others may read along, and a full disk is noticed early
    last_flush_ = Clock::now();
  }
}

void Engine::keep_frame() {
  const Stopwatch watch(stages_.frames);
  FrameBuilder builder(frame_request(setup_.input), files_->frames());
  builder.at(at_.step, at_.value, FrameAxis::time);
  guard_.watch("fill a frame", [&] { setup_.solver->fill(builder); });
  if (cluster_.leads()) {
    const auto frame = builder.finish();
    if (due_by_end_) before_end_ = BeforeEnd{files_->frames(), kept_};
    // A solver may still have what is kept already: it says of which step its fields are. Before the first step it may have its
    // geometry to show, but nothing to keep.
    const bool is_kept = files_->frames() > 0 && frame->step < at_.step && frame->step <= kept_.step;
    const bool empty = std::all_of(frame->parts.begin(), frame->parts.end(),
                                   [](const FramePart& part) { return part.fields.empty(); });
    if (!is_kept && (at_.step > 0 ? !frame->parts.empty() : !empty)) files_->add_frame(frame);
  }
  kept_ = Cadence::moment(at_);
  frame_due_ = false;
}

void Engine::show_frame(const FrameRequest& request, bool idle) {
  const Stopwatch watch(stages_.pictures);
  const auto start = Clock::now();
  FrameBuilder builder(request, frames_shown_++);
  builder.at(at_.step, at_.value, FrameAxis::time);
  guard_.watch("fill a frame", [&] { setup_.solver->fill(builder); });
  shown_step_ = at_.step;
  if (cluster_.leads()) control_.frames().put(builder.finish(), since(start), idle);
}

void Engine::finish() {
  const Stopwatch watch(stages_.finish);
  RunContext run = context();
  tracker_.begin("finish", 0, "");
  const Status finished = guard_.watch("finish", [&] { return setup_.solver->finish(run); });
  tracker_.end();
  if (files_ && files_->writes_checkpoint()) settle_checkpoint(Settling::wait);
  take_samples();
  measure_machine();
  // After a stop far fields and the like may have been cut short by the same wish.
  if (!finished && !(stopped_ && finished.error().code == ErrorCode::stopped)) throw Failure(finished.error());
}

void Engine::take_samples() {
  std::vector<BalanceSample> samples = team_->take_samples();
  if (samples.empty()) return;
  std::vector<TelemetryRow> rows;
  for (BalanceSample& s : samples) {
    passes_ = std::max(passes_, s.pass + 1);
    s.pass += passes_before_;
    rows.push_back({s.pass, s.worker, s.items, s.busy, s.waiting, s.copying, s.phase, s.work.flops, s.work.bytes,
                    static_cast<double>(s.held), static_cast<double>(s.streamed)});
    counted_ = counted_ || s.work.flops > 0;
    device_peak_ = std::max(device_peak_, s.held);
    streamed_ += s.streamed;
  }
  if (!cluster_.leads()) return;
  if (files_) files_->results().telemetry(rows);
  control_.emit(BalanceEvent{team_->workers(), std::move(samples), rates_, {}});
}

/// What processors and devices can do at best, for the roof over the run's kernels: after all is computed, so that nothing is disturbed.
/// Not before a stop, which does not wait, and not after a moment, which would be over before it.
void Engine::measure_machine() {
  constexpr double worth = 1;  // seconds
  if (!counted_ || stopped_ || !cluster_.leads() || seconds() < worth) return;
  peak_memory_ = peak_resident_memory();
  setup_.solver.reset();  // what is copied must not come on top of a run's memory
  ::malloc_trim(0);
  int threads = 0;
  for (const WorkerSpec& worker : team_->workers()) {
    if (worker.device.empty()) threads += worker.threads;
    device_rates_.push_back(worker.device.empty() ? MachineRates{} : device_rates(worker.device));
  }
  if (threads > 0) rates_ = machine_rates(threads);
  control_.emit(BalanceEvent{team_->workers(), {}, rates_, device_rates_});
}

void Engine::pump(bool now) {
  if (!cluster_.leads()) return;
  const auto alone = guard_.hold();
  if (!alone.owns_lock()) return;
  if (told_phase_ != tracker_.state().phase) told_phase_ = tracker_.state().phase;
  const auto time = Clock::now();
  if (!now && time - last_pump_ < pump_interval) return;
  last_pump_ = time;
  if (results_) results_->send_rows();
  ProgressEvent event{tracker_.state(), at_.step, at_.steps, at_.value, seconds(), {}};
  event.eta = seconds_left();
  control_.emit(std::move(event));
  if (tick_) tick_();
}

std::optional<double> Engine::seconds_left() const {
  const Index done = at_.step - first_step_;
  const double marching = march_begun_ == Clock::time_point{} ? 0 : since(march_begun_);
  // Not where a solver counts its march by something else: shots side by side, whose steps come one after the other.
  const bool by_steps = control_.state() == SessionState::running && at_.steps > 0 && done >= 2 && marching >= 1 &&
                        tracker_.state().unit == steps_of_march;
  const std::optional<double> paced =
      by_steps ? std::optional(marching / static_cast<double>(done) * static_cast<double>(at_.steps - at_.step))
               : tracker_.seconds_left();
  // The estimate is of a whole run, and of processors where no time of devices is told.
  const bool devices = !setup_.plan.team.devices().empty() && setup_.estimate.planned_seconds <= 0;
  if (setup_.estimate.seconds <= 0 || stages_.resumed > 0 || devices) return paced;
  const double expected = std::max(0.0, setup_.estimate.expected_seconds() - seconds());
  // Before the march a phase knows its own end only; after a tenth of it nothing knows better than its pace.
  if (march_begun_ == Clock::time_point{}) return std::max(expected, paced.value_or(0));
  if (!paced) return expected > 0 ? std::optional(expected) : std::nullopt;
  const ProgressState& phase = tracker_.state();
  const double share = by_steps          ? static_cast<double>(done) / static_cast<double>(at_.steps - first_step_)
                       : phase.total > 0 ? static_cast<double>(phase.done) / static_cast<double>(phase.total)
                                         : 1;
  const double weight = std::min(1.0, share / 0.1);
  return weight * *paced + (1 - weight) * expected;
}

}  // namespace conoid
