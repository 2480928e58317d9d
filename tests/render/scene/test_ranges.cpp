// SPDX-License-Identifier: BSD-3-Clause
// The range of colours of a big field, which is counted, is that of its sorted values.
// labels: unit
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "render/scene/field_values.hpp"
#include "render/scene/ticks.hpp"

using namespace conoid;

class TestRanges : public QObject {
  Q_OBJECT

 private slots:
  void a_wave_is_seen_after_its_loud_beginning() {
    using Range = std::pair<double, double>;
    QVERIFY(!range_over_frames({}));
    QCOMPARE(*range_over_frames({{-2, 2}}), (Range{-2, 2}));
    // A wave from a point: 1/r. The loudest quarter saturates.
    std::vector<Range> wave;
    for (int n = 1; n <= 8; ++n) wave.emplace_back(-8.0 / n, 8.0 / n);
    QCOMPARE(*range_over_frames(wave), (Range{-4, 4}));
    std::reverse(wave.begin(), wave.end());
    QCOMPARE(*range_over_frames(wave), (Range{-4, 4}));
    // However loud the beginning was: what comes later would be seen as nothing otherwise.
    QCOMPARE(*range_over_frames({{-8, 8}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}}), (Range{-1, 1}));
    // Anything else: all of it.
    QCOMPARE(*range_over_frames({{0, 1}, {0, 7}, {0, 2}, {0, 2}, {0, 1}}), (Range{0, 7}));
    QCOMPARE(*range_over_frames({{-3, 3}, {-1, 5}}), (Range{-3, 5}));
  }

  void counting_agrees_with_sorting() {
    std::mt19937 random(11);
    for (const double size : {1.0, 3e-40, 2e30})  // ordinary, subnormal, large
      for (const std::size_t n : {std::size_t{5000}, std::size_t{600011}}) {
        // A narrow front in a quiet field: most values lie under the hundredth of the largest that is left out.
        std::vector<float> values(n);
        std::normal_distribution<double> noise(0, 1e-4);
        for (std::size_t i = 0; i < n; ++i)
          values[i] = static_cast<float>(size * (i % 50 == 0 ? std::sin(static_cast<double>(i)) : noise(random)));
        std::vector<double> kept;
        double largest = 0;
        for (const float v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
        for (const float v : values)
          if (std::abs(static_cast<double>(v)) >= 0.01 * largest) kept.push_back(std::abs(static_cast<double>(v)));
        std::sort(kept.begin(), kept.end());
        values[7] = std::numeric_limits<float>::quiet_NaN();
        values[9] = std::numeric_limits<float>::infinity();
        for (const double percent : {50.0, 90.0, 99.0}) {
          const double exact =
              kept[static_cast<std::size_t>(percent / 100 * static_cast<double>(kept.size() - 1) + 0.5)];
          const auto [low, high] = robust_range(values, FieldKind::signed_value, percent);
          QCOMPARE(low, -high);
          // One count is 1/16384 of the largest wide.
          QVERIFY2(
              high >= round_up(exact) * (1 - 1e-9) && high <= round_up(exact + largest / 16384 * 1.001) * (1 + 1e-9),
              qPrintable(QString("%1 values, %2 %: %3 for %4").arg(n).arg(percent).arg(high).arg(exact)));
        }
      }
  }

  void plain_values_are_shared() {
    FieldInfo info;
    info.name = "p";
    const Field plain = make_field(info, {1, 2, 3});
    QVERIFY(shared_values(plain, 3, {}).value() == plain.values);
    QVERIFY(!shared_values(plain, 4, {}).ok());  // of another length
    info.components = 3;
    const Field vector = make_field(info, {3, 4, 0});
    QCOMPARE(*shared_values(vector, 1, {}).value(), std::vector<float>{5});
  }
};

QTEST_APPLESS_MAIN(TestRanges)
#include "test_ranges.moc"
