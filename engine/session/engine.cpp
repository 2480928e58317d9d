// SPDX-License-Identifier: BSD-3-Clause
// The life of one run: open, prepare, march, finish.
#include "engine/session/engine.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <mutex>
#include <thread>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "conoid/config.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/utc.hpp"
#include "engine/session/prolong.hpp"
#include "engine/session/request_wire.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"

namespace conoid {
namespace {

using namespace std::chrono_literals;

constexpr auto pump_interval = 100ms;
/// What the session counts a march by, where the solver does not count it by something else.
constexpr const char* steps_of_march = "steps";
/// How long a rank that failed alone waits for the others to notice before it ends them.
constexpr auto grace = 5s;
/// A step longer than this is worth a checkpoint of its own ...
constexpr double long_step = 0.5;
/// ... where that costs no more than this share of the time since the last one.
constexpr double checkpoint_share = 0.02;
/// A stop that has waited this long for its checkpoint goes without, if there is an older one.
constexpr double checkpoint_patience = 2.5;

/// Bytes a second that any disk takes, for a checkpoint that nobody has timed yet.
constexpr double slow_disk = 200e6;
/// Bytes a second that one thread copies into memory that it has just been given.
constexpr double copying = 1e9;
/// Bytes from which on the disk's rate is measured before a first checkpoint is called due.
constexpr double worth_measuring = 64e6;
/// Bytes, and seconds of writing, from which on a checkpoint is written beside the march. Less is sooner done than it is copied,
/// and runs of small states keep the order of what they write.
constexpr Bytes large_state = Bytes{64} << 20;
constexpr double slow_writing = 1;
/// Share of a run that checkpoints may take which nobody asked for.
constexpr double unasked_checkpoint_share = 0.05;
/// Seconds that the checkpoint at the end may always take.
constexpr double always_cheap = 0.5;
/// Seconds of computing that a stop may cost at most, where writing them would take longer or come too late.
constexpr double cheap = 10;
/// From the wish to the end of the writing; what follows it has the rest of five seconds.
constexpr double time_to_write = 4;

/// Thrown through the stages when a stop was asked for before there was anything to keep.
struct StoppedEarly {};

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds the time of a block to a counter, also when the block is left by an exception.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { total_ += since(start_); }

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Ends all ranks if this process still lives after the grace: a rank that failed alone cannot reach the others, which
/// wait for it inside some exchange, and they cannot leave without it.
void end_all_ranks_after_grace(int rank, const Error& error) {
  static std::once_flag once;
  std::call_once(once, [&] {
    std::thread([code = static_cast<int>(error.code), text = fmt::format("rank {}: {}", rank, error.render())] {
      std::this_thread::sleep_for(grace);
      log::error("{}", text);
      abort_all_ranks(code);
    }).detach();
  });
}

/// Without the word "warning", which the log puts in front.
std::string plain(Diagnostic d) {
  d.severity = Severity::error;
  return d.render();
}

Cadence cadence_of(const Case& input) {
  Cadence out;
  const Values frames = input["output"]["frames"];
  if (frames.has("every")) out.every = frames["every"].integer();
  if (frames.has("interval")) out.interval = frames["interval"].number();
  if (frames.has("count")) out.count = frames["count"].integer();
  return out;
}

FrameRequest kept_fields_of(const Case& input) {
  FrameRequest out;
  const Values frames = input["output"]["frames"];
  if (frames.has("fields"))
    for (std::size_t i = 0; i < frames["fields"].size(); ++i) out.fields.insert(frames["fields"].at(i).text());
  if (frames.has("parts"))
    for (std::size_t i = 0; i < frames["parts"].size(); ++i) out.parts.insert(frames["parts"].at(i).text());
  return out;
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

  cadence_ = cadence_of(setup_.input);
  name_the_case();
}

namespace {

/// What a run said of itself when it began, or was last changed.
Json run_record(const std::filesystem::path& run) {
  const auto text = read_file(run / "run.json", RunFolder::json_limit);
  Json json = text ? read_json(*text) : Json();
  return json.is_object() ? json : Json::object();
}

/// The case beside its hash, to name what differs; one with long lists of numbers has its hash alone.
void keep_for_comparison(Json& record, const CaseDocument& document) {
  constexpr std::size_t most = std::size_t{1} << 22;
  record.erase("as_started");
  if (compact_json(document.json()).size() < most) record["as_started"] = document.json();
}

/// What flags, settings and the environment said, as flags of `conoid run` take it: whoever has the case alone can ask for the same.
Json said_beside_the_case(const Offer& offer) {
  const auto was_said = [](const auto& offered) { return offered.said() && offered.source != "case"; };
  Json out = Json::object();
  if (was_said(offer.who)) out["workers"] = offer.who.value;
  if (was_said(offer.threads)) out["threads"] = offer.threads.value;
  std::string memory;
  if (was_said(offer.host)) memory = fmt::format("host={}B", offer.host.value);
  if (was_said(offer.device)) memory += fmt::format("{}device={}B", memory.empty() ? "" : ",", offer.device.value);
  if (!memory.empty()) out["memory"] = memory;
  if (was_said(offer.deterministic)) out["deterministic"] = offer.deterministic.value;
  return out;
}

/// Hashes of the cases that a run has gone by: its first, and those that it was changed to.
std::vector<std::string> hashes_of(const Json& record) {
  std::vector<std::string> out;
  if (record.contains("hash") && record["hash"].is_string()) out.push_back(record["hash"].get<std::string>());
  if (record.contains("hashes") && record["hashes"].is_array())
    for (const Json& hash : record["hashes"])
      if (hash.is_string()) out.push_back(hash.get<std::string>());
  return out;
}

/// Whether a value, or a section that holds it, has a keyword in the schema.
bool is_marked(const char* keyword, const std::string& pointer, const Schema& schema, const Json& document) {
  std::string upto;
  for (const std::string& step : pointer_steps(pointer)) {
    upto = pointer_join(upto, step);
    const Json node = schema.node(upto, document);
    if (node.is_object() && node.contains(keyword) && node[keyword] == true) return true;
  }
  return false;
}

/// The value that an assignment names, where it made the section at a pointer, which the case did not have; else that pointer.
std::string what_is_set(const std::string& pointer, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments)
    if (const auto key = to_pointer(assignment.substr(0, assignment.find('='))); key)
      if (key->starts_with(pointer + "/")) return *key;
  return pointer;
}

std::string dotted(const std::string& pointer) {
  return fmt::format("{}", fmt::join(pointer_steps(pointer), "."));
}

std::string what_may_change(const Schema& schema) {
  return fmt::format(
      "Only these may change on the way, by `conoid resume RUN --set KEY=VALUE`: {}. For anything else start a new "
      "run.",
      fmt::join(changeable_keys(schema), ", "));
}

}  // namespace

/// `--set` of a resumed run: its end and its output may be others, nothing else.
void Engine::change_the_case(CaseDocument& document) {
  if (options_.set.empty()) return;
  const Schema schema = schema_of(document);
  const CaseDocument before = document;
  for (const std::string& assignment : options_.set) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(make_error(ErrorCode::command_line,
                               fmt::format("--set: expected PATH=VALUE, found '{}'", assignment),
                               "Example: --set parameters.duration=\"0.6 s\""));
    document.set(assignment.substr(0, equals), assignment.substr(equals + 1)).or_throw();
  }
  for (const std::string& pointer : changes(before, document, schema).pointers)
    if (const std::string key = what_is_set(pointer, options_.set);
        !is_marked("prolongs", key, schema, document.json()) && !is_marked("machine", key, schema, document.json()))
      throw Failure(make_error(ErrorCode::command_line,
                               fmt::format("--set {}: a run that goes on keeps what it has begun with", dotted(key)),
                               what_may_change(schema)));
  if (const auto frames = frames_as_begun(before, document, schema)) {
    document.set("output.frames", *frames).or_throw();
    options_.set.push_back("output.frames=" + *frames);
    if (cluster_.leads()) log::info("frames stay as far apart as they were: \"frames\": {}", *frames);
  }
}

