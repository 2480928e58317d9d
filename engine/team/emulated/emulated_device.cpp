// SPDX-License-Identifier: BSD-3-Clause
// The driver of emulated devices, and the entry of their module: memory with a limit, streams as host threads, copies at a
// set bandwidth, kernels at a set slowness.
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/team/emulated/allocations.hpp"
#include "engine/team/emulated/block.hpp"
#include "engine/team/emulated/check.hpp"
#include "engine/team/kernel.hpp"
#include "engine/team/module.hpp"

namespace conoid {

std::vector<kernels::Entry>& kernels::registered() {
  static std::vector<Entry> all;
  return all;
}

namespace emulated {
namespace {

using Clock = std::chrono::steady_clock;

Error device_error(std::string text, std::string hint = {}) {
  return make_error(ErrorCode::resources, std::move(text), std::move(hint));
}

/// Host threads that run the blocks of a kernel; the calling thread is one of them.
class Multiprocessors {
 public:
  explicit Multiprocessors(int count) {
    for (int k = 1; k < count; ++k) threads_.emplace_back([this] { live(); });
  }
  ~Multiprocessors() {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    begin_.notify_all();
  }

  /// The first problem, or an empty string.
  std::string run(const Job& job) {
    std::lock_guard one_kernel(launch_);
    const std::uint64_t blocks = std::uint64_t{job.grid.x} * job.grid.y * job.grid.z;
    if (job.meeting != nullptr) return run_together(job, 0, blocks);
    if (job.cluster_blocks > 1) return run_clusters(job, blocks);
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      blocks_ = blocks;
      next_ = 0;
      problem_.clear();
      running_ = static_cast<int>(threads_.size());
      ++round_;
    }
    begin_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    end_.wait(lock, [&] { return running_ == 0; });
    return problem_;
  }

 private:
  static uint3 block_index(const Job& job, std::uint64_t b) {
    return {static_cast<unsigned>(b % job.grid.x), static_cast<unsigned>(b / job.grid.x % job.grid.y),
            static_cast<unsigned>(b / job.grid.x / job.grid.y)};
  }
  static Block& block_of_this_thread() {
    static thread_local Block block;
    return block;
  }

  void work() {
    Block& block = block_of_this_thread();
    for (;;) {
      const std::uint64_t b = next_.fetch_add(1, std::memory_order_relaxed);
      if (b >= blocks_) return;
      std::string problem = block.run(*job_, block_index(*job_, b));
      if (problem.empty()) continue;
      std::lock_guard lock(mutex_);
      if (problem_.empty()) problem_ = std::move(problem);
      next_ = blocks_;
    }
  }

  /// Cluster after cluster.
  static std::string run_clusters(const Job& job, std::uint64_t blocks) {
    for (std::uint64_t b = 0; b < blocks; b += job.cluster_blocks) {
      Cluster cluster(job.cluster_blocks, job.shared);
      Job mine = job;
      mine.cluster = &cluster;
      if (std::string problem = run_together(mine, b, job.cluster_blocks); !problem.empty()) return problem;
    }
    return {};
  }
  /// Every block has a host thread, so that they can meet.
  static std::string run_together(const Job& job, std::uint64_t first_block, std::uint64_t blocks) {
    std::mutex mutex;
    std::string first;
    std::vector<std::jthread> threads;
    for (std::uint64_t b = 0; b < blocks; ++b)
      threads.emplace_back([&, b] {
        Block block;
        std::string problem = block.run(job, block_index(job, first_block + b));
        std::lock_guard lock(mutex);
        if (!problem.empty() && (first.empty() || first.starts_with("another"))) first = std::move(problem);
      });
    threads.clear();
    return first;
  }

  void live() {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, [&] { return closing_ || round_ != seen; });
        if (closing_) return;
        seen = round_;
      }
      work();
      std::lock_guard lock(mutex_);
      if (--running_ == 0) end_.notify_one();
    }
  }

  std::mutex launch_, mutex_;
  std::condition_variable begin_, end_;
  const Job* job_ = nullptr;
  std::uint64_t blocks_ = 0, round_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::string problem_;
  int running_ = 0;
  bool closing_ = false;
  std::vector<std::jthread> threads_;  // last: they end before the rest goes
};

