// SPDX-License-Identifier: BSD-3-Clause
// The team: one host thread a worker, all started together on their intervals, measured, balanced.
#include "engine/team/team.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/core.h>

#include "engine/team/device_worker.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/section.hpp"

namespace conoid {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr std::size_t samples_kept = 65536;
constexpr double device_streaming = 4e9;  ///< first guess of bytes a second to a device that are not hidden
constexpr double device_start = 1.5;      ///< seconds before a device computes

/// The binding this thread has; 0: none.
thread_local std::uint64_t bound = 0;

bool bound_by_environment() {
  return std::getenv("OMP_PROC_BIND") != nullptr || std::getenv("OMP_PLACES") != nullptr;
}

}  // namespace

CpuWorker::CpuWorker(int threads, Places places, bool together)
    : threads_(threads), places_(std::move(places)), together_(together) {
  static std::atomic<std::uint64_t> bindings{0};
  if (!places_.empty()) binding_ = ++bindings;
  verify(together_ || places_.empty() || places_.size() >= static_cast<std::size_t>(threads_),
         "a place for every thread");
}

void CpuWorker::bind(int thread) const {
  if (binding_ == 0 || bound == binding_) return;
  bound = binding_;
  bind_this_thread(together_ ? std::span<const int>(places_)
                             : std::span(places_).subspan(static_cast<std::size_t>(thread), 1));
}

void CpuWorker::for_each(Interval items, Index grain, const std::function<void(Interval, int)>& body) const {
  if (binding_ == 0)
    in_chunks(threads_, items, grain, body);
  else
    in_chunks(threads_, items, grain, body, [this](int thread) { bind(thread); });
}

namespace {

WorkerSpec device_spec(std::string_view kind, int number) {
  WorkerSpec spec;
  spec.name = spec.device = fmt::format("{}:{}", kind, number);
  return spec;
}

}  // namespace

void Phase::run_on_device(DeviceWorker&, Interval) {
  verify(false, "a phase that runs on devices has a body for them");
}

Result<std::vector<WorkerSpec>> parse_workers(std::string_view text, int threads) {
  auto bad = [&](std::string why, std::string hint) -> Result<std::vector<WorkerSpec>> {
    return make_error(ErrorCode::invalid_input, fmt::format("workers '{}': {}", text, why), std::move(hint));
  };
  std::vector<WorkerSpec> out;
  if (text.empty() || text == "auto") {
    for (const auto& list : list_devices())
      if (list.backend == "cuda")
        for (const auto& device : list.devices) out.push_back(device_spec("cuda", device.index));
    out.push_back({"cpu", 0, 1, {}, 0});
    text = {};
  }
  std::size_t begin = 0;
  while (!text.empty() && begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    begin = comma + 1;
    const std::string_view kind = one.substr(0, one.find(':'));
    int number = -1;
    if (one.size() > kind.size()) {
      const std::string_view digits = one.substr(kind.size() + 1);
      const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (digits.empty() || error != std::errc{} || rest != digits.data() + digits.size() || number < 0 ||
          number > 4096)
        return bad(kind == "cpu" ? fmt::format("'{}' is not a number of threads from 1 to 4096", digits)
                                 : fmt::format("'{}' is not the number of a device", digits),
                   kind == "cpu" ? "Write for example cpu:4."
                                 : "Write for example cuda:0; `conoid devices` lists what is here.");
    }
    if (kind == "cpu") {
      if (number == 0) return bad("a worker needs a thread", "Write for example cpu:4.");
      out.push_back({"cpu", std::max(0, number), 1, {}, 0});
    } else if (kind == "cuda" || kind == "emulated" || kind == "emulated-checked") {
      auto found = find_devices(kind);
      if (!found) return Error(found.error());
      const int count = static_cast<int>(found->size());
      if (number >= count)
        return make_error(
            ErrorCode::resources,
            fmt::format("workers '{}': there is no {}:{}; this machine has {}", text, kind, number, count),
            "`conoid devices` lists what is here.");
      for (int k = 0; k < count; ++k)
        if (number < 0 || k == number) out.push_back(device_spec(kind, k));
    } else {
      return bad(fmt::format("'{}' is no kind of worker", kind),
                 "Use auto, cpu, cuda or emulated, with a number of threads or of the device, e.g. cuda:0,cpu:3.");
    }
    if (out.size() > 64) return bad("more than 64 workers", "Name fewer workers.");
  }
  const auto open =
      static_cast<int>(std::count_if(out.begin(), out.end(), [](const auto& w) { return w.threads == 0; }));
  const auto processors = std::count_if(out.begin(), out.end(), [](const auto& w) { return w.device.empty(); });
  // Beside processors a device has the one thread that feeds it; alone, devices share all threads for what they cannot do.
  if (processors == 0)
    for (auto& w : out) w.threads = std::max(1, threads / static_cast<int>(out.size()));
  int taken = 0;
  for (const auto& w : out) taken += w.threads;
  for (auto& w : out)
    if (w.threads == 0) w.threads = std::max(1, (threads - taken) / open);
  if (processors > 1)
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].device.empty()) out[i].name = fmt::format("cpu {}", i);
  return out;
}

