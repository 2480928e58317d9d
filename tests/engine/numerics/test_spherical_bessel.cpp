// SPDX-License-Identifier: BSD-3-Clause
// Spherical Bessel functions obey their Wronskian at all orders, also at arguments at which the C++ library's do not.
// labels: unit
#include <QTest>

#include <cmath>
#include <numbers>

#include "engine/numerics/spherical_bessel.hpp"

using conoid::spherical_bessel;

class TestSphericalBessel : public QObject {
  Q_OBJECT
 private slots:
  /// j_{l+1} y_l − j_l y_{l+1} = 1/x² (Abramowitz & Stegun 10.1.31) joins both families; round-off grows with the orders that recurrences pass.
  void wronskians_hold() {
    const auto worst = [](double x, int most) {
      const auto b = spherical_bessel(x, most);
      double out = 0;
      for (std::size_t l = 0; l + 1 <= static_cast<std::size_t>(most) && std::abs(b.y[l + 1]) < 1e290; ++l)
        out = std::max(out, std::abs((b.j[l + 1] * b.y[l] - b.j[l] * b.y[l + 1]) * x * x - 1));
      return out;
    };
    for (double x = 1e-6; x < 300; x *= 1.01)
      for (const int most : {1, 2, 30, 400})
        QVERIFY2(worst(x, most) < 1e-12 * (1 + x),
                 qPrintable(QString("%1 up to %2: %3").arg(x).arg(most).arg(worst(x, most))));
    // Zeros of j_0 and y_0, and the numbers beside them; the second one above π/2 is where std::sph_bessel goes astray.
    for (int quarter = 1; quarter < 60; ++quarter) {
      double x = quarter * std::numbers::pi / 2;
      for (int k = 0; k < 4; ++k) x = std::nextafter(x, 0.0);
      for (int k = 0; k < 9; ++k, x = std::nextafter(x, 1e3))
        QVERIFY2(worst(x, 40) < 1e-12 * (1 + x), qPrintable(QString::number(x, 'g', 17)));
    }
  }

  void values_are_those_of_series_and_closed_forms() {
    // j_2 = (3/x³ − 1/x) sin x − 3/x² cos x; y_2 with cosine and sine exchanged.
    for (const double x : {0.7, 3.0, 12.5, 140.0}) {
      const auto b = spherical_bessel(x, 2);
      const double s = std::sin(x), c = std::cos(x), size = std::hypot(b.j[2], b.y[2]);
      QVERIFY(std::abs(b.j[2] - ((3 / (x * x) - 1) * s - 3 / x * c) / x) < 1e-13 * size);
      QVERIFY(std::abs(b.y[2] - (-(3 / (x * x) - 1) * c - 3 / x * s) / x) < 1e-13 * size);
    }
    // x^l / (2l + 1)!! (1 − x²/2 / (2l + 3) + …), A&S 10.1.2.
    const double x = 0.01;
    const auto b = spherical_bessel(x, 8);
    double power = 1;
    for (std::size_t l = 0; l <= 8; ++l) {
      const double two = 2.0 * static_cast<double>(l);
      QVERIFY(std::abs(b.j[l] / (power * (1 - x * x / 2 / (two + 3) + std::pow(x, 4) / 8 / (two + 3) / (two + 5))) -
                       1) < 1e-13);
      power *= x / (two + 3);
    }
    QCOMPARE(spherical_bessel(2, 0).j.size(), std::size_t{1});
  }
};

QTEST_APPLESS_MAIN(TestSphericalBessel)
#include "test_spherical_bessel.moc"