/// One record() of an event. Who waits, waits for the one that was the latest then, as with CUDA: the next one may be of another stream, which is
/// there sooner.
class Mark {
 public:
  void reach() {
    std::lock_guard lock(mutex_);
    reached_ = true;
    when_ = Clock::now();
    changed_.notify_all();
  }
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }
  [[nodiscard]] bool reached() {
    std::lock_guard lock(mutex_);
    return reached_;
  }
  [[nodiscard]] Clock::time_point when() {
    std::lock_guard lock(mutex_);
    return when_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  Clock::time_point when_{};
};
/// An event; it may go while a stream has yet to reach its mark. Recorded and waited for by several threads.
class MarkedEvent {
 public:
  /// Null: never recorded.
  [[nodiscard]] std::shared_ptr<Mark> latest() const {
    std::lock_guard lock(mutex_);
    return latest_;
  }
  std::shared_ptr<Mark> record() {
    auto mark = std::make_shared<Mark>();
    std::lock_guard lock(mutex_);
    latest_ = mark;
    return mark;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Mark> latest_;
};

/// Work in order, on a host thread of its own.
class StreamQueue {
 public:
  StreamQueue() : thread_([this] { live(); }) {}
  ~StreamQueue() {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void push(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty() && !busy_; });
  }

 private:
  void live() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      auto work = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      busy_ = false;
      if (queue_.empty()) changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false, closing_ = false;
  std::thread thread_;
};

