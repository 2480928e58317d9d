// SPDX-License-Identifier: BSD-3-Clause
// The team: one host thread a worker, all started together on their intervals, measured, balanced.
#include "engine/team/team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/core.h>

#include "conoid/config.hpp"

#if CONOID_HAVE_OPENMP
#include <omp.h>
#endif

namespace conoid {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::size_t samples_kept = 65536;

}  // namespace

void CpuWorker::for_each(Interval items, Index grain, const std::function<void(Interval, int)>& body) const {
  if (items.empty()) return;
  grain = std::max<Index>(1, grain);
  std::atomic<Index> next{items.begin};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto work = [&](int thread) {
    for (;;) {
      const Index begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= items.end) return;
      try {
        body({begin, std::min(begin + grain, items.end)}, thread);
      } catch (...) {
        std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next.store(items.end, std::memory_order_relaxed);  // the others stop at their next chunk
      }
    }
  };
  const auto threads = static_cast<int>(std::min<Index>(threads_, (items.size() + grain - 1) / grain));
  if (threads <= 1) {
    work(0);
  } else {
#if CONOID_HAVE_OPENMP
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num());
#else
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { work(t); });
    work(0);
    others.clear();
#endif
  }
  if (failure) std::rethrow_exception(failure);
}

Result<std::vector<WorkerSpec>> parse_workers(std::string_view text, int threads) {
  auto bad = [&](std::string why, std::string hint) -> Result<std::vector<WorkerSpec>> {
    return make_error(ErrorCode::invalid_input, fmt::format("workers '{}': {}", text, why), std::move(hint));
  };
  if (text.empty() || text == "auto") text = "cpu";
  std::vector<WorkerSpec> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    begin = comma + 1;
    const std::string_view kind = one.substr(0, one.find(':'));
    if (kind == "cuda")
      return make_error(ErrorCode::resources, fmt::format("workers '{}': this program was built without the CUDA module", text),
                        "Use --workers cpu; `conoid devices` lists what this machine has.");
    if (kind != "cpu") return bad(fmt::format("'{}' is no kind of worker", kind), "Use auto, cpu, or cpu:<threads> once for each worker, e.g. cpu:3,cpu:1.");
    WorkerSpec spec;
    spec.name = "cpu";
    spec.threads = 0;
    if (one.size() > kind.size()) {
      const std::string digits(one.substr(kind.size() + 1));
      char* end = nullptr;
      const long n = std::strtol(digits.c_str(), &end, 10);
      if (digits.empty() || *end != '\0' || n < 1 || n > 4096)
        return bad(fmt::format("'{}' is not a number of threads from 1 to 4096", digits), "Write for example cpu:4.");
      spec.threads = static_cast<int>(n);
    }
    out.push_back(spec);
    if (out.size() > 64) return bad("more than 64 workers", "Name fewer workers.");
  }
  const auto open = static_cast<int>(std::count_if(out.begin(), out.end(), [](const auto& w) { return w.threads == 0; }));
  int taken = 0;
  for (const auto& w : out) taken += w.threads;
  for (auto& w : out)
    if (w.threads == 0) w.threads = std::max(1, (threads - taken) / open);
  if (out.size() > 1)
    for (std::size_t i = 0; i < out.size(); ++i) out[i].name = fmt::format("cpu {}", i);
  return out;
}

/// The host threads. Worker 0 is the calling thread; the others sleep between passes.
struct Team::Crew {
  std::string balancer_name;
  std::vector<CpuWorker> hands;
  struct Lane {
    std::unique_ptr<Balancer> balancer;
    std::vector<BalanceSample> last;
    std::uint64_t pass = 0;
  };
  std::map<std::string, Lane, std::less<>> lanes;  // one a phase
  std::deque<BalanceSample> samples;