/// A run goes on with the case that it began with: from another one's checkpoint nothing right can come. By what is written, since a
/// hash also changes with the defaults of another version; earlier versions kept no case to compare.
void Engine::expect_own_case(const CaseDocument& document) {
  const Json record = run_record(options_.resume);
  if (!record.contains("as_started") || !record["as_started"].is_object()) return;
  const Schema schema = schema_of(document);
  auto started = CaseDocument::from_json(record["as_started"], document.file());
  for (const std::string& assignment : options_.set) {  // what may change, as change_the_case has found
    const auto equals = assignment.find('=');
    if (const Status set = started.set(assignment.substr(0, equals), assignment.substr(equals + 1)); !set)
      log::debug("{}", set.error().text);  // compared as it is
  }
  std::vector<std::string> others;
  for (const std::string& pointer : changes(started, document, schema).pointers)
    if (!is_marked("machine", pointer, schema, document.json())) others.push_back(dotted(pointer));
  if (others.empty()) return;
  throw Failure(
      make_error(ErrorCode::invalid_input,
                 fmt::format("the case of this run is not the one that it began with: {} differ{}",
                             fmt::join(others, ", "), others.size() == 1 ? "s" : ""),
                 "Its checkpoints belong to the case as it was: put the old values back. " + what_may_change(schema),
                 {(options_.resume / "case.json").string(), 0, {}}));
}