class EmulatedDevice final : public DeviceDriver {
 public:
  EmulatedDevice(DeviceInfo info, const EmulatedOptions& options)
      : info_(std::move(info)), options_(options), processors_(checked ? 1 : std::max(1, options.multiprocessors)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Result<Bytes> free_memory() override {
    std::lock_guard lock(mutex_);
    return options_.memory - used_;
  }

  [[nodiscard]] Result<void*> allocate(Bytes size, std::string_view label) override {
    return take(size, label, allocate_memory);
  }
  [[nodiscard]] Result<void*> allocate_ring(Bytes size, std::string_view label) override {
    return take(size, label, emulated::allocate_ring);
  }
  [[nodiscard]] Result<void*> take(Bytes size, std::string_view label, void* (*give)(Bytes, std::string_view)) {
    std::lock_guard lock(mutex_);
    const Bytes taken = (std::max<Bytes>(size, 1) + 255) & ~Bytes{255};
    if (taken > options_.memory - used_)
      return device_error(fmt::format("{}: no memory for {} ('{}'): {} of {} are free", info_.name, format_bytes(size),
                                      label, format_bytes(options_.memory - used_), format_bytes(options_.memory)),
                          "Give the device less work, or lower compute.memory.device so that less is tried.");
    void* const memory = give(size, label);
    if (memory == nullptr)
      return device_error(fmt::format("{}: the host has no memory for {}", info_.name, format_bytes(size)));
    used_ += taken;
    taken_[memory] = taken;
    return memory;
  }
  void release(void* memory) override {
    drain_all();  // as cudaFree does: nothing under way may still use it
    std::lock_guard lock(mutex_);
    const auto at = taken_.find(memory);
    if (at == taken_.end()) return;
    used_ -= at->second;
    taken_.erase(at);
    release_memory(memory);
  }
  [[nodiscard]] Result<void*> allocate_pinned(Bytes size) override {
    void* const memory = std::aligned_alloc(4096, (std::max<Bytes>(size, 1) + 4095) & ~Bytes{4095});
    if (memory == nullptr) return device_error(fmt::format("the host has no memory for {}", format_bytes(size)));
    return memory;
  }
  void release_pinned(void* memory) override {
    drain_all();
    std::free(memory);
  }

  [[nodiscard]] Result<void*> create_stream() override {
    auto stream = std::make_unique<StreamQueue>();
    std::lock_guard lock(streams_mutex_);
    streams_.insert(stream.get());
    return static_cast<void*>(stream.release());
  }
  void destroy_stream(void* stream) override {
    {
      std::lock_guard lock(streams_mutex_);
      streams_.erase(static_cast<StreamQueue*>(stream));
    }
    delete static_cast<StreamQueue*>(stream);
  }

  [[nodiscard]] Status copy(void* stream, void* to, const void* from, Bytes size, CopyKind kind) override {
    if (auto bad = failed()) return *bad;
    static_cast<StreamQueue*>(stream)->push([this, to, from, size, kind] {
      if (!goes_on()) return;
      const auto start = Clock::now();
      std::string problem;
      if (kind != CopyKind::to_host) problem = device_write(to, size, from, kind == CopyKind::on_device);
      if (problem.empty() && kind != CopyKind::to_device) problem = device_read(from, size, kind == CopyKind::to_host);
      if (!problem.empty()) return fail(std::move(problem));
      std::memcpy(to, from, size);
      if (options_.bandwidth > 0 && kind != CopyKind::on_device)
        std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                                  static_cast<double>(size) / options_.bandwidth)));
    });
    return {};
  }
  /// Checked devices run one kernel at a time among them: none can wait for another's.
  [[nodiscard]] bool reaches(int other) override { return !checked || other == info_.index; }
  [[nodiscard]] Status copy_from_peer(void* stream, void* to, const void* from, int /*other*/,
                                      const PeerRows& rows) override {
    if (auto bad = failed()) return *bad;
    static_cast<StreamQueue*>(stream)->push([this, to, from, rows] {
      if (!goes_on()) return;
      for (std::size_t i = 0; i < rows.count; ++i) {
        unsigned char* const there = static_cast<unsigned char*>(to) + i * rows.to_stride;
        const unsigned char* const here = static_cast<const unsigned char*>(from) + i * rows.from_stride;
        std::string problem = device_write(there, rows.size, here, true);
        if (problem.empty()) problem = device_read(here, rows.size, false);
        if (!problem.empty()) return fail(std::move(problem));
        std::memcpy(there, here, rows.size);
      }
    });
    return {};
  }
  [[nodiscard]] Status fill(void* stream, void* memory, unsigned char value, Bytes size) override {
    if (auto bad = failed()) return *bad;
    static_cast<StreamQueue*>(stream)->push([this, memory, value, size] {
      if (!goes_on()) return;
      std::string problem = device_write(memory, size, nullptr, false);
      if (!problem.empty()) return fail(std::move(problem));
      std::memset(memory, value, size);
    });
    return {};
  }

  [[nodiscard]] Status launch(void* stream, const KernelEntry& kernel, const LaunchShape& shape, void** arguments,
                              std::size_t count, const std::size_t* bytes) override {
    if (auto bad = failed()) return *bad;
    const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
    const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    auto refuse = [&](std::string why) {
      return device_error(fmt::format("kernel '{}' cannot be launched: {}", kernel.name, why));
    };
    if (threads == 0 || blocks == 0) return refuse("the grid or the block is empty");
    if (threads > 1024) return refuse(fmt::format("{} threads a block; a device takes 1024", threads));
    if (shape.block[2] > 64 || shape.grid[1] > 65535 || shape.grid[2] > 65535)
      return refuse("a dimension is beyond CUDA's limits");
    if (shape.shared > info_.shared_per_block)
      return refuse(
          fmt::format("{} bytes of shared memory a block; this device has {}", shape.shared, info_.shared_per_block));
    if (shape.cluster > static_cast<unsigned>(info_.cluster) || shape.cluster == 0 ||
        shape.grid[0] % shape.cluster != 0)
      return refuse(fmt::format("clusters of {} blocks; this device takes up to {}, a whole number of them along x",
                                shape.cluster, info_.cluster));
    if (shape.cooperative && blocks > 64) return refuse(fmt::format("{} blocks at once; this device holds 64", blocks));

    // The parameters are copied now, as CUDA does: the caller's may change after the call.
    constexpr std::size_t argument_unit = 128;  // the largest alignment of a parameter
    std::size_t total = 0;
    for (std::size_t k = 0; k < count; ++k) total += (bytes[k] + argument_unit - 1) / argument_unit * argument_unit;
    struct Launch {
      std::unique_ptr<unsigned char[]> storage;
      std::vector<void*> pointers;
      std::string name;
      Job job;
    };
    auto work = std::make_shared<Launch>();
    work->storage = std::make_unique<unsigned char[]>(total + argument_unit);
    auto at =
        (reinterpret_cast<std::uintptr_t>(work->storage.get()) + argument_unit - 1) / argument_unit * argument_unit;
    for (std::size_t k = 0; k < count; ++k) {
      std::memcpy(reinterpret_cast<void*>(at), arguments[k], bytes[k]);
      work->pointers.push_back(reinterpret_cast<void*>(at));
      at += (bytes[k] + argument_unit - 1) / argument_unit * argument_unit;
    }
    work->name = kernel.name;
    work->job = {nullptr, kernel.function, kernel.invoke, work->pointers.data(), {},
                 {},      shape.shared,    nullptr,       shape.cluster,         nullptr};
    work->job.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    work->job.block = {shape.block[0], shape.block[1], shape.block[2]};
    work->job.subnormals = subnormal_mode();
    static_cast<StreamQueue*>(stream)->push([this, work, blocks, together = shape.cooperative] {
      if (!goes_on()) return;
      work->job.name = work->name.c_str();
      std::unique_ptr<GridMeeting> meeting;
      if (together) meeting = std::make_unique<GridMeeting>(static_cast<unsigned>(blocks));
      work->job.meeting = meeting.get();
      const auto start = Clock::now();
      launch_begins(together);
      std::string problem = processors_.run(work->job);
      std::string noted = launch_ends();
      if (problem.empty()) problem = std::move(noted);
      if (!problem.empty()) return fail(std::move(problem));
      if (options_.slowness > 1)
        std::this_thread::sleep_for((options_.slowness - 1) * std::chrono::duration<double>(Clock::now() - start));
    });
    return {};
  }

  [[nodiscard]] Status run_on_host(void* stream, std::function<void()> work, std::vector<HostUse> uses) override {
    if (auto bad = failed()) return *bad;
    static_cast<StreamQueue*>(stream)->push([this, work = std::move(work), uses = std::move(uses)] {
      if (!goes_on()) return;
      for (const HostUse& use : uses)
        if (std::string problem = use.read ? device_read(use.memory, use.size, true) : std::string(); !problem.empty())
          return fail(std::move(problem));
      for (const HostUse& use : uses)
        if (std::string problem =
                use.written ? device_write(const_cast<void*>(use.memory), use.size, nullptr, false) : std::string();
            !problem.empty())
          return fail(std::move(problem));
      work();
    });
    return {};
  }

  [[nodiscard]] Status synchronize(void* stream) override {
    static_cast<StreamQueue*>(stream)->drain();
    if (auto bad = failed()) return *bad;
    return {};
  }

  [[nodiscard]] Result<void*> create_event() override { return static_cast<void*>(new MarkedEvent); }
  void destroy_event(void* event) override { delete static_cast<MarkedEvent*>(event); }
  [[nodiscard]] Status record(void* event, void* stream) override {
    static_cast<StreamQueue*>(stream)->push([mark = static_cast<MarkedEvent*>(event)->record()] { mark->reach(); });
    return {};
  }
  [[nodiscard]] Status wait(void* stream, void* event) override {
    if (auto mark = static_cast<MarkedEvent*>(event)->latest())
      static_cast<StreamQueue*>(stream)->push([mark = std::move(mark)] { mark->await(); });
    return {};
  }
  [[nodiscard]] Status synchronize_event(void* event) override {
    if (const auto mark = static_cast<MarkedEvent*>(event)->latest()) mark->await();
    if (auto bad = failed()) return *bad;
    return {};
  }
  [[nodiscard]] Result<bool> reached(void* event) override {
    const auto mark = static_cast<MarkedEvent*>(event)->latest();
    return !mark || mark->reached();
  }
  [[nodiscard]] Result<double> seconds_between(void* first, void* second) override {
    const auto when = [](void* event) {
      const auto mark = static_cast<MarkedEvent*>(event)->latest();
      return mark ? mark->when() : Clock::time_point{};
    };
    const auto from = when(first);
    return std::chrono::duration<double>(when(second) - from).count();
  }
  [[nodiscard]] Result<int> blocks_at_once(const KernelEntry&, const LaunchShape&) override { return 1; }
  [[nodiscard]] Result<int> clusters_at_once(const KernelEntry&, const LaunchShape& shape) override {
    return std::max(1, info_.multiprocessors / static_cast<int>(std::max(1U, shape.cluster)));
  }
  [[nodiscard]] Status box_source(const BoxedArray& array, BoxSource& source) override {
    static_assert(sizeof array <= sizeof(BoxSource));
    // As CUDA's driver refuses them.
    const bool right = reinterpret_cast<std::uintptr_t>(array.first) % 16 == 0 && array.row_stride % 4 == 0 &&
                       array.plane_stride % 4 == 0 && array.size[0] > 0 && array.size[1] > 0 && array.size[2] > 0 &&
                       array.values > 0 && array.values <= 256 && array.values % 4 == 0 && array.rows > 0 &&
                       array.rows <= 256;
    if (!right)
      return make_error(ErrorCode::internal,
                        "an array on 16 bytes, with strides of whole fours and boxes of at most 256 by 256 values", "");
    std::memcpy(source.bytes, &array, sizeof array);
    return {};
  }
  void expect_written(void* memory, Bytes size) override { forget_written(memory, size); }

 private:
  [[nodiscard]] std::optional<Error> failed() {
    std::lock_guard lock(mutex_);
    return failure_;
  }
  /// Counts an operation; false once the device has failed.
  [[nodiscard]] bool goes_on() {
    if (options_.fails_after > 0 && ++operations_ > options_.fails_after) fail("the device is lost");
    return !failed();
  }
  /// As with CUDA, a device that has failed once answers every further call with the same error.
  void fail(std::string problem) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = device_error(fmt::format("{}: {}", info_.name, problem));
  }

  void drain_all() {
    std::lock_guard lock(streams_mutex_);
    for (StreamQueue* s : streams_) s->drain();
  }

  DeviceInfo info_;
  EmulatedOptions options_;
  std::mutex mutex_, streams_mutex_;
  std::set<StreamQueue*> streams_;
  Bytes used_ = 0;
  std::map<void*, Bytes> taken_;
  std::optional<Error> failure_;
  std::atomic<int> operations_{0};
  Multiprocessors processors_;
};

