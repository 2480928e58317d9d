// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of loops on several threads: none may leave an OpenMP region, where it would end the program.
//
//     Caught caught;
//     #pragma omp parallel for
//     for (…) caught.run([&] { … });   // out of memory, say
//     caught.rethrow();
#pragma once

#include <atomic>
#include <exception>
#include <mutex>

namespace conoid {

/// Keeps the first exception; what is run after it is left out. run() from any thread, rethrow() when all are done.
class Caught {
 public:
  template <class Body>
  void run(Body&& body) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      body();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!first_) first_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
  std::mutex mutex_;
};

}  // namespace conoid
