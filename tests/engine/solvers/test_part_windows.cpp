// SPDX-License-Identifier: BSD-3-Clause
// Windows that processors and devices share go to whoever has them now with what was written last, and none leaves while a stream uses it.
// labels: emulated
#include <QTest>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "engine/solvers/part_windows.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

namespace {

constexpr Index windows = 24, values = 512;  // a page each
constexpr Bytes window = values * sizeof(double);

/// All values of all windows become 2 v + 1, some passes, each with borders as the balancer has them.
class Doubling final : public Section {
 public:
  Doubling(PartWindows& store, int passes) : store_(store), passes_(passes) {}
  [[nodiscard]] std::string_view name() const override { return "doubling"; }
  [[nodiscard]] Index items() const override { return windows; }
  [[nodiscard]] bool runs_on_devices() const override { return true; }
  void body(Part& part) override {
    store_.take(part);
    for (int pass = 0; pass < passes_; ++pass)
      store_.visit(part, Access::update, [&](const Lease& lease) {
        auto* const at = reinterpret_cast<double*>(const_cast<std::byte*>(lease.bytes().data()));
        const auto work = [at] {
          for (Index i = 0; i < values; ++i) at[i] = 2 * at[i] + 1;
        };
        if (Stream* stream = store_.stream(part))
          // Late: a window that left before this would have lost it.
          stream->run_on_host([work] { std::this_thread::sleep_for(std::chrono::microseconds(100)), work(); },
                              {HostUse{at, window, true, true}});
        else
          part.host().for_each({0, 1}, 1, [&](Interval, int) { work(); });
      });
    // Whoever was slow is fast in the next section: borders move.
    if (part.worker() == static_cast<int>(sections_ % 3)) std::this_thread::sleep_for(std::chrono::milliseconds(4));
    part.meet([this] { ++sections_; });
  }

 private:
  PartWindows& store_;
  int passes_;
  Index sections_ = 0;
};

class Collecting final : public Section {
 public:
  Collecting(PartWindows& store, std::vector<double>& into) : store_(store), into_(into) {}
  [[nodiscard]] std::string_view name() const override { return "reading"; }
  [[nodiscard]] Index items() const override { return windows; }
  void body(Part& part) override {
    store_.take(part);
    store_.visit(part, Access::read, [&](const Lease& lease) {
      std::memcpy(&into_[static_cast<std::size_t>(lease.window() * values)], lease.bytes().data(), window);
    });
  }

 private:
  PartWindows& store_;
  std::vector<double>& into_;
};

/// Entry w of what lies beside windows becomes w².
class Beside final : public Section {
 public:
  Beside(PartWindows& store, BesideWindows<double>& beside) : store_(store), beside_(beside) {}
  [[nodiscard]] std::string_view name() const override { return "beside"; }
  [[nodiscard]] Index items() const override { return windows; }
  [[nodiscard]] bool runs_on_devices() const override { return true; }
  void body(Part& part) override {
    store_.take(part);
    Stream* const stream = store_.stream(part);
    store_.visit(part, Access::update, [&](const Lease& lease) {
      double* const entry = beside_.at(part, lease.window());
      const auto work = [entry, w = static_cast<double>(lease.window())] { *entry = w * w; };
      if (stream)
        stream->run_on_host(work, {HostUse{entry, sizeof(double), true, true}});
      else
        work();
    });
    beside_.bring(part, stream, part.items());
  }

 private:
  PartWindows& store_;
  BesideWindows<double>& beside_;
};

}  // namespace

