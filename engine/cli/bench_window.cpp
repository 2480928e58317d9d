// SPDX-License-Identifier: BSD-3-Clause
// conoid bench window: streaming against the disk's own speed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "engine/cli/engine_benches.hpp"
#include "engine/window/disk_windows.hpp"

namespace conoid::cli {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr Bytes window_bytes = Bytes{16} << 20;
constexpr Index times_budget = 4;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Work of all threads on a window that takes about `seconds`; calibrated in passes over the data.
class Consumer {
 public:
  Consumer(int threads, int each) : threads_(threads), passes_(each) {}
  void use(std::span<const float> data) {
    const auto part = [&](int t) {
      const std::size_t n = data.size() / static_cast<std::size_t>(threads_), begin = n * static_cast<std::size_t>(t);
      // A polynomial a value: arithmetic, so that a pass is not bound by the memory that the windows come through as well.
      float sums[16] = {};
      for (int pass = 0; pass < passes_; ++pass)
        for (std::size_t i = begin; i + 16 <= begin + n; i += 16)
          for (std::size_t k = 0; k < 16; ++k) {
            float v = data[i + k], p = 0.5f;
            for (int d = 0; d < 24; ++d) p = p * v + 0.25f;
            sums[k] += p;
          }
      float sum = 0;
      for (const float s : sums) sum += s;
      sink_ = sink_ + (sum > 0 ? 1 : 0);
    };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads_; ++t) others.emplace_back(part, t);
    part(0);
  }

 private:
  int threads_, passes_;
  std::atomic<int> sink_{0};
};

/// Bytes a second of plain reads of the file, passing the page cache by, two at a time.
Result<double> raw_reads(DiskFile& file, Index windows) {
  std::atomic<Index> next{0};
  std::atomic<int> failure{0};
  const auto memory = host_memory();
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < 2; ++t)
      readers.emplace_back([&] {
        auto* const into = static_cast<std::byte*>(memory->allocate(window_bytes));
        if (into == nullptr) {
          failure = ENOMEM;
          return;
        }
        for (Index w = next++; w < windows && failure == 0; w = next++)
          if (const int code = file.read({into, window_bytes}, static_cast<Bytes>(w) * window_bytes); code != 0)
            failure = code;
        memory->release(into, window_bytes);
      });
  }
  if (failure != 0) return system_error("read", "the measured file", failure);
  return static_cast<double>(windows) * static_cast<double>(window_bytes) / since(begin);
}

Status write_all(DiskFile& file, Index windows) {
  const auto memory = host_memory();
  auto* const from = static_cast<std::byte*>(memory->allocate(window_bytes));
  if (from == nullptr) return make_error(ErrorCode::resources, "no memory for a window");
  for (std::size_t k = 0; k < window_bytes; ++k) from[k] = static_cast<std::byte>(k * 131);
  int code = 0;
  for (Index w = 0; w < windows && code == 0; ++w)
    code = file.write({from, window_bytes}, static_cast<Bytes>(w) * window_bytes);
  memory->release(from, window_bytes);
  if (code == 0) code = file.sync();
  if (code != 0) return system_error("write", "the measured file", code);
  return {};
}

struct Pass {
  double seconds = 0;
  WindowStatistics statistics;
};

/// Goes through all windows once, in order, after `before` windows that are not counted.
Result<Pass> go_through(Windows& windows, Tour& tour, Index count,
                        const std::function<void(std::span<const float>)>& use) {
  const WindowStatistics begin_statistics = windows.statistics();
  const auto begin = Clock::now();
  for (Index w = 0; w < count; ++w) {
    auto lease = tour.next();
    if (!lease) return lease.error();
    use(lease->read<float>());
  }
  Pass out{since(begin), windows.statistics()};
  out.statistics.loaded -= begin_statistics.loaded;
  out.statistics.waiting -= begin_statistics.waiting;
  return out;
}

}  // namespace