/// The name of the case in checkpoints: a run keeps the one that it has, unless it was changed.
void Engine::name_the_case() {
  can_be_prolonged_ = !keys_of_the_end(setup_.input.schema()).empty();
  case_hash_ = setup_.input.hash();
  if (options_.resume.empty() || !options_.set.empty()) return;
  if (const auto known = hashes_of(run_record(options_.resume)); !known.empty()) case_hash_ = known.back();
}

/// What a run was changed to by `--set` is its case from here on.
void Engine::keep_changed_case() {
  if (options_.resume.empty() || options_.set.empty() || !cluster_.leads()) return;
  Json record = run_record(files_->folder());
  std::vector<std::string> known = hashes_of(record);
  if (!known.empty() && known.back() != case_hash_) {
    known.erase(known.begin());
    known.push_back(case_hash_);
    record["hashes"] = known;
  }
  keep_for_comparison(record, options_.document);
  files_->take_case(options_.document, record);
}

void Engine::open_files() {
  const std::string hash = setup_.input.hash();
  if (options_.keep_results) {
    RunFiles::Plan plan;
    plan.hash = hash;
    plan.checkpoints_kept = static_cast<int>(setup_.input["output"]["checkpoints"]["keep"].integer());
    plan.run = {{"conoid", CONOID_VERSION},
                {"format", RunFolder::format},
                {"solver", setup_.info->id},
                {"title", setup_.input.title()},
                {"hash", hash},
                {"started", utc_text(std::time(nullptr))},
                {"host", setup_.offer.machine.host},
                {"processor", setup_.offer.machine.processor},
                {"cores", setup_.offer.machine.cores},
                {"ranks", cluster_.size()},
                {"case", absolute_path(options_.document.file()).string()},
                {"options", setup_.plan.options()},
                {"flags", said_beside_the_case(setup_.offer)}};
    if (options_.trust_geometry) plan.run["trusted"] = true;
    plan.log_origin = log::seconds() - seconds();
    keep_for_comparison(plan.run, options_.document);
    files_ = std::make_unique<RunFiles>(options_, plan, cluster_);
    control_.set_folder(files_->folder());
  }
  if (cluster_.leads()) {
    log::info("options: {}", setup_.plan.text());
    log::info("conoid {} on {} ({}, {} cores), case {}, hash {}", CONOID_VERSION, setup_.offer.machine.host,
              setup_.offer.machine.processor, setup_.offer.machine.cores, options_.document.file().string(),
              hash.substr(0, 8));
    for (const auto& [name, value] : setup_.estimate.details) log::info("{}: {}", name, value);
  }
  results_ = std::make_unique<SessionResults>(files_ ? &files_->results() : nullptr, [this](SessionEvent event) {
    if (cluster_.leads()) control_.emit(std::move(event));
  });
  team_ = std::make_unique<Team>(setup_.plan.team.workers, setup_.offer.balancer.value);
}

