// SPDX-License-Identifier: BSD-3-Clause
// Looks at the clock ten times a second.
#include "engine/session/stop_guard.hpp"

namespace conoid {
namespace {

using namespace std::chrono_literals;
/// A call that has just begun after the wish, such as finish(), gets at least this.
constexpr auto least_call = 500ms;

}  // namespace

StopGuard::StopGuard(const Control& control, Abandon abandon, std::chrono::milliseconds patience)
    : control_(control), abandon_(std::move(abandon)), patience_(patience) {
  if (abandon_) thread_ = std::thread([this] { look(); });
}

StopGuard::~StopGuard() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StopGuard::enter(const char* phase) {
  const std::lock_guard lock(mutex_);
  inside_ = phase;
  since_ = Clock::now();
}

void StopGuard::leave() {
  const std::lock_guard lock(mutex_);
  inside_ = nullptr;
  if (given_up_) throw GivenUp{};
}

void StopGuard::look() {
  std::unique_lock lock(mutex_);
  std::optional<Clock::time_point> asked;
  while (!closing_) {
    changed_.wait_for(lock, 100ms);
    if (!asked && control_.wishes().stop) asked = Clock::now();
    const auto now = Clock::now();
    if (!asked || inside_ == nullptr || now - *asked < patience_ || now - since_ < least_call || closing_) continue;
    // The lock stays: the engine's thread waits at it, should the solver come back just now.
    given_up_ = true;
    abandon_(inside_);
    return;
  }
}

}  // namespace conoid
