// SPDX-License-Identifier: BSD-3-Clause
// The device kernels on the emulated device, checked and not, equal plain sums; a processor and devices share slices.
// labels: unit emulated
#include <filesystem>

#include "conoid/config.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/device_memory.hpp"
#include "engine/team/team.hpp"
#include "engine/window/disk_windows.hpp"
#include "tests/engine/solvers/acoustic_bem/device_cases.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using namespace conoid::acoustic_bem::device_cases;

class TestEmulatedSummation : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { configure_emulated({}); }

  void ragged_blocks_data() {
    QTest::addColumn<int>("steps");
    for (int steps : {1, 2, 4, 8, 16, 32}) QTest::addRow("n_g = %d", steps) << steps;
  }
  void ragged_blocks() {
    QFETCH(int, steps);
    sums_are_right<float>("emulated", steps, {131, 67, 83, 21}, Bytes{1} << 28, false);
    sums_are_right<double>("emulated", steps, {45, 70, 100, 30}, Bytes{1} << 28, false);
  }

  /// Starts that differ by more than the narrow marks tell.
  /// Near clusters alone: most pieces of 64 rows are empty, and are neither kept nor visited. Rows that nobody sends anything, slices that
  /// nobody hears, holes of a few slices and of many.
  void far_clusters_leave_holes() {
    const auto near = [](Index row, Index slice) {
      if (row >= 128 && row < 192) return false;
      if (slice >= 200 && slice < 275) return slice == 230 && row < 5;
      return std::abs(row / 40 - slice / 40) <= 1 && slice % 40 != 7 && (slice < 300 || slice > 310);
    };
    const Shape shape{331, 350, 41, 9};
    for (const int steps : {1, 8, 32}) sums_are_right<float>("emulated", steps, shape, Bytes{1} << 28, false, near);
    sums_are_right<double>("emulated", 8, shape, Bytes{1} << 28, false, near);
    sums_are_right<float>("emulated", 8, {331, 350, 41, 9}, Bytes{1} << 28, false, [](Index, Index) { return false; });
    if (CONOID_HAVE_EMULATED_CHECKED != 0)
      sums_are_right<float>("emulated-checked", 8, {131, 135, 41, 9}, Bytes{1} << 28, false,
                            [](Index row, Index slice) { return std::abs(row - slice) < 12; });
  }
  void wide_marks() { sums_are_right<float>("emulated", 8, {45, 33, 3000, 90}, Bytes{1} << 28, false); }

  /// What does not fit passes through.
  void slabs_pass_through() {
    sums_are_right<double>("emulated", 4, {97, 300, 83, 21}, 3 << 20, true);
    sums_are_right<float>("emulated", 16, {97, 300, 83, 21}, 2 << 20, true);
  }

  void checked() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    sums_are_right<float>("emulated-checked", 8, {45, 35, 41, 9}, Bytes{1} << 28, false);
    sums_are_right<double>("emulated-checked", 2, {33, 67, 41, 9}, Bytes{1} << 28, false);
    sums_are_right<float>("emulated-checked", 16, {33, 35, 41, 9}, Bytes{1} << 28, false);
    blocks_are_right<float>("emulated-checked", 4, 16, {45, 12, 41, 9});
  }

  void published_blocks() {
    for (int width : {16, 32, 64, 128}) {
      blocks_are_right<float>("emulated", 8, width, {133, 23, 211, 15});
      blocks_are_right<double>("emulated", 4, width, {133, 23, 211, 15});
    }
    blocks_are_right<float>("emulated", 16, 32, {65, 9, 50, 15});
  }

  /// A level of windows on a device over one of the host over a file: what was written on the host comes back, and what was
  /// changed on the device reaches the file.
  void windows_pass_disk_host_and_device() {
    const Device device = open_device("emulated");
    const auto memory = window_memory_of(device);
    constexpr Bytes page = 4096;
    const std::vector<Bytes> sizes(12, 2 * page);
    auto disk = DiskWindows::create(sizes, {.name = "test",
                                            .file = std::filesystem::temp_directory_path() / "levels",
                                            .budget = 8 * page,
                                            .memory = memory->staging()});
    QVERIFY(disk.ok());
    for (Index w = 0; w < 12; ++w) {
      auto lease = (*disk)->acquire(w, Access::write);
      QVERIFY(lease.ok());
      for (float& v : lease->write<float>()) v = static_cast<float>(w);
    }
    QVERIFY((*disk)->flush().ok());
    const auto there = device_windows(**disk, memory, 8 * page);
    Stream stream = device.stream();
    auto ones = device.allocate<float>(2 * page / 4, "ones");
    const std::vector<float> one(2 * page / 4, 1.0F);
    stream.to_device(ones, one);
    stream.synchronize();
    const auto gather = device.kernel<GatherArguments>("acoustic-bem/gather<float>");
    auto sums = device.allocate<double>(2 * page / 4, "sums");
    for (int round = 0; round < 2; ++round) {
      Tour tour = there->announce(Interval{0, 12}, Access::read);
      for (Index w = 0; w < 12; ++w) {
        auto lease = tour.next();
        QVERIFY(lease.ok());
        std::vector<double> got(2 * page / 4);
        stream.launch(gather, {.grid = {8, 1, 1}, .block = {256, 1, 1}},
                      {lease->bytes().data(), sums.data(), static_cast<std::int64_t>(got.size()), 1});
        stream.to_host(got, sums);
        stream.synchronize();
        for (const double v : got) QCOMPARE(v, static_cast<double>(w));
      }
    }
    QVERIFY(there->statistics().peak <= 8 * page);
    QVERIFY(there->statistics().loads > 12);  // 4 of 12 fit
  }

  /// Slices whose values live on the disk, on a processor and on devices that hold all or little: one answer.
  void devices_share_streamed_slices() {
    Team one({{"cpu", 2, 1}});
    const Surface surface = unit_sphere(8);  // three by three windows
    const Form form = form_for(surface, FormName::NC);
    const auto assembled = [&](Bytes windows) {
      Assembly assembly(surface, form, {});
      NoProgress quiet;
      assembly.find_extents(one, quiet, {}).or_throw();
      if (windows > 0)
        assembly.stream_values([=] { return windows; }, std::filesystem::temp_directory_path() / "slices");
      return std::move(*assembly.assemble<double>(one, quiet, {}));
    };
    const Matrices<double> whole = assembled(0);
    const Index n = whole.slices.count();
    const int steps = 8;
    std::mt19937 random(3);
    History<double> history(n, whole.slices.columns(), steps);
    go_on(history, n, steps, 6, random);
    std::vector<double> want;
    Summation<double>("whole", whole.slices, steps).add_up(one, std::span(&history, 1), 0, want);
    double peak = 0;
    for (const double v : want) peak = std::max(peak, std::abs(v));
    // Six of nine windows: a slab needs a column of three at a time, a thread of the processor one, and one more comes.
    const Matrices<double> streamed = assembled(whole.slices.bytes({0, n}) / 3 * 2);
    for (const Bytes memory : {Bytes{0}, Bytes{12} << 20})
      for (const char* names : {"emulated", "emulated,cpu"}) {
        auto workers = parse_workers(names, 2);
        QVERIFY(workers.ok());
        for (WorkerSpec& w : *workers) w.device_memory = w.device.empty() ? 0 : memory;
        Team team(*workers);
        Summation<double> summation("streamed", streamed.slices, steps);
        for (int pass = 0; pass < 2; ++pass) {
          std::vector<double> got;
          summation.add_up(team, std::span(&history, 1), 0, got);
          QCOMPARE(got.size(), want.size());
          for (std::size_t k = 0; k < want.size(); ++k) QVERIFY(std::abs(got[k] - want[k]) <= 1e-13 * peak);
        }
      }
    QVERIFY(streamed.slices.store().windows().statistics().loads > 9);  // more than once each
  }

  /// A march whose slices outgrow host and device, to its end: from the disk through both it takes the bits it takes when the host
  /// holds them all; and it is that of processors that hold them, but for the order of sums.
  void a_march_from_the_disk_through_host_and_device() {
    const Surface surface = unit_sphere(8);
    const Form form = form_for(surface, FormName::NC);
    Team processors({{"cpu", 2, 1}});
    Bytes total = 0;
    const auto assembled = [&](bool streams) {
      Assembly assembly(surface, form, {});
      NoProgress quiet;
      assembly.find_extents(processors, quiet, {}).or_throw();
      // A column of three windows is leased at a time, and one more comes.
      if (streams)
        assembly.stream_values([&] { return total / 9 * 5; }, std::filesystem::temp_directory_path() / "slices");
      return std::move(*assembly.assemble<double>(processors, quiet, {}));
    };
    const auto marched = [](Matrices<double> m, Team& team) {
      March<double> march(std::move(m), {.steps = 8, .runs = 1});
      std::vector<double> out;
      for (int group = 0; group < 3; ++group)
        march.advance(
            team,
            [](Index n, Index, std::span<double> v) {
              for (std::size_t i = 0; i < v.size(); ++i)
                v[i] = std::sin(0.37 * static_cast<double>(n) + 0.11 * static_cast<double>(i)) *
                       std::exp(-0.1 * static_cast<double>(n));
            },
            [&](Index) { out.insert(out.end(), march.current(0).begin(), march.current(0).end()); });
      return out;
    };
    Matrices<double> whole = assembled(false);
    total = whole.slices.bytes({0, whole.slices.count()});
    const auto want = marched(std::move(whole), processors);
    auto workers = parse_workers("emulated", 2);
    QVERIFY(workers.ok());
    workers->front().device_memory = Bytes{12} << 20;
    QVERIFY(workers->front().device_memory < total / 2);
    Team from_host(*workers), from_disk(*workers);
    const auto passed = marched(assembled(false), from_host);
    Matrices<double> streamed = assembled(true);
    const auto kept = std::make_shared<Slices<double>>(streamed.slices);  // shares the store
    QVERIFY(marched(std::move(streamed), from_disk) == passed);
    const WindowStatistics s = kept->store().windows().statistics();
    QVERIFY(s.peak < total * 2 / 3);
    QVERIFY(s.loads > 3 * 4);  // in every pass what the host cannot keep
    double peak = 0, worst = 0;
    for (std::size_t k = 0; k < want.size(); ++k) {
      peak = std::max(peak, std::abs(want[k]));
      worst = std::max(worst, std::abs(passed[k] - want[k]));
    }
    QVERIFY2(worst <= 1e-12 * peak, qPrintable(QString::number(worst / peak)));
  }

  void too_little_memory_is_a_sentence() {
    std::mt19937 random(1);
    const auto slices = random_slices<float>(301, 131, 83, 21, random);
    try {
      DeviceSummation<float>(open_device("emulated"), slices, 8, 1 << 20, CpuWorker(1));
      QFAIL("must not fit");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::resources);
      QVERIFY2(failure.error().text.find("two slabs") != std::string::npos, failure.what());
    }
  }

  /// One processor and two devices of a team; the borders move between passes.
  void a_team_shares_slices() {
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    auto workers = parse_workers("emulated,cpu", 3);
    QVERIFY(workers.ok());
    QCOMPARE(workers->size(), std::size_t{3});
    Team team(*workers);
    std::mt19937 random(5);
    const Index rows = 301, count = 231;
    const int steps = 8;
    const auto slices = random_slices<double>(rows, count, 83, 21, random);
    History<double> history(count, slices.columns(), steps);
    Summation<double> summation("summation", slices, steps);
    const double limit = tolerance<double>(static_cast<double>(count) * 21);
    for (int pass = 0; pass < 6; ++pass) {
      go_on(history, count, steps, 1, random);
      std::vector<double> got;
      summation.add_up(team, std::span(&history, 1), 0, got);
      const auto want = plain_sums(slices, {0, count}, history, steps, 0);
      QCOMPARE(got.size(), want.size());
      for (std::size_t k = 0; k < want.size(); ++k) QVERIFY(std::abs(got[k] - want[k]) <= limit);
    }
    const auto samples = team.take_samples();
    QCOMPARE(samples.size(), std::size_t{18});
    for (const auto& s : samples) QVERIFY(s.pass > 0 || !s.items.empty());
  }
};

QTEST_GUILESS_MAIN(TestEmulatedSummation)
#include "test_emulated_summation.moc"
