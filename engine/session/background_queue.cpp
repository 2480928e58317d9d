// SPDX-License-Identifier: BSD-3-Clause
// The thread behind a queue of jobs, its limit and its errors.
#include "engine/session/background_queue.hpp"

#include <utility>

namespace conoid {

BackgroundQueue::~BackgroundQueue() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundQueue::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void BackgroundQueue::post(std::uint64_t bytes, std::function<void()> job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || jobs_.empty() || bytes_ + bytes <= bytes_limit_; });
  rethrow();
  // First the thread, for which the system may have no room: a job that nobody does would be waited for without end.
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  jobs_.push_back({bytes, std::move(job)});
  bytes_ += bytes;
  changed_.notify_all();
}

void BackgroundQueue::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty(); });
  rethrow();
}

void BackgroundQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front().work);
    lock.unlock();
    std::exception_ptr failure;
    try {
      job();
    } catch (...) {
      failure = std::current_exception();
    }
    job = nullptr;  // what it holds goes before the place in the queue is given away
    lock.lock();
    if (failure) {
      failure_ = failure;
      jobs_.clear();
      bytes_ = 0;
    } else {
      bytes_ -= jobs_.front().bytes;
      jobs_.pop_front();
    }
    changed_.notify_all();
  }
}

}  // namespace conoid