class EmulatedModule final : public DeviceModule {
 public:
  [[nodiscard]] Result<std::vector<DeviceInfo>> devices() override {
    std::lock_guard lock(mutex_);
    std::vector<DeviceInfo> out;
    for (int k = 0; k < options_.devices; ++k) out.push_back(describe(k));
    return out;
  }
  [[nodiscard]] Result<std::unique_ptr<DeviceDriver>> open(int index) override {
    std::lock_guard lock(mutex_);
    if (index < 0 || index >= options_.devices)
      return device_error(fmt::format("there is no emulated device {}: there are {}", index, options_.devices),
                          "CONOID_EMULATED=devices=<n> makes more.");
    return std::unique_ptr<DeviceDriver>(std::make_unique<EmulatedDevice>(describe(index), options_));
  }
  [[nodiscard]] std::vector<KernelEntry> kernels() const override {
    std::vector<KernelEntry> out;
    for (const auto& k : kernels::registered()) out.push_back({k.name, k.signature, k.function, k.invoke});
    return out;
  }
  bool configure(const EmulatedOptions& options) override {
    std::lock_guard lock(mutex_);
    options_ = options;
    return true;
  }

 private:
  [[nodiscard]] DeviceInfo describe(int index) const {
    DeviceInfo d;
    d.backend = checked ? "emulated-checked" : "emulated";
    d.index = index;
    d.name = fmt::format("{} device {}", checked ? "checked emulated" : "emulated", index);
    d.uuid = fmt::format("EMU-00000000-0000-0000-0000-{:012x}", index);
    d.memory = d.free_memory = options_.memory;
    d.bandwidth = options_.bandwidth;
    d.major = 9;
    d.multiprocessors = options_.multiprocessors;
    d.shared_per_block = 227 << 10;
    d.cluster = 8;
    d.ring_unit = ring_unit;
    return d;
  }
  std::mutex mutex_;
  EmulatedOptions options_;
};

}  // namespace
}  // namespace emulated
}  // namespace conoid

extern "C" __attribute__((visibility("default"))) conoid::DeviceModule* conoid_device_module(int version) {
  if (version != conoid::device_module_version) return nullptr;
  // Never destroyed: devices may be open until the very end of the process.
  static auto* const module = new conoid::emulated::EmulatedModule;
  return module;
}
