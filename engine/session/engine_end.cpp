// SPDX-License-Identifier: BSD-3-Clause
// How a run ends, well or not: ranks agree, the summary is written, a solver that does not come back is left.
#include "engine/session/engine.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <thread>

#include <fmt/core.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/session/engine_parts.hpp"
#include "engine/session/slowness.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"
namespace conoid {
namespace {

using namespace std::chrono_literals;

/// How long a rank that failed alone waits for the others to notice before it ends them.
constexpr auto grace = 5s;

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

/// What the run and its phases were expected to take beside what they took: {"seconds": …, "phases": {"assembly": {"foreseen": 12,
/// "taken": 13}}}, told to the log as well. Null where nothing was priced.
Json foreseen_beside_taken(Estimate e, int threads, const std::vector<std::pair<std::string, double>>& phases) {
  say_of_this_machine(e, threads);
  if (e.expected_seconds() <= 0) return nullptr;
  Json out = {{"seconds", e.expected_seconds()}, {"phases", Json::object()}};
  for (const PhaseEstimate& phase : e.phases) {
    double taken = 0;
    for (const auto& [name, seconds] : phases)
      if (phase.told.empty() ? name == phase.name : std::ranges::find(phase.told, name) != phase.told.end())
        taken += seconds;
    out["phases"][phase.name] = {{"foreseen", phase.seconds}, {"taken", taken}};
    log::info("{}: took {}, foreseen {}", phase.name, format_duration(taken), format_duration(phase.seconds));
  }
  return out;
}

}  // namespace

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
  // A part of a run is not what was priced.
  if (last.state == SessionState::finished && stages_.resumed == 0)
    if (const Json foreseen = foreseen_beside_taken(setup_.estimate, setup_.offer.threads.value, tracker_.phases());
        !foreseen.is_null())
      member("foreseen", foreseen);
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
