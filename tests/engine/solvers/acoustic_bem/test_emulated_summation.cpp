// SPDX-License-Identifier: BSD-3-Clause
// The device kernels on the emulated device, checked and not, equal plain sums; a processor and devices share slices.
// labels: unit emulated
#include "conoid/config.hpp"
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
  void wide_marks() { sums_are_right<float>("emulated", 8, {45, 33, 3000, 90}, Bytes{1} << 28, false); }

  /// What does not fit passes through.
  void slabs_pass_through() { sums_are_right<double>("emulated", 4, {97, 300, 83, 21}, 3 << 20, true); }

  void checked() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    sums_are_right<float>("emulated-checked", 8, {45, 35, 41, 9}, Bytes{1} << 28, false);
    sums_are_right<double>("emulated-checked", 2, {33, 67, 41, 9}, Bytes{1} << 28, false);
    blocks_are_right<float>("emulated-checked", 4, 16, {45, 12, 41, 9});
  }

  void published_blocks() {
    for (int width : {16, 32, 64, 128}) {
      blocks_are_right<float>("emulated", 8, width, {133, 23, 211, 15});
      blocks_are_right<double>("emulated", 4, width, {133, 23, 211, 15});
    }
    blocks_are_right<float>("emulated", 16, 32, {65, 9, 50, 15});
  }

  void too_little_memory_is_a_sentence() {
    std::mt19937 random(1);
    const auto slices = random_slices<float>(301, 131, 83, 21, random);
    try {
      DeviceSummation<float>(open_device("emulated"), slices, 8, 1 << 20);
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