std::vector<WorkerSpec> with_fewer_devices(std::vector<WorkerSpec> workers, std::size_t most, int threads) {
  std::size_t kept = 0;
  std::erase_if(workers, [&](const auto& w) { return !w.device.empty() && kept++ >= most; });
  if (workers.empty()) workers.push_back({"cpu", 0, 1, {}, 0});
  int taken = 0;
  for (const auto& w : workers) taken += w.threads;
  // Those that would have fed the devices go to the first of the processors; where there are none, to the device that is left.
  auto takes = std::find_if(workers.begin(), workers.end(), [](const auto& w) { return w.device.empty(); });
  if (takes == workers.end()) takes = workers.begin();
  takes->threads += std::max(0, threads - taken);
  return workers;
}

std::vector<WorkerSpec> worth_their_start(std::vector<WorkerSpec> workers, int threads, double seconds) {
  const auto devices = std::count_if(workers.begin(), workers.end(), [](const auto& w) { return !w.device.empty(); });
  const auto own = static_cast<double>(std::max(1, threads));
  const double shared = device_start + seconds * own / (own + device_weight * static_cast<double>(devices));
  if (devices == 0 || seconds <= 0 || shared < seconds) return workers;
  return with_fewer_devices(std::move(workers), 0, threads);
}

/// The host threads. Worker 0 is the calling thread; the others sleep between passes.
struct Team::Crew {
  std::string balancer_name;
  std::vector<CpuWorker> hands;                        // one a worker; of a device: for what only a host can do
  std::vector<std::unique_ptr<DeviceWorker>> devices;  // one a worker; null for processors
  std::vector<int> processors, everybody;              // numbers of workers
  struct Lane {
    Phase* phase = nullptr;  ///< of the pass under way
    std::unique_ptr<Balancer> balancer;
    std::vector<BalanceSample> last;
    std::uint64_t pass = 0;
  };
  std::map<std::string, Lane, std::less<>> lanes;  // one a phase
  std::deque<BalanceSample> samples;
  std::size_t newest = 0;                      ///< of them: those of the last run or note
  std::map<std::string, std::uint64_t> noted;  ///< how often each was told of

  // The pass under way; guarded by `mutex`.
  std::mutex mutex;
  std::condition_variable begin;
  std::condition_variable end;
  Phase* phase = nullptr;
  Section* section = nullptr;  ///< the same, where it is one
  std::optional<Meeting> meeting;
  std::vector<Interval> intervals;
  std::vector<double> busy, copying;
  std::vector<std::exception_ptr> failures;
  std::uint64_t round = 0;
  int running = 0;
  bool closing = false;
  std::vector<std::jthread> threads;
  Places before;  ///< of the calling thread, if threads were bound

  /// Binds the threads of a team of devices and processors; elsewhere hands have no places.
  void place(const std::vector<WorkerSpec>& workers, PlaceShare share, int all_threads) {
    std::vector<PlaceWish> wishes;
    for (std::size_t w = 0; w < workers.size(); ++w)
      wishes.push_back({workers[w].threads, devices[w] != nullptr,
                        devices[w] ? places_near(devices[w]->device().info().bus) : Places{}});
    const Places all = places_of_this_thread(share);
    const std::vector<Places> plan = plan_places(all, wishes);
    if (std::any_of(plan.begin(), plan.end(), [](const Places& p) { return p.empty(); })) return;
    before = places_of_this_thread();
    for (std::size_t w = 0; w < workers.size(); ++w) {
      hands[w] = devices[w] ? CpuWorker(1, plan[w]) : CpuWorker(workers[w].threads, plan[w]);
      if (devices[w]) devices[w]->set_host(CpuWorker(all_threads, all, true));
    }
  }

