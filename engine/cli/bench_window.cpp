// SPDX-License-Identifier: BSD-3-Clause
// conoid bench window: streaming against the disk's own speed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>
#include <utility>
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

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  const std::size_t n = of.size();
  return n % 2 != 0 ? of[n / 2] : (of[n / 2 - 1] + of[n / 2]) / 2;
}

/// Until the movers have nothing more to bring: what they do must not fall into a measurement beside them.
void wait_for_movers(const Windows& windows) {
  for (Bytes before = ~Bytes{0}, now = windows.statistics().loaded; now != before;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    before = std::exchange(now, windows.statistics().loaded);
  }
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
  const Index in_budget = how.quick ? 12 : 32, count = times_budget * in_budget;
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

  // Raw, streamed, raw, …: a disk that others use changes from second to second, so each pass is compared with the raw reads right
  // before and right after it, and the median of the rounds counts.
  how.doing("streaming windows");
  const int rounds = how.quick ? 5 : 9;
  const double bytes = static_cast<double>(count) * static_cast<double>(window_bytes);
  Tour tour = (*windows)->announce(Interval{0, count}, Access::read, Repeat::yes);
  float touched = 0;
  const auto touch = [&](std::span<const float> data) { touched += data[data.size() / 2]; };
  if (const auto first = go_through(**windows, tour, count, touch); !first) return first.error();  // begins with an empty memory
  std::vector<double> raw, rates, given, ratios, given_ratios;
  for (int round = 0; round <= rounds; ++round) {
    wait_for_movers(**windows);
    const auto plain = raw_reads(**file, count);
    if (!plain) return plain.error();
    raw.push_back(*plain);
    if (round > 0) {
      const double beside = (raw.end()[-2] + raw.back()) / 2;
      ratios.push_back(rates.back() / beside);
      given_ratios.push_back(given.back() / beside);
    }
    if (round == rounds) break;
    const auto pass = go_through(**windows, tour, count, touch);
    if (!pass) return pass.error();
    rates.push_back(static_cast<double>(pass->statistics.loaded) / pass->seconds);
    given.push_back(bytes / pass->seconds);
  }
  const double raw_rate = median(raw), rate = median(ratios) * raw_rate;
  sink({"raw reads, 2 at a time, 16 MiB", 1e-9 * raw_rate, "GB/s", 0, 0, (*file)->direct() ? "O_DIRECT" : "buffered",
        "disk"});
  sink({fmt::format("windows, {} times the budget: read from the disk", times_budget), 1e-9 * rate, "GB/s",
        median(ratios), 0.9e-9 * raw_rate, "raw reads", "disk"});
  sink({"the same: given to the consumer", 1e-9 * median(given), "GB/s",
        median(given_ratios), 0, "raw reads", "disk"});

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
  std::vector<Visit> order;
  for (Index w = 0; w < count; ++w) order.push_back({w, Access::read});
  // In memory, streamed, in memory, …, compared as above.
  std::vector<double> in_core, streamed, speeds;
  const int turns = how.quick ? 3 : 5;
  for (int turn = 0; turn <= turns; ++turn) {
    tour.announce({}, Repeat::no);
    {  // one window again and again, which nothing moves
      auto lease = (*windows)->acquire(0, Access::read);
      if (!lease) return lease.error();
      const auto begin = Clock::now();
      for (Index w = 0; w < count; ++w) use(lease->read<float>());
      in_core.push_back(since(begin));
    }
    if (turn > 0) speeds.push_back((in_core.end()[-2] + in_core.back()) / 2 / streamed.back());
    if (turn == turns) break;
    tour.announce(order, Repeat::yes);
    auto pass = go_through(**windows, tour, count, use);
    if (!pass) return pass.error();
    streamed.push_back(pass->seconds);
  }
  sink({fmt::format("consumer of {} threads, twice the disk's time: speed streamed", how.threads), 100 * median(speeds), "%",
        median(speeds), 95, "all in memory", "cores"});
  return {};
}

}  // namespace conoid::cli
