// SPDX-License-Identifier: BSD-3-Clause
// CUDA's model on the processor: kernels compute what they say, devices have limits, errors are sentences.
// labels: unit emulated
#include <atomic>
#include <bit>
#include <chrono>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include <QTest>

#include "conoid/config.hpp"
#include "engine/team/affinity.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/team/kernels/arguments.hpp"

using namespace conoid;
using namespace conoid::device_test;

namespace {

unsigned blocks_for(std::size_t n, unsigned threads) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

Device open_device(std::string_view name = "emulated") {
  auto device = Device::open(name);
  if (!device) throw Failure(device.error());
  return *device;
}

}  // namespace

class TestEmulatedDevice : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { qputenv("CONOID_MODULES", CONOID_TEST_MODULES); }
  void cleanup() { configure_emulated({}); }

  void scale_of_any_size() {
    const Device device = open_device();
    Stream stream = device.stream();
    const auto scale = device.kernel<ScaleArguments>("test/scale");
    for (const std::size_t n : {1U, 31U, 32U, 255U, 257U, 10007U}) {
      std::vector<float> x(n), y(n, 0);
      std::iota(x.begin(), x.end(), 1.0F);
      auto dx = device.allocate<float>(n, "x"), dy = device.allocate<float>(n, "y");
      stream.to_device(dx, x);
      stream.launch(scale, {.grid = {blocks_for(n, 96), 1, 1}, .block = {96, 1, 1}},
                    ScaleArguments{dx.data(), dy.data(), 0.5F, static_cast<int>(n)});
      stream.to_host(y, dy);
      stream.synchronize();
      for (std::size_t i = 0; i < n; ++i) QCOMPARE(y[i], 0.5F * x[i]);
    }
  }

  void sums_by_shared_memory_and_shuffles() {
    EmulatedOptions options;
    options.multiprocessors = 3;
    configure_emulated(options);
    const Device device = open_device();
    Stream stream = device.stream();
    std::mt19937 random(11);
    for (const std::size_t n : {127U, 128U, 4099U}) {
      std::vector<double> x(n);
      for (double& v : x) v = static_cast<double>(random() % 1000);  // sums of whole numbers are exact in any order
      const unsigned blocks = blocks_for(n, 128);
      std::vector<double> sums(blocks);
      auto dx = device.allocate<double>(n, "x"), ds = device.allocate<double>(blocks, "sums");
      stream.to_device(dx, x);
      for (const char* name : {"test/tree_sum<128>", "test/shuffle_sum"}) {
        stream.launch(device.kernel<SumArguments>(name), {.grid = {blocks, 1, 1}, .block = {128, 1, 1}, .shared = 32},
                      SumArguments{dx.data(), ds.data(), static_cast<int>(n)});
        stream.to_host(sums, ds);
        stream.synchronize();
        for (unsigned b = 0; b < blocks; ++b) {
          const auto begin = x.begin() + 128 * b;
          QCOMPARE(sums[b],
                   std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(128, n - 128 * b)),
                                   0.0));
        }
      }
    }
  }

  void votes_of_blocks_and_warps() {
    const Device device = open_device();
    Stream stream = device.stream();
    auto out = device.allocate<unsigned>(6, "votes");
    std::vector<unsigned> got(6);
    stream.launch(device.kernel<VoteArguments>("test/votes"), {.block = {100, 1, 1}}, {out.data()});
    stream.to_host(got, out);
    stream.synchronize();
    QCOMPARE(got, (std::vector<unsigned>{50, 0, 1, 0x49249249U, 0xff00U, 496}));
  }

  void atomics_of_many_blocks() {
    EmulatedOptions options;
    options.multiprocessors = 4;
    configure_emulated(options);
    const Device device = open_device();
    Stream stream = device.stream();
    auto out = device.allocate<unsigned>(5, "counts");
    std::vector<unsigned> got(5);
    stream.zero(out);
    stream.launch(device.kernel<VoteArguments>("test/atomics"), {.grid = {40, 1, 1}, .block = {64, 1, 1}},
                  {out.data()});
    stream.to_host(got, out);
    stream.synchronize();
    // The sum of 0 … 2559 is a whole number below 2^24: exact in any order.
    QCOMPARE(got, (std::vector<unsigned>{2560, 2559, std::bit_cast<unsigned>(3275520.0F), 7, 31}));
  }

  void the_roof_of_a_device_is_measured_once() {
    const MachineRates first = device_rates("emulated"), again = device_rates("emulated:0");
    QVERIFY(first.known());
    QCOMPARE(again.copy, first.copy);
    QCOMPARE(again.flops_double, first.flops_double);
    QVERIFY(!device_rates("emulated:77").known());
  }

  void work_of_devices_outside_of_phases_has_its_samples() {
    Team team({{"emulated:0", 1, 1, "emulated:0", 0}, {"cpu", 2, 1, {}, 0}});
    team.note("march", 0.5, {1e9, 4e8}, Team::Who::devices);
    team.note("solve", 0.25, {2e9, 1e8});
    const auto samples = team.take_samples();
    QCOMPARE(samples.size(), std::size_t{2});
    QCOMPARE(samples[0].worker, 0);
    QCOMPARE(samples[0].phase, std::string("march"));
    QCOMPARE(samples[0].work.flops, 1e9);
    QCOMPARE(samples[1].worker, 1);
    QCOMPARE(samples[1].busy, 0.25);
    QCOMPARE(samples[1].held, Bytes{0});
    // Nobody of the kind: nothing to tell.
    Team alone({{"cpu", 1, 1, {}, 0}});
    alone.note("march", 1, {1, 1}, Team::Who::devices);
    QVERIFY(alone.take_samples().empty());
  }

  void tiles_and_group_copies() {
    const Device device = open_device();
    Stream stream = device.stream();
    std::vector<double> x(192), sums(24);
    std::iota(x.begin(), x.end(), 0.0);
    auto dx = device.allocate<double>(192, "x"), ds = device.allocate<double>(24, "sums");
    stream.to_device(dx, x);
    stream.launch(device.kernel<SumArguments>("test/tiles"), {.grid = {2, 1, 1}, .block = {96, 1, 1}, .shared = 768},
                  {dx.data(), ds.data(), 192});
    stream.to_host(sums, ds);
    stream.synchronize();
    for (int k = 0; k < 24; ++k) QCOMPARE(sums[static_cast<std::size_t>(k)], 64.0 * k + 28);
  }

  void a_grid_meets() {
    const Device device = open_device();
    Stream stream = device.stream();
    const std::vector<double> x{1, 2, 3, 4, 5};
    std::vector<double> sums(10);
    auto dx = device.allocate<double>(5, "x"), ds = device.allocate<double>(10, "sums");
    const auto kernel = device.kernel<SumArguments>("test/grid_sum");
    stream.to_device(dx, x);
    stream.launch(kernel, {.grid = {5, 1, 1}, .block = {32, 1, 1}, .cooperative = true}, {dx.data(), ds.data(), 5});
    stream.to_host(sums, ds);
    stream.synchronize();
    QCOMPARE(sums, (std::vector<double>{1, 2, 3, 4, 5, 15, 15, 15, 15, 15}));
    // Not cooperative: a sentence, and the device stays failed.
    stream.launch(kernel, {.grid = {5, 1, 1}, .block = {32, 1, 1}}, {dx.data(), ds.data(), 5});
    QCOMPARE(message([&] { stream.synchronize(); }).contains("not cooperative"), true);
    QVERIFY(!message([&] { stream.to_host(sums, ds); }).isEmpty());
  }

  void blocks_of_a_cluster_send_each_other_values() {
    const Device device = open_device();
    Stream stream = device.stream();
    const auto kernel = device.kernel<RingArguments>("test/cluster_ring");
    const unsigned threads = 40;
    for (const unsigned cluster : {2U, 3U, 8U}) {
      const unsigned blocks = 2 * cluster;
      std::vector<float> got(blocks * threads);
      auto sums = device.allocate<float>(got.size(), "sums");
      const int steps = 5;
      stream.launch(
          kernel,
          {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .shared = 2 * threads * 16 + 16, .cluster = cluster},
          {sums.data(), cluster, steps});
      stream.to_host(got, sums);
      stream.synchronize();
      // The ring by hand.
      std::vector<float> value(blocks);
      for (unsigned b = 0; b < blocks; ++b) value[b] = static_cast<float>(b);
      for (int step = 0; step < steps; ++step) {
        const std::vector<float> before = value;
        for (unsigned b = 0; b < blocks; ++b)
          value[b] += before[b / cluster * cluster + (b % cluster + cluster - 1) % cluster];
      }
      for (unsigned b = 0; b < blocks; ++b)
        for (unsigned i = 0; i < threads; ++i)
          QCOMPARE(got[b * threads + i], value[b] + 1000.0F * 32.0F * static_cast<float>(i) + 32.0F + 5.0F);
    }
    QVERIFY(message([&] {
              stream.launch(kernel, {.grid = {18, 1, 1}, .block = {32, 1, 1}, .shared = 2048, .cluster = 9},
                            {nullptr, 9, 1});
            }).contains("clusters of 9 blocks"));
    QVERIFY(message([&] {
              stream.launch(kernel, {.grid = {5, 1, 1}, .block = {32, 1, 1}, .shared = 2048, .cluster = 2},
                            {nullptr, 2, 1});
            }).contains("whole number"));
  }

  /// Pieces at unlike distances; an event of one device orders the stream of another.
  void pieces_come_from_another_device() {
    configure_emulated({.devices = 2});
    const auto one = Device::open("emulated:0"), other = Device::open("emulated:1");
    QVERIFY(one && other);
    QVERIFY(one->reaches(other->info()) && other->reaches(one->info()) && one->reaches(one->info()));
    if (CONOID_HAVE_EMULATED_CHECKED != 0) {  // one kernel at a time among them: none waits for another
      const auto checked = Device::open("emulated-checked:0"), second = Device::open("emulated-checked:1");
      QVERIFY(checked && second);
      QVERIFY(checked->reaches(checked->info()) && !checked->reaches(second->info()) && !checked->reaches(one->info()));
    }
    Stream from = other->stream(), to = one->stream();
    std::vector<float> x(40), got(30, -1);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    const auto there = other->allocate<float>(x.size()), here = one->allocate<float>(got.size());
    from.to_device(there, x);
    to.to_device(here, got);
    const Event made = other->event();
    from.record(made);
    to.wait(made);
    to.from_peer(here, 2, 8, there, 5, 12, other->info().index, 4, 3);
    to.to_host(got, here);
    to.synchronize();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t piece = (i + 6) / 8 - 1, within = (i + 6) % 8;
      const bool copied = i >= 2 && piece < 3 && within < 4;
      QCOMPARE(got[i], copied ? x[5 + 12 * piece + within] : -1.0F);
    }
    configure_emulated({});
  }

  void boxes_come_with_zeros_beyond_the_array() {
    for (const char* name : {"emulated", "emulated-checked"}) {
      if (CONOID_HAVE_EMULATED_CHECKED == 0 && std::string_view(name) == "emulated-checked")
        continue;  // sanitizers and the checked mode exclude each other
      const Device device = open_device(name);
      Stream stream = device.stream();
      const long long row = 12, plane = 5 * row + 4, size[3] = {9, 5, 3};
      std::vector<float> x(static_cast<std::size_t>(3 * plane));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      auto array = device.allocate<float>(x.size(), "array");
      stream.to_device(array, x);
      BoxedArray boxed;
      boxed.first = array.data();
      for (int a = 0; a < 3; ++a) boxed.size[a] = size[a];
      boxed.row_stride = row;
      boxed.plane_stride = plane;
      boxed.values = 8;
      boxed.rows = 3;
      const unsigned blocks = 6, values = 8;
      std::vector<float> got(blocks * values);
      auto sums = device.allocate<float>(got.size(), "sums");
      stream.launch(device.kernel<BoxArguments>("test/boxes"),
                    {.grid = {blocks, 1, 1}, .block = {32, 1, 1}, .shared = 2 * 32 * 4 + 16},
                    {device.box_source(boxed), sums.data(), 8, 3, 5});
      stream.to_host(got, sums);
      stream.synchronize();
      for (long long b = 0; b < blocks; ++b)
        for (long long i = 0; i < values; ++i) {
          float sum = 0;
          for (long long z = 0; z < size[2]; ++z)
            for (long long y = std::max(b - 1, 0LL); y < std::min(b + 2, size[1]); ++y)
              if (const long long at = 4 * b - 4 + i; at >= 0 && at < size[0])
                sum += x[static_cast<std::size_t>(z * plane + y * row + at)];
          QCOMPARE(got[static_cast<std::size_t>(b * values + i)], sum);
        }
      boxed.row_stride = 10;
      QVERIFY(message([&] { (void)device.box_source(boxed); }).contains("whole fours"));
    }
  }

  /// A wait is for the mark that was the latest when it was given, whatever stream makes the next one.
  void an_event_of_two_streams_keeps_who_waited_for_the_first() {
    const Device device = *Device::open("emulated");
    Stream slow = device.stream(), fast = device.stream(), after = device.stream();
    const Event event = device.event();
    std::atomic<bool> done = false;
    bool seen = false;
    slow.run_on_host([&] { std::this_thread::sleep_for(std::chrono::milliseconds(100)), done = true; }, {});
    slow.record(event);
    after.wait(event);
    fast.record(event);
    after.run_on_host([&] { seen = done; }, {});
    event.synchronize();  // the mark of the fast one
    QVERIFY(event.reached());
    after.synchronize();
    QVERIFY(seen);
  }
  void events_order_streams() {
    EmulatedOptions options;
    options.bandwidth = 50e6;  // 1 MB takes 20 ms
    configure_emulated(options);
    const Device device = open_device();
    Stream one = device.stream(), two = device.stream();
    const std::size_t n = 250000;
    const std::vector<float> x(n, 3.0F);
    std::vector<float> y(n);
    auto dx = device.allocate<float>(n, "x"), dy = device.allocate<float>(n, "y");
    const Event begin = device.event(), copied = device.event(), end = device.event();
    one.record(begin);
    one.to_device(dx, x);
    one.record(copied);
    two.wait(copied);
    two.launch(device.kernel<ScaleArguments>("test/scale"), {.grid = {blocks_for(n, 256), 1, 1}, .block = {256, 1, 1}},
               {dx.data(), dy.data(), 2.0F, static_cast<int>(n)});
    two.to_host(y, dy);
    two.record(end);
    end.synchronize();
    QVERIFY(copied.reached() && end.reached());
    for (float v : y) QCOMPARE(v, 6.0F);
    QVERIFY(copied.seconds_since(begin) >= 0.02);  // a sleep lasts at least as long as asked
    QVERIFY(end.seconds_since(copied) >= 0.02);
  }

  /// A ring is written and read across its seam at either address, counts once, and comes back.
  void rings_follow_themselves() {
    EmulatedOptions options;
    options.memory = Bytes{64} << 10;
    configure_emulated(options);
    const Device device = open_device();
    const Bytes unit = device.info().ring_unit;
    QVERIFY(unit > 0 && device.ring_bytes(unit + 1) == 2 * unit);
    {
      auto ring = device.ring<float>(2 * unit / sizeof(float) - 5, "planes"), to = device.ring<float>(1, "sums");
      const std::size_t period = ring.size() / 2;
      QCOMPARE(period * sizeof(float), 2 * unit);
      QCOMPARE(device.free_memory(), options.memory - 3 * unit);
      Stream stream = device.stream();
      std::vector<float> x(period), got(period);
      std::iota(x.begin(), x.end(), 1.0F);
      stream.to_device(ring, x, period - 11);
      for (const std::size_t from : {std::size_t{0}, period}) {
        stream.to_host(got, ring, from);
        stream.synchronize();
        for (std::size_t i = 0; i < period; ++i) QCOMPARE(got[i], x[(i + 11) % period]);
      }
      const auto scale = device.kernel<ScaleArguments>("test/scale");  // 64 values around both seams
      stream.launch(scale, {.grid = {1, 1, 1}, .block = {64, 1, 1}},
                    ScaleArguments{ring.data() + period - 20, to.data() + to.size() / 2 - 30, 2.0F, 64});
      got.resize(34);
      stream.to_host(got, to, 0);
      stream.synchronize();
      for (std::size_t i = 0; i < 34; ++i) QCOMPARE(got[i], 2 * x[(i + 30 - 20 + 11) % period]);
      const QString text = message([&] { (void)device.ring<char>(60 << 10, "pressure"); });
      QVERIFY2(text.contains("no memory for 60 KiB ('pressure')"), qPrintable(text));
    }
    QCOMPARE(device.free_memory(), options.memory);
  }

  void memory_has_a_limit() {
    EmulatedOptions options;
    options.memory = Bytes{64} << 20;
    configure_emulated(options);
    const Device device = open_device();
    QCOMPARE(device.free_memory(), Bytes{64} << 20);
    {
      auto half = device.allocate<char>(40 << 20, "half");
      const QString text = message([&] { (void)device.allocate<char>(40 << 20, "pressure"); });
      QVERIFY2(text.contains("no memory for 40 MiB ('pressure'): 24 MiB of 64 MiB are free"), qPrintable(text));
    }
    auto again = device.allocate<char>(40 << 20, "again");  // the first is given back
    QCOMPARE(device.free_memory(), Bytes{24} << 20);
  }

  void a_budget_is_no_more_than_what_is_free() {
    EmulatedOptions options;
    options.memory = Bytes{100} << 20;
    configure_emulated(options);
    const Device device = open_device();
    const CpuWorker one(1);
    const DeviceWorker asked(device, 0, one, Bytes{80} << 20), whatever(device, 0, one, 0);
    QCOMPARE(asked.memory(), Bytes{80} << 20);
    QCOMPARE(asked.memory_beside(Bytes{30} << 20), Bytes{50} << 20);
    // What the solver does not know of: another phase, another program.
    const auto other = device.allocate<char>(60 << 20, "other");
    const Bytes free = (Bytes{40} << 20) / 10 * 9;
    QCOMPARE(asked.memory(), Bytes{80} << 20);
    QCOMPARE(asked.memory_beside(0), free);
    QCOMPARE(asked.memory_beside(Bytes{60} << 20), Bytes{20} << 20);
    QCOMPARE(asked.memory_beside(Bytes{90} << 20), Bytes{0});
    QCOMPARE(whatever.memory_beside(0), free);
  }

  void launches_that_no_device_takes() {
    const Device device = open_device();
    Stream stream = device.stream();
    const auto scale = device.kernel<ScaleArguments>("test/scale");
    const ScaleArguments none{nullptr, nullptr, 0, 0};
    QVERIFY(message([&] { stream.launch(scale, {.block = {2048, 1, 1}}, none); }).contains("2048 threads a block"));
    QVERIFY(message([&] { stream.launch(scale, {.grid = {0, 1, 1}}, none); }).contains("empty"));
    QVERIFY(message([&] { stream.launch(scale, {.shared = 1 << 20}, none); }).contains("shared memory"));
    QVERIFY(message([&] { (void)device.kernel<ScaleArguments>("test/no_such"); }).contains("no kernel 'test/no_such'"));
    QVERIFY(message([&] { (void)device.kernel<SumArguments>("test/scale"); }).contains("takes"));
  }

  void threads_keep_off_the_place_that_feeds_a_device() {
    const Places before = places_of_this_thread();
    if (!can_bind() || before.size() < 2) QSKIP("needs hwloc and two processing units");
    qunsetenv("OMP_PROC_BIND");
    qunsetenv("OMP_PLACES");
    class Where final : public Phase {
     public:
      [[nodiscard]] std::string_view name() const override { return "where"; }
      [[nodiscard]] Index items() const override { return 100; }
      void run(CpuWorker& worker, Interval items) override {
        worker.for_each(items, items.size(), [&](Interval, int) { processor = places_of_this_thread(); });
      }
      [[nodiscard]] bool runs_on_devices() const override { return true; }
      void run_on_device(DeviceWorker& worker, Interval) override {
        feeder = places_of_this_thread();
        worker.host().for_each({0, 1}, 1, [&](Interval, int) { helper = places_of_this_thread(); });
      }
      Places processor, feeder, helper;
    } where;
    {
      Team team({{"emulated:0", 1, 1, "emulated:0", 0}, {"cpu", 1, 1, {}, 0}});
      for (int pass = 0; pass < 2; ++pass) {
        team.run(where);
        QCOMPARE(where.feeder.size(), std::size_t{1});
        QCOMPARE(where.processor.size(), std::size_t{1});
        QVERIFY(where.feeder != where.processor);
        QCOMPARE(where.helper, before);  // what is laid out for a device may use every core
        QCOMPARE(places_of_this_thread(), before);
      }
    }
    QCOMPARE(places_of_this_thread(), before);
    // Of two processes that may use the same each keeps to its half, or to nothing where that is too small for two threads.
    for (const int part : {0, 1}) {
      const Places half = places_of_this_thread({part, 2});
      Team team({{"emulated:0", 1, 1, "emulated:0", 0}, {"cpu", 1, 1, {}, 0}}, "greedy", {part, 2});
      team.run(where);
      if (half.size() < 2) {
        QCOMPARE(where.feeder, before);
        QCOMPARE(where.processor, before);
      } else {
        QCOMPARE(where.helper, half);
        QVERIFY(std::ranges::find(half, where.feeder.front()) != half.end());
        QVERIFY(std::ranges::find(half, where.processor.front()) != half.end());
      }
    }
  }

  void absence_is_a_sentence() {
    for (const char* name : {"cuda", "cuda:7", "emulated:3", "emulated:x", "gpu"}) {
      const auto device = Device::open(name);
      if (std::string_view(name) == "cuda" && device.ok()) continue;  // there is one here
      QVERIFY2(!device.ok(), name);
      QVERIFY(!device.error().text.empty() && !device.error().hint.empty());
    }
    QCOMPARE(Device::open("emulated:3").error().code, ErrorCode::resources);
    for (const char* bad : {"memory=0", "memory=much", "slowness=0.5", "devices=1.5", "colour=red", "bandwidth="})
      QVERIFY2(!parse_emulated_options(bad).ok(), bad);
    const auto good = parse_emulated_options("memory=64MiB,bandwidth=2GB/s,slowness=3,multiprocessors=2,devices=2");
    QVERIFY(good.ok());
    QCOMPARE(good->memory, Bytes{64} << 20);
    QCOMPARE(good->bandwidth, 2e9);
    QCOMPARE(good->devices, 2);
  }

 private:
  /// What the call throws, or empty.
  template <class F>
  static QString message(F&& call) {
    try {
      call();
    } catch (const Failure& failure) {
      return QString::fromStdString(failure.error().text);
    }
    return {};
  }
};

QTEST_GUILESS_MAIN(TestEmulatedDevice)
#include "test_emulated_device.moc"