  /// Memory that is taken of a device.
  [[nodiscard]] Bytes held(std::size_t w) const {
    const Bytes all = devices[w]->device().info().memory, free = devices[w]->device().free_memory();
    return all > free ? all - free : 0;
  }

  void work(std::size_t w, const WorkerSpec& spec) {
    const auto start = Clock::now();
    double waited = 0;
    try {
      if (!intervals[w].empty()) {
        hands[w].bind(0);
        if (section)
          waited = work_in_section(w);
        else if (devices[w])
          phase->run_on_device(*devices[w], intervals[w]);
        else
          phase->run(hands[w], intervals[w]);
      }
    } catch (...) {
      failures[w] = std::current_exception();
    }
    if (spec.slowdown > 1)
      std::this_thread::sleep_for(std::chrono::duration<double>((spec.slowdown - 1) * seconds_since(start)));
    copying[w] = devices[w] ? devices[w]->take_copying() : 0;
    busy[w] = std::max(0.0, seconds_since(start) - copying[w] - waited);
  }

  /// Seconds in which others were waited for.
  double work_in_section(std::size_t w) {
    Part part(static_cast<int>(w), intervals[w], devices[w] ? devices[w]->host() : hands[w], devices[w].get(),
              *meeting);
    try {
      section->body(part);
    } catch (const Meeting::Abandoned&) {
      // The part that failed says why.
    } catch (...) {
      meeting->abandon();
      throw;
    }
    return part.waited();
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

Team::Team(std::vector<WorkerSpec> workers, std::string balancer, PlaceShare share)
    : workers_(std::move(workers)), crew_(std::make_unique<Crew>()) {
  verify(!workers_.empty(), "a team needs a worker");
  crew_->balancer_name = std::move(balancer);
  for (const auto& w : workers_) {
    const auto number = static_cast<int>(crew_->hands.size());
    crew_->hands.emplace_back(w.threads);
    crew_->everybody.push_back(number);
    crew_->devices.emplace_back();
    if (w.device.empty()) {
      crew_->processors.push_back(number);
      continue;
    }
    auto device = Device::open(w.device);
    if (!device) throw Failure(device.error());
    crew_->devices.back() =
        std::make_unique<DeviceWorker>(std::move(*device), number, CpuWorker(threads()), w.device_memory);
  }
  if (crew_->processors.size() < workers_.size() && !crew_->processors.empty() && !bound_by_environment())
    crew_->place(workers_, share, threads());
  crew_->busy.resize(workers_.size());
  crew_->copying.resize(workers_.size());
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
  if (crew_->before.empty()) return;
  // The calling thread and those that OpenMP keeps for it go where they were.
  const CpuWorker free(workers_.front().threads, crew_->before, true);
  free.bind(0);
  free.for_each({0, free.threads()}, 1, [](Interval, int) {});
}

int Team::threads() const {
  int n = 0;
  for (const auto& w : workers_) n += w.threads;
  return n;
}

std::vector<DeviceWorker*> Team::devices() const {
  std::vector<DeviceWorker*> out;
  for (const auto& device : crew_->devices)
    if (device) out.push_back(device.get());
  return out;
}

void Team::run(Phase& phase, std::stop_token stop) {
  if (stop.stop_requested()) return;
  Crew& crew = *crew_;
  const std::vector<int>& who = phase.runs_on_devices() ? crew.everybody : crew.processors;
  if (phase.items() == 0 && dynamic_cast<Section*>(&phase)) {  // what all ranks do together is done by this one too
    CpuWorker alone(1);
    phase.run(alone, {});
    return;
  }
  if (who.empty()) {  // devices only, and a phase that is not for them: the threads that feed them do it meanwhile
    CpuWorker host(threads());
    phase.run(host, {0, phase.items()});
    return;
  }
  auto& lane = crew.lanes[fmt::format("{} by {}", phase.name(), who.size())];
  lane.phase = &phase;
  if (!lane.balancer) {
    std::vector<double> weights;
    for (const int w : who) {
      const auto& spec = workers_[static_cast<std::size_t>(w)];
      weights.push_back(spec.device.empty() ? spec.threads : device_weight);
    }
    auto made = make_balancer(who.size() == 1 ? "fixed" : crew.balancer_name, std::move(weights));
    if (!made) throw Failure(made.error());
    lane.balancer = std::move(made).value();
    std::vector<WorkerLimit> limits;
    for (const int w : who) {
      const auto& device = crew.devices[static_cast<std::size_t>(w)];
      limits.push_back(device ? WorkerLimit{device->memory(), device_streaming} : WorkerLimit{});
    }
    // Phases of one name come and go; the lane stays.
    lane.balancer->set_limits(std::move(limits), [&lane](Interval i) { return lane.phase->bytes(i); });
  }
  const std::vector<Interval> split = lane.balancer->split(phase.items(), lane.last);
  {
    std::lock_guard lock(crew.mutex);
    crew.phase = &phase;
    crew.section = dynamic_cast<Section*>(&phase);
    if (crew.section)
      crew.meeting.emplace(
          static_cast<int>(std::count_if(split.begin(), split.end(), [](const Interval& i) { return !i.empty(); })));
    crew.intervals.assign(workers_.size(), Interval{});
    for (std::size_t k = 0; k < who.size(); ++k) crew.intervals[static_cast<std::size_t>(who[k])] = split[k];
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
  if (!crew.before.empty()) {  // threads that this one starts must not all share its place
    bind_this_thread(crew.before);
    bound = 0;
  }
  double wall = 0;
  for (const int w : who)
    wall = std::max(wall, crew.busy[static_cast<std::size_t>(w)] + crew.copying[static_cast<std::size_t>(w)]);
  lane.last.clear();
  for (std::size_t k = 0; k < who.size(); ++k) {
    const auto w = static_cast<std::size_t>(who[k]);
    BalanceSample sample;
    sample.pass = lane.pass;
    sample.worker = static_cast<int>(k);
    sample.items = split[k];
    sample.busy = crew.busy[w];
    sample.copying = crew.copying[w];
    sample.waiting = wall - crew.busy[w] - crew.copying[w];
    sample.phase = phase.name();
    if (!split[k].empty()) sample.work = phase.work(split[k]);
    if (crew.devices[w]) sample.held = crew.held(w);
    lane.last.push_back(sample);
    sample.worker = who[k];
    crew.samples.push_back(sample);
  }
  crew.newest = who.size();
  ++lane.pass;
  while (crew.samples.size() > samples_kept) crew.samples.pop_front();
  for (const auto& failure : crew.failures)
    if (failure) std::rethrow_exception(failure);
}

void Team::note(std::string_view name, double seconds, Work work, Who who, int worker) {
  const bool devices = who == Who::devices;
  const auto others = [&](std::size_t k) {
    return workers_[k].device.empty() == devices || (worker >= 0 && static_cast<int>(k) != worker);
  };
  int threads = 0;
  for (std::size_t k = 0; k < workers_.size(); ++k)
    if (!others(k)) threads += workers_[k].threads;
  if (threads == 0) return;
  const std::uint64_t pass = crew_->noted[std::string(name)]++;
  crew_->newest = 0;
  for (std::size_t k = 0; k < workers_.size(); ++k) {
    if (others(k)) continue;
    const double share = static_cast<double>(workers_[k].threads) / threads;
    BalanceSample sample;
    sample.pass = pass;
    sample.worker = static_cast<int>(k);
    sample.busy = seconds;
    sample.phase = name;
    sample.work = {share * work.flops, share * work.bytes};
    if (devices) sample.held = crew_->held(k);
    crew_->samples.push_back(std::move(sample));
    ++crew_->newest;
  }
  while (crew_->samples.size() > samples_kept) crew_->samples.pop_front();
}

void Team::add_streamed(Bytes bytes, int worker) {
  const std::size_t count = std::min(crew_->newest, crew_->samples.size());
  const auto first = crew_->samples.end() - static_cast<std::ptrdiff_t>(count);
  std::size_t left = count;
  for (auto sample = first; sample != crew_->samples.end(); ++sample) {
    if (worker >= 0) {
      if (sample->worker == worker) sample->streamed += bytes;
      continue;
    }
    const Bytes share = bytes / left--;
    sample->streamed += share;
    bytes -= share;
  }
}

std::vector<BalanceSample> Team::take_samples() {
  std::vector<BalanceSample> out(crew_->samples.begin(), crew_->samples.end());
  crew_->samples.clear();
  return out;
}

}  // namespace conoid
