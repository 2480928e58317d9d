// SPDX-License-Identifier: BSD-3-Clause
// Chunks of a loop, handed out to the threads of one OpenMP region as they become free.
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "conoid/config.hpp"

#if CONOID_HAVE_OPENMP
#include <omp.h>
#else
#include <thread>
#include <vector>
#endif

namespace conoid {
namespace {

int threads_of_a_region() {
#if CONOID_HAVE_OPENMP
  return omp_get_max_threads();
#else
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#endif
}

}  // namespace

void in_chunks(int threads, Interval items, Index grain, const std::function<void(Interval, int)>& body,
               const std::function<void(int)>& begin) {
  if (items.empty()) return;
  if (threads < 1) threads = threads_of_a_region();
  grain = std::max<Index>(1, grain);
  std::atomic<Index> next{items.begin};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto work = [&](int thread) {
    if (begin) begin(thread);
    for (;;) {
      const Index first = next.fetch_add(grain, std::memory_order_relaxed);
      if (first >= items.end) return;
      try {
        body({first, std::min(first + grain, items.end)}, thread);
      } catch (...) {
        const std::scoped_lock lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next.store(items.end, std::memory_order_relaxed);  // the others stop at their next chunk
      }
    }
  };
  const auto useful = static_cast<int>(std::min<Index>(threads, (items.size() + grain - 1) / grain));
  if (useful <= 1) {
    work(0);
  } else {
#if CONOID_HAVE_OPENMP
    // All threads, also where there are fewer chunks: a region with fewer threads than the one before ends the rest for good
    // (libgomp's gomp_team_start), and the next one with more has to start them anew, some ten microseconds each.
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num());
#else
    std::vector<std::jthread> others;
    for (int t = 1; t < useful; ++t) others.emplace_back([&, t] { work(t); });
    work(0);
    others.clear();
#endif
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace conoid
