// SPDX-License-Identifier: BSD-3-Clause
// Ticks are round, lie inside, carry one prefix, and never flood.
// labels: unit
#include <QTest>

#include <cmath>
#include <random>

#include "render/scene/ticks.hpp"

using namespace conoid;

class TestTicks : public QObject {
  Q_OBJECT

 private slots:
  void ticks_are_inside_and_few() {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> exponent(-12, 12);
    std::uniform_real_distribution<double> part(-1, 1);
    for (int i = 0; i < 2000; ++i) {
      const double size = std::pow(10.0, exponent(random));
      double a = size * part(random);
      double b = size * part(random);
      if (a > b) std::swap(a, b);
      const auto set = tidy_ticks(a, b, 6, "Pa");
      QVERIFY(set.ticks.size() <= 6 && !set.ticks.empty());
      for (const auto& tick : set.ticks) QVERIFY(tick.value >= a - 1e-5 * (b - a) && tick.value <= b + 1e-5 * (b - a));
    }
  }

  void units_take_prefixes_or_powers() {
    const auto pressure = tidy_ticks(-3e-3, 3e-3, 7, "Pa");
    QCOMPARE(pressure.unit, std::string("mPa"));
    QCOMPARE(pressure.ticks.front().label, std::string("−3"));
    QCOMPARE(pressure.ticks[3].label, std::string("0"));
    QCOMPARE(tidy_ticks(0, 4e-6, 5, "m^2").unit, std::string("×10⁻⁶ m²"));
    QCOMPARE(tidy_ticks(0, 90, 5, "deg").unit, std::string("°"));
    QCOMPARE(tidy_ticks(0, 1, 5, "1").unit, std::string());
    QCOMPARE(readable(2.4e9, "Hz"), std::string("2.4 GHz"));
    QCOMPARE(readable(NAN, "Hz"), std::string("no value"));
    QCOMPARE(axis_title("Pressure", "mPa"), std::string("Pressure [mPa]"));
  }

  void impossible_ranges_give_none() {
    QVERIFY(tidy_ticks(1, 1, 5, "m").ticks.empty());
    QVERIFY(tidy_ticks(NAN, 1, 5, "m").ticks.empty());
    QVERIFY(tidy_ticks(0, INFINITY, 5, "m").ticks.empty());
    QVERIFY(log_ticks(2, 1, 5, "m").ticks.empty());
  }

  void logarithmic_ticks_are_powers() {
    const auto set = log_ticks(-9, 0.2, 6, "1");
    QVERIFY(set.ticks.size() <= 6 && set.ticks.size() >= 3);
    QCOMPARE(set.ticks.front().label, std::string("10⁻⁹"));
  }

  void rounding_up_never_goes_down() {
    for (double v = 1e-7; v < 1e7; v *= 1.37) {
      const double up = round_up(v);
      QVERIFY(up >= v * (1 - 1e-8) && up <= 1.35 * v);
    }
  }
};

QTEST_APPLESS_MAIN(TestTicks)
#include "test_ticks.moc"
