// SPDX-License-Identifier: BSD-3-Clause
// One body on all threads of a worker at the same time, for iterations whose passes are too short for a parallel region
// each: the threads stay together, and meet at barriers of some hundred nanoseconds.
#pragma once

#include "conoid/config.hpp"
#include "engine/team/phase.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#if CONOID_HAVE_OPENMP
#include <omp.h>
#endif

namespace conoid {

/// The threads that run one body together. wait() and for_own() are called by all of them in the same order.
class Together {
 public:
  explicit Together(int threads) : threads_(threads), shares_(std::make_unique<Share[]>(counters * width(threads))) {}
  [[nodiscard]] int threads() const { return threads_; }

  /// Returns when every thread has called it. Spins for some microseconds, then offers its core to whoever else can run, for a
  /// tenth of a millisecond where nobody can, then sleeps: where more threads can run than there are cores, the one that is
  /// waited for may need this very core.
  void wait() {
    if (threads_ == 1) return;
    const unsigned round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int spin = 0; spin < spins; ++spin) {
      if (round_.load(std::memory_order_acquire) != round) return;
      pause();
    }
    for (int offer = 0; offer < offers; ++offer) {
      if (round_.load(std::memory_order_acquire) != round) return;
      std::this_thread::yield();
    }
    round_.wait(round, std::memory_order_acquire);
  }

  /// body(chunk) for every chunk of `grain` items of [0, items): each thread takes those of its own part, the same at
  /// every call, so that what it wrote before is in its cache; then what others have left of theirs. Chunks do not depend
  /// on the number of threads. `pass` goes 0, 1, 2, 0, … from call
  /// to call, from any start; a wait() lies between two calls.
  template <class Body>
  void for_own(int thread, int pass, Index items, Index grain, const Body& body) {
    const Index chunks = (items + grain - 1) / grain;
    const auto run = [&](Index c) { body(Interval{c * grain, std::min(items, (c + 1) * grain)}); };
    if (threads_ == 1) {
      for (Index c = 0; c < chunks; ++c) run(c);
      return;
    }
    // Nobody is in the pass before any more: its counters start anew for the next round.
    share((pass + counters - 1) % counters, thread).store(0, std::memory_order_relaxed);
    for (int t = 0; t < threads_; ++t) {
      const int owner = (thread + t) % threads_;
      const Index begin = chunks * owner / threads_, end = chunks * (owner + 1) / threads_;
      std::atomic<Index>& next = share(pass, owner);
      if (t > 0 && begin + next.load(std::memory_order_relaxed) >= end) continue;
      for (Index c = begin + next.fetch_add(1, std::memory_order_relaxed); c < end;
           c = begin + next.fetch_add(1, std::memory_order_relaxed))
        run(c);
    }
  }

 private:
  static constexpr int counters = 3;
  static constexpr int spins = 200, offers = 200;
  struct alignas(64) Share {
    std::atomic<Index> next{0};
  };
  static std::size_t width(int threads) { return static_cast<std::size_t>(threads); }
  std::atomic<Index>& share(int pass, int thread) {
    return shares_[static_cast<std::size_t>(pass) * width(threads_) + static_cast<std::size_t>(thread)].next;
  }
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  int threads_;
  std::unique_ptr<Share[]> shares_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

/// body(thread, threads) once on each thread of the worker, all at the same time; there may be fewer than asked for (limits of the
/// environment). The body must not throw.
template <class Body>
void on_threads(const CpuWorker& worker, const Body& body) {
#if CONOID_HAVE_OPENMP
#pragma omp parallel num_threads(worker.threads())
  {
    worker.bind(omp_get_thread_num());
    body(omp_get_thread_num(), omp_get_num_threads());
  }
#else
  std::vector<std::jthread> others;
  for (int t = 1; t < worker.threads(); ++t) others.emplace_back([&, t] { body(t, worker.threads()); });
  body(0, worker.threads());
#endif
}

/// Runs body(together, thread) once on each of at most `threads` threads of the worker, all at the same time. The body must
/// not throw. There may be fewer threads than asked for (limits of the environment): Together says how many.
template <class Body>
void run_together(const CpuWorker& worker, int threads, const Body& body) {
  threads = std::max(1, std::min(threads, worker.threads()));
  if (threads == 1) {
    Together alone(1);
    body(alone, 0);
    return;
  }
#if CONOID_HAVE_OPENMP
  std::unique_ptr<Together> all;
  // As many as in every other region of this worker (see CpuWorker::for_each()); those that are too many have nothing to do.
#pragma omp parallel num_threads(worker.threads())
  {
#pragma omp single
    all = std::make_unique<Together>(std::min(threads, omp_get_num_threads()));
    worker.bind(omp_get_thread_num());
    if (omp_get_thread_num() < all->threads()) body(*all, omp_get_thread_num());
  }
#else
  Together all(threads);
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { body(all, t); });
  body(all, 0);
#endif
}

}  // namespace conoid
