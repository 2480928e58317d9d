// SPDX-License-Identifier: BSD-3-Clause
// conoid bench window: streaming against the disk's own speed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/cli/engine_benches.hpp"
#include "engine/core/resources.hpp"
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

/// A disk that lets the file of the windows be read beside them: raw reads and windows then come from the same places.
class SharedDisk final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open(const fs::path& file, bool create) override {
    auto opened = system_->open(file, create);
    if (!opened) return opened.error();
    file_ = std::move(*opened);
    return std::unique_ptr<DiskFile>(std::make_unique<Share>(file_));
  }
  Result<Bytes> free_space(const fs::path& folder) override { return system_->free_space(folder); }
  [[nodiscard]] DiskFile& file() const { return *file_; }

 private:
  class Share final : public DiskFile {
   public:
    explicit Share(std::shared_ptr<DiskFile> file) : file_(std::move(file)) {}
    int read(std::span<std::byte> into, Bytes offset) override { return file_->read(into, offset); }
    int write(std::span<const std::byte> from, Bytes offset) override { return file_->write(from, offset); }
    int reserve(Bytes offset, Bytes bytes) override { return file_->reserve(offset, bytes); }
    int sync() override { return file_->sync(); }
    [[nodiscard]] bool direct() const override { return file_->direct(); }

   private:
    std::shared_ptr<DiskFile> file_;
  };
  std::shared_ptr<Disk> system_ = system_disk();
  std::shared_ptr<DiskFile> file_;
};

/// Windows that lie in memory and stay there.
class Resident {
 public:
  explicit Resident(Index count) {
    for (Index k = 0; k < count; ++k)
      if (void* const at = memory_->allocate(window_bytes); at != nullptr) {
        const std::span<float> data(static_cast<float*>(at), window_bytes / sizeof(float));
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = value_at(i);
        windows_.push_back(data);
      }
  }
  ~Resident() {
    for (const std::span<float> w : windows_) memory_->release(w.data(), window_bytes);
  }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  static float value_at(std::size_t k) { return static_cast<float>(k % 1000) * 1e-3f; }
  [[nodiscard]] bool none() const { return windows_.empty(); }
  [[nodiscard]] std::span<const float> operator[](Index k) const {
    return windows_[static_cast<std::size_t>(k) % windows_.size()];
  }

 private:
  std::shared_ptr<WindowMemory> memory_ = host_memory();
  std::vector<std::span<float>> windows_;
};

/// Work of all threads on a window, piece by piece as each gets to it; so and so many passes over the data.
class Consumer {
 public:
  Consumer(int threads, int each) : threads_(threads), passes_(each) {}
  void use(std::span<const float> data) {
    std::atomic<std::size_t> next{0};
    const auto part = [&] {
      // A polynomial a value: arithmetic, so that a pass is not bound by the memory that the windows come through as well.
      float sums[16] = {};
      for (std::size_t at = next.fetch_add(piece); at < data.size(); at = next.fetch_add(piece))
        for (int pass = 0; pass < passes_; ++pass)
          for (std::size_t i = at; i + 16 <= std::min(at + piece, data.size()); i += 16)
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
    for (int t = 1; t < threads_; ++t) others.emplace_back(part);
    part();
  }

 private:
  static constexpr std::size_t piece = 32768;
  int threads_, passes_;
  std::atomic<int> sink_{0};
};

/// Bytes a second of plain reads of the windows' places, passing the page cache by, as many at a time as there are movers.
Result<double> raw_reads(DiskFile& file, Index windows, int at_a_time) {
  std::atomic<Index> next{0};
  std::atomic<int> failure{0};
  const auto memory = host_memory();
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < at_a_time; ++t)
      readers.emplace_back([&] {
        auto* const into = static_cast<std::byte*>(memory->allocate(window_bytes));
        if (into == nullptr) {
          failure = ENOMEM;
          return;
        }
        for (Index w = next++; w < windows && failure == 0; w = next++)
          if (const int code = file.read({into, window_bytes}, DiskFile::block + static_cast<Bytes>(w) * window_bytes);
              code != 0)
            failure = code;
        memory->release(into, window_bytes);
      });
  }
  if (failure != 0) return system_error("read", "the measured file", failure);
  return static_cast<double>(windows) * static_cast<double>(window_bytes) / since(begin);
}

/// Processor time of all threads of this program so far: what others take of the machine does not show in it.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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

struct Pass {
  double seconds = 0, processor = 0;
  double loaded = 0;  ///< bytes
};

/// Goes through `count` windows after `before` that are not counted, so that both ends of the counted stretch fall into a stream
/// that flows.
template <class Use>
Result<Pass> go_through(Windows& windows, Tour& tour, Index before, Index count, const Use& use) {
  Clock::time_point begin;
  double processor = 0;
  Bytes loaded = 0;
  for (Index w = 0; w < before + count; ++w) {
    if (w == before) {
      begin = Clock::now();
      processor = processor_seconds();
      loaded = windows.statistics().loaded;
    }
    auto lease = tour.next();
    if (!lease) return lease.error();
    use(lease->template read<float>());
  }
  return Pass{since(begin), processor_seconds() - processor, static_cast<double>(windows.statistics().loaded - loaded)};
}

}  // namespace

