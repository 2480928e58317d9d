// SPDX-License-Identifier: BSD-3-Clause
// Commands in, state out.
#include "engine/session/control.hpp"

#include <algorithm>

namespace conoid {

std::string_view name_of(SessionState state) {
  switch (state) {
    case SessionState::idle: return "idle";
    case SessionState::preparing: return "preparing";
    case SessionState::running: return "running";
    case SessionState::paused: return "paused";
    case SessionState::finishing: return "finishing";
    case SessionState::finished: return "finished";
    case SessionState::stopped: return "stopped";
    case SessionState::failed: return "failed";
  }
  return "?";
}

void Control::send(Command command) {
  {
    const std::lock_guard lock(mutex_);
    switch (command) {
      case Command::pause: wishes_.paused = true; break;
      case Command::resume:
        wishes_.paused = false;
        wishes_.steps = 0;
        break;
      case Command::step:
        // Stepping a running session pauses it after the step.
        wishes_.paused = true;
        wishes_.steps = std::min(wishes_.steps + 1, 1 << 20);
        break;
      case Command::checkpoint: wishes_.checkpoint = true; break;
      case Command::stop: wishes_.stop = true; break;
    }
    poked_ = true;
  }
  if (command == Command::stop) stop_.request_stop();
  changed_.notify_all();
}

SessionState Control::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Control::want_frames(FrameRequest request, double per_second) {
  frames_.want(std::move(request), per_second);
  {
    const std::lock_guard lock(mutex_);
    poked_ = true;
  }
  changed_.notify_all();
}

bool Control::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return is_final(state_); });
}

std::filesystem::path Control::folder() const {
  const std::lock_guard lock(mutex_);
  return folder_;
}

Wishes Control::wishes() const {
  const std::lock_guard lock(mutex_);
  return wishes_;
}

void Control::checkpoint_served() {
  const std::lock_guard lock(mutex_);
  wishes_.checkpoint = false;
}

void Control::step_served() {
  const std::lock_guard lock(mutex_);
  wishes_.steps = std::max(0, wishes_.steps - 1);
}

void Control::sleep_until_wish(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [this] { return poked_; });
  poked_ = false;
}

void Control::enter(SessionState state, std::optional<Error> error) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == state) return;
    state_ = state;
    // Before the waiters wake up, so that a client that saw a final state finds its event.
    events_.push(StateEvent{state, std::move(error)});
  }
  changed_.notify_all();
}

void Control::emit(SessionEvent event) {
  const std::lock_guard lock(mutex_);
  if (!is_final(state_)) events_.push(std::move(event));
}

void Control::set_folder(std::filesystem::path folder) {
  const std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
}

}  // namespace conoid
