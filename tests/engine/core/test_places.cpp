// SPDX-License-Identifier: BSD-3-Clause
// Lengths and angles between places are exact to rounding, also where the angle is all but nothing or straight.
// labels: unit
#include "engine/core/place.hpp"

#include <QTest>
#include <array>
#include <cmath>
#include <numbers>

using namespace conoid;

class TestPlaces : public QObject {
  Q_OBJECT

 private slots:
  void lengths_and_angles() {
    const std::array<Vec3, 3> corner{Vec3{1, 1, 1}, Vec3{1, 1, 4}, Vec3{5, 1, 4}};
    const Ruler right = measure(corner);
    QCOMPARE(right.length, 3.0);
    QCOMPARE(right.second_leg, 4.0);
    QCOMPARE(right.apart, (Vec3{0, 0, 3}));
    QVERIFY(std::abs(*right.angle - std::numbers::pi / 2) < 1e-15);
    QVERIFY(!measure(std::span(corner).first(2)).angle);
    QCOMPARE(measure(std::span(corner).first(1)).length, 0.0);
    const std::array<Vec3, 3> none{Vec3{1, 2, 3}, Vec3{1, 2, 3}, Vec3{0, 0, 0}};
    QVERIFY(!measure(none).angle);
  }

  void angles_near_none_and_straight_keep_their_digits() {
    // Unit vectors carry 2⁻⁵³, so the angle is good to a few of these: arccos would be wrong by 1e-8.
    for (const double a : {1e-9, 1e-5, 0.1, 1.0, 2.0, 3.0}) {
      const std::array<Vec3, 3> places{Vec3{1, 0, 0}, Vec3{0, 0, 0}, Vec3{2 * std::cos(a), 2 * std::sin(a), 0}};
      QVERIFY2(std::abs(*measure(places).angle - a) < 1e-15, qPrintable(QString::number(a)));
      const std::array<Vec3, 3> back{Vec3{-1, 0, 0}, Vec3{0, 0, 0}, places[2]};
      QVERIFY(std::abs(*measure(back).angle - (std::numbers::pi - a)) < 1e-15);
    }
  }
};

QTEST_APPLESS_MAIN(TestPlaces)
#include "test_places.moc"