Status bench_windows(const TestRun& how, const BenchSink& sink) {
  const Index in_budget = how.quick ? 12 : 32, count = times_budget * in_budget;
  how.doing("writing windows");
  const auto disk = std::make_shared<SharedDisk>();
  const DiskWindowsOptions options{.name = "measured",
                                   .file = temporary_folder() / "conoid-window",
                                   .budget = static_cast<Bytes>(in_budget) * window_bytes,
                                   .disk = disk};
  auto windows = DiskWindows::create(std::vector<Bytes>(static_cast<std::size_t>(count), window_bytes), options);
  if (!windows) return windows.error();
  std::vector<Visit> order;
  for (Index w = 0; w < count; ++w) order.push_back({w, Access::read});
  Tour tour = (*windows)->announce(Interval{0, count}, Access::write);
  for (Index w = 0; w < count; ++w) {
    auto lease = tour.next();
    if (!lease) return lease.error();
    const std::span<float> data = lease->write<float>();
    for (std::size_t k = 0; k < data.size(); ++k) data[k] = Resident::value_at(k);
  }
  if (const Status s = (*windows)->flush(); !s) return s;

  // Raw, streamed, raw, …: a disk that others use changes from second to second, so each pass is compared with the raw reads right
  // before and right after it, and the median of the rounds counts.
  how.doing("streaming windows");
  const int rounds = how.quick ? 7 : 11;
  float touched = 0;
  const auto touch = [&](std::span<const float> data) { touched += data[data.size() / 2]; };
  std::vector<double> raw, given, ratios, given_ratios;
  for (int round = 0; round <= rounds; ++round) {
    wait_for_movers(**windows);
    const auto plain = raw_reads(disk->file(), count, options.threads);
    if (!plain) return plain.error();
    raw.push_back(*plain);
    if (round > 0) {
      const double beside = (raw.end()[-2] + raw.back()) / 2;
      ratios.back() /= beside;
      given_ratios.push_back(given.back() / beside);
    }
    if (round == rounds) break;
    tour.announce(order, Repeat::yes);
    const auto pass = go_through(**windows, tour, in_budget, 2 * count, touch);
    tour.announce({}, Repeat::no);
    if (!pass) return pass.error();
    ratios.push_back(pass->loaded / pass->seconds);
    given.push_back(2.0 * static_cast<double>(count) * static_cast<double>(window_bytes) / pass->seconds);
  }
  const double raw_rate = median(raw), rate = median(ratios) * raw_rate;
  sink({fmt::format("raw reads, {} at a time, 16 MiB", options.threads), 1e-9 * raw_rate, "GB/s", 0, 0,
        disk->file().direct() ? "O_DIRECT" : "buffered", "disk"});
  sink({fmt::format("windows, {} times the budget: read from the disk", times_budget), 1e-9 * rate, "GB/s",
        median(ratios), 0.9e-9 * raw_rate, "raw reads", "disk"});
  sink({"the same: given to the consumer", 1e-9 * median(given), "GB/s", median(given_ratios), 0, "raw reads", "disk"});

  // A consumer that would take twice the disk's time if it had the processors for itself: over windows in memory, more than caches
  // hold, then streamed.
  how.doing("computing on windows");
  const Resident resident(8);
  if (resident.none()) return make_error(ErrorCode::resources, "no memory for a window");
  Consumer one(how.threads, 1);
  std::vector<double> times;
  for (Index k = 0; k < 9; ++k) {
    const double begin = processor_seconds();
    one.use(resident[k]);
    times.push_back((processor_seconds() - begin) / how.threads);
  }
  const double wanted = 2 * static_cast<double>(window_bytes) / raw_rate;
  Consumer consumer(how.threads, std::max(1, static_cast<int>(std::lround(wanted / median(times)))));
  const auto use = [&](std::span<const float> data) { consumer.use(data); };
  // In memory, streamed, in memory, …, compared as above; in short turns, as processors that others use change as well.
  std::vector<double> in_core, worked, speeds, shares;
  const int turns = how.quick ? 9 : 11;
  Pass streamed;
  for (int turn = 0; turn <= turns; ++turn) {
    wait_for_movers(**windows);
    const double processor = processor_seconds();
    const auto begin = Clock::now();
    for (Index w = 0; w < count / 2; ++w) use(resident[w]);
    in_core.push_back(2 * since(begin));
    worked.push_back(2 * (processor_seconds() - processor));
    if (turn > 0) {
      speeds.push_back((in_core.end()[-2] + in_core.back()) / 2 / streamed.seconds);
      shares.push_back((worked.end()[-2] + worked.back()) / 2 / streamed.processor);
    }
    if (turn == turns) break;
    tour.announce(order, Repeat::yes);
    const auto pass = go_through(**windows, tour, in_budget / 2, count, use);
    tour.announce({}, Repeat::no);
    if (!pass) return pass.error();
    streamed = *pass;
  }
  sink({fmt::format("consumer of {} threads, twice the disk's time: speed streamed", how.threads), 100 * median(speeds),
        "%", median(speeds), 95, "all in memory", "cores"});
  sink({"the same: its share of the processor time", 100 * median(shares), "%", median(shares), 95, "all in memory",
        "cores"});
  return {};
}

}  // namespace conoid::cli
