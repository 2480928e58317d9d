// SPDX-License-Identifier: BSD-3-Clause
// Thinned curves keep their extremes, their ends and their gaps, and stay small.
// labels: unit
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

#include "render/chart/thinning.hpp"

using namespace conoid;

class TestThinning : public QObject {
  Q_OBJECT

 private slots:
  void extremes_of_every_column_survive() {
    std::mt19937 random(7);
    std::normal_distribution<double> noise;
    for (const int columns : {1, 37, 640}) {
      const std::size_t n = 100003;
      std::vector<double> x(n);
      std::vector<double> y(n);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<double>(i) / (n - 1);
        y[i] = std::sin(2000 * x[i]) + 0.1 * noise(random);
      }
      const auto thin = thin_columns(x, y, 0, 1, columns);
      QVERIFY(thin.size() <= static_cast<std::size_t>(4 * columns + 8));
      const auto column = [&](double at) { return std::min(static_cast<int>(at * columns), columns - 1); };
      std::vector<std::pair<double, double>> full(static_cast<std::size_t>(columns), {1e9, -1e9});
      auto kept = full;
      for (std::size_t i = 0; i < n; ++i) {
        auto& f = full[static_cast<std::size_t>(column(x[i]))];
        f = {std::min(f.first, y[i]), std::max(f.second, y[i])};
      }
      for (const auto& p : thin) {
        auto& k = kept[static_cast<std::size_t>(column(p.x))];
        k = {std::min(k.first, p.y), std::max(k.second, p.y)};
      }
      QVERIFY(full == kept);
      QCOMPARE(thin.front().x, x.front());
      QCOMPARE(thin.back().x, x.back());
    }
  }

  void a_zoomed_curve_reaches_the_edges() {
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i <= 10; ++i) x.push_back(i), y.push_back(i * i);
    const auto thin = thin_columns(x, y, 3.2, 6.7, 500);
    QCOMPARE(thin.front().x, 3.0);
    QCOMPARE(thin.back().x, 7.0);
  }

  void gaps_stay_gaps() {
    const std::vector<double> x = {0, 1, 2, 3, 4, 5};
    const std::vector<double> y = {0, 1, NAN, NAN, 4, 5};
    const auto thin = thin_columns(x, y, 0, 5, 3);
    QCOMPARE(std::count_if(thin.begin(), thin.end(), [](const ThinPoint& p) { return std::isnan(p.y); }), 1);
  }

  void curves_that_turn_back_are_left_alone() {
    const std::vector<double> x = {0, 2, 1, 3};
    const std::vector<double> y = {1, 2, 3, 4};
    QCOMPARE(thin_columns(x, y, 0, 3, 1).size(), std::size_t{4});
    QVERIFY(thin_columns({}, {}, 0, 1, 10).empty());
  }
};

QTEST_APPLESS_MAIN(TestThinning)
#include "test_thinning.moc"