  // The pass under way; guarded by `mutex`.
  std::mutex mutex;
  std::condition_variable begin;
  std::condition_variable end;
  Phase* phase = nullptr;
  std::vector<Interval> intervals;
  std::vector<double> busy;
  std::vector<std::exception_ptr> failures;
  std::uint64_t round = 0;
  int running = 0;
  bool closing = false;
  std::vector<std::jthread> threads;

  void work(std::size_t w, const WorkerSpec& spec) {
    const auto start = Clock::now();
    try {
      if (!intervals[w].empty()) phase->run(hands[w], intervals[w]);
    } catch (...) {
      failures[w] = std::current_exception();
    }
    if (spec.slowdown > 1)
      std::this_thread::sleep_for(std::chrono::duration<double>((spec.slowdown - 1) * seconds_since(start)));
    busy[w] = seconds_since(start);
  }

  void live(std::size_t w, const WorkerSpec& spec) {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        begin.wait(lock, [&] { return closing || round != seen; });
        if (closing) return;
        seen = round;
      }
      work(w, spec);
      std::lock_guard lock(mutex);
      if (--running == 0) end.notify_one();
    }
  }
};

Team::Team(std::vector<WorkerSpec> workers, std::string balancer)
    : workers_(std::move(workers)), crew_(std::make_unique<Crew>()) {
  verify(!workers_.empty(), "a team needs a worker");
  crew_->balancer_name = std::move(balancer);
  for (const auto& w : workers_) crew_->hands.emplace_back(w.threads);
  crew_->busy.resize(workers_.size());
  crew_->failures.resize(workers_.size());
  for (std::size_t w = 1; w < workers_.size(); ++w)
    crew_->threads.emplace_back([this, w] { crew_->live(w, workers_[w]); });
}

Team::~Team() {
  {
    std::lock_guard lock(crew_->mutex);
    crew_->closing = true;
  }
  crew_->begin.notify_all();
  crew_->threads.clear();  // joins
}

int Team::threads() const {
  int n = 0;
  for (const auto& w : workers_) n += w.threads;
  return n;
}

void Team::run(Phase& phase, std::stop_token stop) {
  if (stop.stop_requested()) return;
  Crew& crew = *crew_;
  auto& lane = crew.lanes[std::string(phase.name())];
  if (!lane.balancer) {
    std::vector<double> weights;
    for (const auto& w : workers_) weights.push_back(w.threads);
    auto made = make_balancer(workers_.size() == 1 ? "fixed" : crew.balancer_name, std::move(weights));
    if (!made) throw Failure(made.error());
    lane.balancer = std::move(made).value();
  }
  std::vector<Interval> intervals = lane.balancer->split(phase.items(), lane.last);
  {
    std::lock_guard lock(crew.mutex);
    crew.phase = &phase;
    crew.intervals = intervals;
    std::fill(crew.failures.begin(), crew.failures.end(), nullptr);
    crew.running = static_cast<int>(workers_.size()) - 1;
    ++crew.round;
  }
  crew.begin.notify_all();
  crew.work(0, workers_[0]);
  {
    std::unique_lock lock(crew.mutex);
    crew.end.wait(lock, [&] { return crew.running == 0; });
  }
  const double wall = *std::max_element(crew.busy.begin(), crew.busy.end());
  lane.last.clear();
  for (std::size_t w = 0; w < workers_.size(); ++w)
    lane.last.push_back({lane.pass, static_cast<int>(w), intervals[w], crew.busy[w], wall - crew.busy[w], 0});
  ++lane.pass;
  crew.samples.insert(crew.samples.end(), lane.last.begin(), lane.last.end());
  while (crew.samples.size() > samples_kept) crew.samples.pop_front();
  for (const auto& failure : crew.failures)
    if (failure) std::rethrow_exception(failure);
}

std::vector<BalanceSample> Team::take_samples() {
  std::vector<BalanceSample> out(crew_->samples.begin(), crew_->samples.end());
  crew_->samples.clear();
  return out;
}

}  // namespace conoid
