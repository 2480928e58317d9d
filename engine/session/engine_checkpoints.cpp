// SPDX-License-Identifier: BSD-3-Clause
// When a run is kept, what that costs, and how it is written: in the march or beside it.
#include "engine/session/engine.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/session/engine_parts.hpp"
namespace conoid {
namespace {

/// A step longer than this is worth a checkpoint of its own ...
constexpr double long_step = 0.5;
/// ... where that costs no more than this share of the time since the last one.
constexpr double checkpoint_share = 0.02;

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

}  // namespace

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

}  // namespace conoid
