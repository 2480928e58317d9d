// SPDX-License-Identifier: BSD-3-Clause
// Phases, counts and honest guesses of what is left.
#include "engine/session/progress_tracker.hpp"

namespace conoid {

void ProgressTracker::begin(std::string_view phase, Index total, std::string_view unit) {
  if (open_) end();
  state_ = {};
  state_.phase = phase;
  state_.total = total;
  state_.unit = unit;
  begun_ = told_at_ = Clock::now();
  items_told_ = items_;
  first_ = -1;
  open_ = true;
  on_change_();
}

void ProgressTracker::at(Index done) {
  if (first_ < 0) first_ = done;
  state_.done = done;
  on_change_();
}

void ProgressTracker::computed(double items, std::string_view item_name) {
  items_ += items;
  item_ = item_name;
  state_.item_name = item_name;
  // Over a while: a bundle of steps between two frames alone would say now twice as much, now half.
  constexpr double while_seconds = 0.5;
  const double gone = std::chrono::duration<double>(Clock::now() - told_at_).count();
  if (gone > 0 && (gone >= while_seconds || state_.items_per_second == 0))
    state_.items_per_second = (items_ - items_told_) / gone;
  if (gone >= while_seconds) {
    items_told_ = items_;
    told_at_ = Clock::now();
  }
  on_change_();
}

void ProgressTracker::residual(double criterion, double target) {
  state_.criterion = criterion;
  state_.target = target;
  on_change_();
}

void ProgressTracker::end() {
  if (!open_) return;
  open_ = false;
  add(state_.phase, since_begin());
  on_change_();
}

void ProgressTracker::add(std::string_view phase, double seconds) {
  for (auto& [name, total] : seconds_)
    if (name == phase) {
      total += seconds;
      return;
    }
  seconds_.emplace_back(phase, seconds);
}

std::vector<std::pair<std::string, double>> ProgressTracker::phases() const {
  if (!open_) return seconds_;
  ProgressTracker with_open;
  with_open.seconds_ = seconds_;
  with_open.add(state_.phase, since_begin());
  return with_open.seconds_;
}

std::optional<double> ProgressTracker::seconds_left() const {
  const double elapsed = since_begin();
  const Index done = state_.done - first_;
  // Less than a second or two counts say nothing about the rest.
  if (!open_ || state_.total <= 0 || first_ < 0 || done < 2 || elapsed < 1) return {};
  if (state_.done >= state_.total) return 0.0;
  return elapsed / static_cast<double>(done) * static_cast<double>(state_.total - state_.done);
}

}  // namespace conoid
