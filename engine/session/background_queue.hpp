// SPDX-License-Identifier: BSD-3-Clause
// Jobs done in order by one thread of their own, so that a solver does not wait for a disk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace conoid {

/// One producer. The thread starts with the first job. A job that throws ends the work: those behind it are dropped, and
/// the exception comes out of the producer's next call.
class BackgroundQueue {
 public:
  /// `bytes_limit`: how much the jobs that wait may hold in memory together; one job is always taken, however large.
  explicit BackgroundQueue(std::uint64_t bytes_limit) : bytes_limit_(bytes_limit) {}
  /// Does what is still waiting; an error that nobody asked for is lost.
  ~BackgroundQueue();
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  /// Hands over a job that keeps `bytes` of memory until it is done; waits while too much is waiting.
  void post(std::uint64_t bytes, std::function<void()> job);
  /// Waits until everything posted is done.
  void drain();

 private:
  struct Job {
    std::uint64_t bytes;
    std::function<void()> work;
  };
  void work();
  void rethrow();  ///< with the lock held

  const std::uint64_t bytes_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;     ///< the first one is the one at work
  std::uint64_t bytes_ = 0;  ///< of all jobs in the queue
  bool closing_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace conoid