class TestPartWindows : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { configure_emulated({.devices = 2, .memory = Bytes{16} << 20}); }

  void contents_follow_the_borders_data() {
    QTest::addColumn<QString>("workers");
    QTest::addColumn<int>("in_memory");
    QTest::addColumn<int>("on_device");
    for (const char* workers : {"cpu:1", "cpu:1,cpu:2", "emulated:0", "emulated:0,emulated:1,cpu:1"}) {
      QTest::addRow("%s, all in memory", workers) << workers << 64 << 64;
      QTest::addRow("%s, from the disk", workers) << workers << 14 << 64;
      QTest::addRow("%s, three on a device", workers) << workers << 64 << 3;
      QTest::addRow("%s, from the disk, three on a device", workers) << workers << 14 << 3;
    }
  }
  void contents_follow_the_borders() {
    QFETCH(QString, workers);
    QFETCH(int, in_memory);
    QFETCH(int, on_device);
    Team team(*parse_workers(workers.toStdString(), 3));
    auto store = PartWindows::create(std::vector<Bytes>(windows, window),
                                     {"numbers", {}, Bytes(in_memory) * window, Bytes(on_device) * window});
    Doubling doubling(*store, 3);
    for (int section = 0; section < 4; ++section) team.run(doubling);
    std::vector<double> all(static_cast<std::size_t>(windows * values));
    Collecting collecting(*store, all);
    team.run(collecting);
    const double expected = (1 << 12) - 1;  // 12 times 2 v + 1
    for (const double v : all) QCOMPARE(v, expected);
    if (in_memory < windows || on_device < 10) QVERIFY(store->take_streamed() > 0 || workers.startsWith("cpu"));
    // Told once. What the next pass would want still comes in behind the last one, then nothing moves any more.
    QTRY_COMPARE(store->take_streamed(), Bytes(0));
  }

  void what_has_room_does_not_move() {
    const std::vector<Bytes> sizes(windows, window);
    Team team(*parse_workers("cpu:1,cpu:1", 2));
    auto store = PartWindows::create(sizes, {"numbers", {}, PartWindows::enough(sizes), 0});
    Doubling doubling(*store, 2);
    team.run(doubling);
    QVERIFY(store->take_streamed() <= windows * window);  // zeros, once
    for (int section = 0; section < 4; ++section) team.run(doubling);
    QCOMPARE(store->take_streamed(), Bytes(0));
  }

  /// Each window's values are squared into an array beside them, of which a device has its own.
  void what_lies_beside_windows_comes_from_where_it_was_written_data() {
    QTest::addColumn<QString>("workers");
    for (const char* workers : {"cpu:1", "emulated:0", "emulated:0,emulated:1,cpu:1"})
      QTest::addRow("%s", workers) << workers;
  }
  void what_lies_beside_windows_comes_from_where_it_was_written() {
    QFETCH(QString, workers);
    Team team(*parse_workers(workers.toStdString(), 3));
    const std::vector<Bytes> sizes(windows, window);
    auto store = PartWindows::create(sizes, {"numbers", {}, PartWindows::enough(sizes), 0});
    std::vector<double> host(windows + 2, -1);
    BesideWindows<double> beside({&host[1], windows}, "squares");
    Beside section(*store, beside);
    team.run(section);
    QCOMPARE(host.front(), -1.0);
    QCOMPARE(host.back(), -1.0);
    for (Index w = 0; w < windows; ++w) QCOMPARE(host[static_cast<std::size_t>(w + 1)], static_cast<double>(w * w));
  }

  void a_plan_fits_and_says_what_it_takes() {
    ChosenTeam team;
    team.workers.assign(2, WorkerSpec{"cpu", 1, 1, {}, 0});
    constexpr Index items = 1000;
    constexpr Bytes item = 4096, all = items * item;
    for (const Bytes budget : {Bytes(1) << 30, all / 2, all / 10}) {
      const WindowPlan plan = plan_windows(items, item, budget, team);
      QVERIFY(plan.host <= budget && plan.device == 0);
      QCOMPARE(plan.bytes({0, plan.cut.windows()}), all);
      QVERIFY(plan.cut.windows() >= 16);  // eight a worker
      QVERIFY(plan.cut.sizes().front() * 12 <= std::max(budget, 12 * item));
      Estimate estimate;
      plan.add_to(estimate, "numbers", 0);
      QCOMPARE(estimate.host_memory, std::min(all, plan.host));
      QCOMPARE(estimate.disk, budget > all ? Bytes(0) : all);
      QCOMPARE(estimate.streams, std::string(budget > all ? "" : "numbers, between disk and memory"));
      auto store = PartWindows::create(plan.cut.sizes(), {"numbers", {}, plan.host, plan.device});
    }
    const WindowPlan none = plan_windows(0, item, 1 << 20, team);  // a rank without items
    QCOMPARE(none.cut.windows(), Index(0));
    QCOMPARE(none.bytes({0, 0}), Bytes(0));
  }

  void a_memory_that_is_too_small_is_an_error() {
    Team team(*parse_workers("emulated:0", 1));
    auto store = PartWindows::create(std::vector<Bytes>(windows, window), {"numbers", {}, 8 * window, window / 2});
    Doubling doubling(*store, 1);
    try {
      team.run(doubling);
      QFAIL("an error was expected");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::resources);
    }
  }
};

QTEST_APPLESS_MAIN(TestPartWindows)
#include "test_part_windows.moc"
