// SPDX-License-Identifier: BSD-3-Clause
// One body on the threads of all parts of a section at the same time: run_together() over several workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

#include "engine/team/section.hpp"
#include "engine/team/together.hpp"

namespace conoid {

/// Of one section, in which each part calls run() once. Threads are numbered on from part to part, in the order of their workers.
class SectionThreads {
 public:
  /// body(together, thread) on at most `threads` threads of all parts, which meet at the barriers of `together`. The body must not throw.
  /// A part whose threads are all beyond these comes back at once.
  template <class Body>
  void run(Part& part, int threads, const Body& body) {
    if (part.count() == 1) return run_together(part.host(), threads, body);
    constexpr int unknown = -1, none = -2;
    std::atomic<int> first{unknown};
    std::exception_ptr failure;
    on_threads(part.host(), [&](int thread, int here) {
      if (thread == 0) {
        int mine = none;
        try {
          mine = join(part, here, threads);
        } catch (...) {
          failure = std::current_exception();
        }
        first.store(mine);
        first.notify_all();
      } else {
        first.wait(unknown);
      }
      const int number = first.load() + thread;
      if (first.load() != none && number < all_->threads()) body(*all_, number);
    });
    if (failure) std::rethrow_exception(failure);
  }

 private:
  /// The number of the part's first thread.
  int join(Part& part, int here, int threads) {
    {
      const std::scoped_lock lock(mutex_);
      threads_of_[part.worker()] = here;
    }
    part.meet([&] {
      int sum = 0;
      for (auto& [worker, many] : threads_of_) {
        first_of_[worker] = sum;
        sum += many;
      }
      all_ = std::make_unique<Together>(std::max(1, std::min(threads, sum)));
    });
    return first_of_.at(part.worker());
  }

  std::mutex mutex_;
  std::map<int, int> threads_of_, first_of_;  ///< by worker
  std::unique_ptr<Together> all_;
};

}  // namespace conoid
