// SPDX-License-Identifier: BSD-3-Clause
// Parts of a section wait for each other, or learn that one will not come.
#include "engine/team/section.hpp"

#include <chrono>

namespace conoid {

void Meeting::meet(const std::function<void()>& once) {
  std::unique_lock lock(mutex_);
  if (abandoned_) throw Abandoned();
  if (++here_ == parts_) {
    if (once) once();  // nobody else can hold the lock for long: all of them are here
    here_ = 0;
    ++round_;
    lock.unlock();
    all_.notify_all();
    return;
  }
  const std::uint64_t round = round_;
  all_.wait(lock, [&] { return round_ != round || abandoned_; });
  if (round_ == round) throw Abandoned();
}

void Meeting::abandon() {
  {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
  }
  all_.notify_all();
}

void Part::meet(const std::function<void()>& once) {
  const auto start = std::chrono::steady_clock::now();
  meeting_.meet(once);
  waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Section::run(CpuWorker& worker, Interval items) {
  Meeting alone(1);
  Part part(0, items, worker, nullptr, alone);
  body(part);
}

}  // namespace conoid