Status bench_windows(const TestRun& how, const BenchSink& sink) {
  const Index in_budget = how.quick ? 12 : 64, count = times_budget * in_budget;
  const fs::path folder = fs::temp_directory_path();
  // The disk's own speed, on a file of the same size.
  how.doing("reading the disk");
  const auto disk = system_disk();
  const fs::path raw_file = folder / fmt::format("conoid-raw-{}", ::getpid());
  auto file = disk->open(raw_file, true);
  if (!file) return file.error();
  std::error_code ignored;
  fs::remove(raw_file, ignored);  // it lives as long as it is open
  if (const Status s = write_all(**file, count); !s) return s;

  auto windows = DiskWindows::create(
      std::vector<Bytes>(static_cast<std::size_t>(count), window_bytes),
      {.name = "measured", .file = folder / "conoid-window", .budget = static_cast<Bytes>(in_budget) * window_bytes});
  if (!windows) return windows.error();
  {
    Tour fill = (*windows)->announce(Interval{0, count}, Access::write);
    for (Index w = 0; w < count; ++w) {
      auto lease = fill.next();
      if (!lease) return lease.error();
      const std::span<float> data = lease->write<float>();
      for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<float>(k % 1000) * 1e-3f;
    }
  }
  if (const Status s = (*windows)->flush(); !s) return s;

  // Raw, streamed, raw, …: a disk that others use changes from second to second.
  how.doing("streaming windows");
  double raw_seconds = 0, stream_seconds = 0;
  Bytes streamed = 0;
  const int rounds = how.quick ? 2 : 3;
  const double bytes = static_cast<double>(count) * static_cast<double>(window_bytes);
  Tour tour = (*windows)->announce(Interval{0, count}, Access::read, Repeat::yes);
  for (int round = 0; round <= rounds; ++round) {
    const auto raw = raw_reads(**file, count);
    if (!raw) return raw.error();
    float touched = 0;
    auto pass =
        go_through(**windows, tour, count, [&](std::span<const float> data) { touched += data[data.size() / 2]; });
    if (!pass) return pass.error();
    if (round == 0) continue;  // the first begins with an empty memory
    raw_seconds += bytes / *raw;
    stream_seconds += pass->seconds;
    streamed += pass->statistics.loaded;
  }
  const double raw_rate = rounds * bytes / raw_seconds, rate = static_cast<double>(streamed) / stream_seconds;
  sink({"raw reads, 2 at a time, 16 MiB", 1e-9 * raw_rate, "GB/s", 0, 0, (*file)->direct() ? "O_DIRECT" : "buffered",
        "disk"});
  sink({fmt::format("windows, {} times the budget: read from the disk", times_budget), 1e-9 * rate, "GB/s",
        rate / raw_rate, 0.9e-9 * raw_rate, "raw reads", "disk"});
  sink({"the same: given to the consumer", 1e-9 * rounds * bytes / stream_seconds, "GB/s",
        rounds * bytes / stream_seconds / raw_rate, 0, "raw reads", "disk"});

  // A consumer twice as slow as the disk: with all windows in memory, then streamed.
  how.doing("computing on windows");
  Consumer one(how.threads, 1);
  double once = 0;
  {
    auto lease = tour.next();
    if (!lease) return lease.error();
    one.use(lease->read<float>());
    const auto begin = Clock::now();
    for (int k = 0; k < 4; ++k) one.use(lease->read<float>());
    once = since(begin) / 4;
  }
  const double wanted = 2 * static_cast<double>(window_bytes) / raw_rate;
  Consumer consumer(how.threads, std::max(1, static_cast<int>(wanted / once + 0.5)));
  const auto use = [&](std::span<const float> data) { consumer.use(data); };
  double in_core = 0, out_of_core = 0;
  for (int round = 0; round < rounds; ++round) {
    // In memory: one window again and again, which nothing moves.
    tour.announce({}, Repeat::no);
    {
      auto lease = (*windows)->acquire(0, Access::read);
      if (!lease) return lease.error();
      const auto begin = Clock::now();
      for (Index w = 0; w < count; ++w) use(lease->read<float>());
      in_core += since(begin);
    }
    std::vector<Visit> order;
    for (Index w = 0; w < count; ++w) order.push_back({w, Access::read});
    tour.announce(order, Repeat::yes);
    auto pass = go_through(**windows, tour, count, use);
    if (!pass) return pass.error();
    out_of_core += pass->seconds;
  }
  sink({fmt::format("consumer of {} threads, twice the disk's time: speed streamed", how.threads),
        100 * in_core / out_of_core, "%", in_core / out_of_core, 95, "all in memory", "cores"});
  return {};
}

}  // namespace conoid::cli