RunContext Engine::context() {
  // A stop that only one rank sees would tear the ranks' collective calls apart: with several of them it is looked at
  // between steps only, where rank 0 decides for all.
  return {setup_.input, setup_.mesh, *team_,   setup_.offer,
          cluster_,     *results_,   tracker_, cluster_.size() == 1 ? control_.stop_token() : std::stop_token{}};
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

Cadence::Moment Engine::moment() const {
  Cadence::Moment out{at_.step, at_.value, -1};
  const ProgressState& p = tracker_.state();
  if (at_.steps > 0)
    out.share = static_cast<double>(at_.step) / static_cast<double>(at_.steps);
  else if (p.total > 0 && tracker_.in_phase())
    out.share = std::min(1.0, static_cast<double>(p.done) / static_cast<double>(p.total));
  return out;
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

/// Long steps are kept as they end: one that is given up, or killed, shall not cost those before it.
bool Engine::checkpoint_is_due() const {
  if (setup_.plan.checkpoint_every <= 0 || files_->writes_checkpoint()) return false;
  const double waited = since(last_checkpoint_);
  const bool after_long_step = last_advance_ > long_step && saved_step_ != at_.step;
  if (waited <= setup_.plan.checkpoint_every && !after_long_step) return false;
  const double cost = checkpoint_cost(true);
  if (after_long_step && cost <= checkpoint_share * waited) return true;
  // Where nobody asked for the interval, it is as long as a checkpoint's cost demands.
  const bool asked = options_.document.find("/output/checkpoints/every_seconds") != nullptr;
  return waited > (asked ? setup_.plan.checkpoint_every
                         : std::max(setup_.plan.checkpoint_every, cost / unasked_checkpoint_share));
}

/// Of this rank's share of the state: as the last time, else by the memory of the case, which bounds it.
Bytes Engine::bytes_to_save() const {
  if (files_->checkpoint_bytes() > 0) return files_->checkpoint_bytes();
  return setup_.estimate.host_memory + setup_.estimate.device_memory;
}

/// Bytes from which on a checkpoint is written beside the march.
Bytes Engine::least_copy() const {
  return last_write_ < slow_writing ? large_state : 0;
}

/// Bytes that a copy of the state may take on this rank, so that it is written beside the march; 0: it is written in the march. The
/// copy must fit beside what the run is expected to take, within its budget, and into what the machine has free.
Bytes Engine::room_for_a_copy() const {
  if (bytes_to_save() < least_copy()) return 0;
  const Bytes taken = std::max(resident_memory(), setup_.estimate.host_memory), most = setup_.offer.host.value;
  const Bytes room = std::min(most > taken ? most - taken : 0, still_free(place_));
  // A bound of the state may be far above it: what does not fit after all is written as it comes.
  return files_->checkpoint_bytes() > room ? 0 : room;
}

/// Seconds that the march stands still for a checkpoint: as for the last one, else the bytes of the state over what the disk takes, or
/// what memory takes where it is written `beside` the march.
double Engine::checkpoint_cost(bool beside) const {
  const double known = beside ? last_copy_ : last_write_;
  if (known > 0) return known;
  const double bytes = static_cast<double>(setup_.estimate.host_memory + setup_.estimate.device_memory) * place_.ranks;
  if (beside && bytes >= worth_measuring && room_for_a_copy() >= bytes_to_save()) return bytes / copying;
  if (bytes < worth_measuring) return bytes / slow_disk;
  if (disk_rate_ <= 0) disk_rate_ = files_->measure_disk();
  return bytes / disk_rate_;
}

/// The end of a run whose steps are planned is kept, so that it can be prolonged, where that costs little of the run. Where the
/// number of steps is open the last one may have been cut to end in time: such a run goes on from an earlier checkpoint.
bool Engine::end_is_kept() const {
  if (!can_be_prolonged_ || at_.steps <= 0 || saved_step_ == at_.step || setup_.plan.checkpoint_every <= 0)
    return false;
  return checkpoint_cost(false) <= std::max(always_cheap, unasked_checkpoint_share * (stages_.march + stages_.prepare));
}

/// At a stop: what is sooner computed again than written is not kept, nor a few seconds of computing where the step that has just
/// ended, at whose beginning the wish may have come, leaves too little time to write them.
bool Engine::is_worth_a_checkpoint() const {
  const double cost =
      last_write_ > 0 ? last_write_ : static_cast<double>(setup_.estimate.host_memory) * place_.ranks / slow_disk;
  const bool late = last_advance_ + cost > time_to_write;
  return unsaved_ > (late ? cheap : std::min(cost, cheap));
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
  const Cadence::Moment now = moment();
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
  FrameBuilder builder(kept_fields_of(setup_.input), files_->frames());
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
  kept_ = moment();
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

/// `last`: the run ends here. One that a stop comes into is given up for the last one, which solvers make smaller; the last one
/// when it takes too long for a stop. Several ranks write it to its end: they could not agree in time.
void Engine::write_checkpoint(bool last) {
  const auto start = Clock::now();
  const auto give_up = [&] {
    if (cluster_.size() > 1 || !control_.wishes().stop) return false;
    return !last || (checkpoint_step_ >= 0 && since(start) > checkpoint_patience);
  };
  if (cluster_.size() > 1) guard_.watch("wait for the other ranks", [this] { cluster_.barrier(); });
  bool written = false;
  try {
    const Stopwatch watch(stages_.checkpoints);
    SessionMark mark{at_.step,   at_.steps,   at_.value,   files_->frames(),
                     kept_.step, kept_.value, kept_.share, passes_before_ + passes_,
                     stages_,    case_hash_};
    if (before_end_) {
      mark.frames = before_end_->frames;
      mark.kept_step = before_end_->kept.step;
      mark.kept_value = before_end_->kept.value;
      mark.kept_share = before_end_->kept.share;
    }
    mark.stages.total += seconds();
    // The last one has nothing to go on beside.
    const Bytes room = last || control_.wishes().stop ? 0 : room_for_a_copy();
    written = files_->take_checkpoint(
        mark, [this](CheckpointWriter& writer) { setup_.solver->save(writer); }, {least_copy(), room}, give_up);
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::stopped || !control_.wishes().stop) throw;
    if (last)
      log::warning("the checkpoint of step {} was given up after {:.1f} s; the run goes on from that of step {}",
                   at_.step, since(start), checkpoint_step_);
    return;
  }
  last_checkpoint_ = Clock::now();
  last_copy_ = since(start);
  saved_step_ = at_.step;
  unsaved_before_ = unsaved_;
  unsaved_ = 0;
  control_.checkpoint_served();
  if (!written) return;
  last_write_ = last_copy_;
  checkpoint_counts(at_.step);
  if (cluster_.leads())
    log::info("checkpoint of step {} in {} ({})", at_.step, format_duration(last_copy_),
              format_bytes(files_->checkpoint_bytes()));
}

void Engine::checkpoint_counts(Index step) {
  checkpoint_step_ = step;
  unsaved_before_ = 0;
  ++checkpoints_written_;
}

/// Whether a checkpoint that is being written may go on: not at a stop for longer than that may take, where there is an older one.
bool Engine::patient() const {
  if (!control_.wishes().stop)
    stop_seen_.reset();
  else if (!stop_seen_)
    stop_seen_ = Clock::now();
  return !stop_seen_ || checkpoint_step_ < 0 || since(*stop_seen_) < checkpoint_patience;
}

/// The end of a checkpoint that was written beside the march, or that of waiting for it.
void Engine::settle_checkpoint(Settling how) {
  using Settle = RunFiles::Settle;
  const Stopwatch watch(stages_.checkpoints);
  const auto settled = files_->settle_checkpoint(how == Settling::look   ? Settle::look
                                                 : how == Settling::wait ? Settle::wait
                                                                         : Settle::drop,
                                                 [this] { return patient(); });
  if (!settled) return;
  stages_.beside += settled->seconds;
  if (settled->counts) {
    last_write_ = last_copy_ + settled->seconds;
    checkpoint_counts(settled->step);
    ++written_beside_;
    if (cluster_.leads())
      log::info("checkpoint of step {}: copied in {}, written beside the march in {} ({})", settled->step,
                format_duration(last_copy_), format_duration(settled->seconds), format_bytes(settled->bytes));
    return;
  }
  unsaved_ += unsaved_before_;
  unsaved_before_ = 0;
  saved_step_ = checkpoint_step_;
  if (how == Settling::wait && cluster_.leads())
    log::warning("the checkpoint of step {} was given up after {:.1f} s; the run goes on from that of step {}",
                 settled->step, settled->seconds, checkpoint_step_);
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
  const bool by_steps = control_.state() == SessionState::running && at_.steps > 0 && done >= 2 && marching >= 1;
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

void Engine::together(const char* what, const std::function<void()>& work) {
  std::optional<Error> mine;
  bool stopped_early = false;
  try {
    work();
  } catch (const StoppedEarly&) {
    stopped_early = true;  // one rank only: see context()
  } catch (const StopGuard::GivenUp&) {
    throw;
  } catch (...) {
    mine = current_exception_as_error();
    log::debug("{}: {}", what, mine->text);
  }
  // A stop must not wait for the slowest rank either.
  guard_.watch("wait for the other ranks", [&] { agree(std::move(mine)); });
  if (stopped_early) throw StoppedEarly{};
}

void Engine::agree(std::optional<Error> mine) {
  if (cluster_.size() == 1) {
    if (mine) throw Failure(*mine);
    return;
  }
  if (mine) {
    end_all_ranks_after_grace(cluster_.rank(), *mine);
  }
  std::array<double, 2> all = {mine ? static_cast<double>(mine->code) : 0.0, mine ? 0.0 : 1.0};
  cluster_.maximum(all);
  const bool some_are_well = all[1] > 0;
  // Rank 0 reports at the end; the same message from every rank would say nothing more.
  if (mine && some_are_well) {
    mine->text = fmt::format("rank {}: {}", cluster_.rank(), mine->text);
    if (!cluster_.leads()) log::error("{}", mine->render());
  }
  if (mine) throw Failure(*mine);
  if (all[0] > 0)
    throw Failure(make_error(static_cast<ErrorCode>(static_cast<int>(all[0])), "another rank has failed",
                             "Its message stands above."));
}

StateEvent Engine::conclude(std::optional<Error> failure) {
  StateEvent last;
  auto also = [&failure](const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      Error error = current_exception_as_error();
      log::error("{}", error.render());
      if (!failure) failure = std::move(error);
    }
  };
  last.state = failure ? SessionState::failed : stopped_ ? SessionState::stopped : SessionState::finished;
  if (failure && cluster_.leads()) log::error("{}", failure->render());
  tracker_.end();
  if (results_) results_->send_rows();
  if (files_) {
    files_->end_checkpoint([this] { return patient(); });
    also([this] { files_->close_frames(); });
    also([this] { files_->flush(true); });
    if (failure) last.state = SessionState::failed;
    last.error = failure;
    if (cluster_.leads()) also([&] { write_summary(last); });
  }
  if (failure) {
    last.state = SessionState::failed;
    last.error = failure;
  }
  if (cluster_.leads()) log::info("{} after {}", name_of(last.state), format_duration(seconds()));
  pump(true);
  // The folder is free before anybody hears that the run has ended: the next thing may be to resume it. What the solver keeps
  // on disk goes with the solver.
  setup_.solver.reset();
  results_.reset();
  files_.reset();
  control_.enter(last.state, last.error);
  return last;
}

/// On the guard's thread; the engine's own is inside the solver and will not come back. Touches nothing that a solver does.
void Engine::abandon(const std::string& phase) {
  const Index newest = std::max(checkpoint_step_, files_ ? files_->newest_step() : Index{-1});
  log::warning("the solver has not come back from '{}' for {:.1f} s; the run ends here and goes on from {}",
               told_phase_.empty() ? phase : told_phase_,
               std::chrono::duration<double>(StopGuard::patience_of(cluster_.size())).count(),
               newest < 0 ? std::string("its beginning") : fmt::format("its checkpoint of step {}", newest));
  StateEvent last{SessionState::stopped, {}};
  if (const auto folder = control_.folder(); !folder.empty()) {
    const auto file = folder / "summary.json";
    Json summary = Json::object();
    if (const auto text = read_file(file, RunFolder::json_limit))
      if (Json old = read_json(*text); old.is_object()) summary = std::move(old);
    summary["state"] = name_of(last.state);
    summary["solver"] = setup_.info->id;
    summary["title"] = setup_.input.title();
    summary["steps"] = std::max<Index>(0, newest);
    if (!summary["seconds"].is_object()) summary["seconds"] = Json::object();
    summary["seconds"]["total"] = stages_.total + seconds();
    if (const Status written = write_file_atomically(file, indented_json(summary) + "\n"); !written)
      last.error = written.error();
  }
  if (last.error) last.state = SessionState::failed;
  control_.enter(last.state, last.error);
  options_.abandoned(last);
}

void Engine::write_summary(const StateEvent& last) {
  RunResults& results = files_->results();
  auto member = [&results](const char* name, const Json& json) { results.summary_member(name, compact_json(json)); };
  member("state", name_of(last.state));
  if (last.error) member("error", {{"code", static_cast<int>(last.error->code)}, {"text", last.error->render()}});
  member("solver", setup_.info->id);
  member("title", setup_.input.title());
  member("steps", at_.step);
  member("value", at_.value);
  member("frames", files_->frames());
  member("seconds", {{"total", stages_.total + seconds()},
                     {"prepare", stages_.prepare},
                     {"march", stages_.march},
                     {"frames", stages_.frames},
                     {"pictures", stages_.pictures},
                     {"checkpoints", stages_.checkpoints},
                     {"checkpoints_beside", stages_.beside},
                     {"finish", stages_.finish}});
  Json phases = Json::object();
  for (const auto& [name, spent] : tracker_.phases()) phases[name] = spent;
  member("phases", phases);
  // Of this start: what was computed before it, and how fast, is not known.
  if (const double marched = stages_.march - marched_before_; tracker_.items() > 0 && marched > 0)
    member("rate", {{"items_per_second", tracker_.items() / marched}, {"item", tracker_.item_name()}});
  if (checkpoints_written_ > 0)
    member("checkpoints", {{"written", checkpoints_written_},
                           {"beside_the_march", written_beside_},
                           {"bytes", files_->checkpoint_bytes()},
                           {"copy_seconds", written_beside_ > 0 ? last_copy_ : 0},
                           {"write_seconds", last_write_}});
  member("peak_memory", {{"host", peak_memory_ > 0 ? peak_memory_ : peak_resident_memory()}, {"device", device_peak_}});
  member("streamed", streamed_);
  const auto rates_json = [](const MachineRates& rates) {
    return Json{{"threads", rates.threads},
                {"copy_bytes_per_second", rates.copy},
                {"flops_double", rates.flops_double},
                {"flops_single", rates.flops_single}};
  };
  Json machine = rates_.known() ? rates_json(rates_) : Json::object();
  for (std::size_t w = 0; w < device_rates_.size(); ++w)
    if (device_rates_[w].known()) {
      Json device = rates_json(device_rates_[w]);
      device["worker"] = w;
      device["name"] = team_->workers()[w].name;
      machine["devices"].push_back(std::move(device));
    }
  if (!machine.empty()) member("machine", machine);
  member("ranks", cluster_.size());
  member("resources", setup_.plan.resources());
  member("resumed", stages_.resumed);
  const Status written = results.write_summary();
  if (!written) throw Failure(written.error());
}

}  // namespace conoid
