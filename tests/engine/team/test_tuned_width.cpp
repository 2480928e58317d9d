// SPDX-License-Identifier: BSD-3-Clause
// The width of a short section is found from times alone, and found again when the machine changes.
// labels: unit
// links: conoid_team
#include <atomic>
#include <cmath>
#include <random>

#include <QTest>

#include "engine/team/together.hpp"
#include "engine/team/tuned_width.hpp"

using namespace conoid;

namespace {

/// Seconds of a section of so much work on w threads that meet at barriers; up to a fifth more by chance.
double seconds(int w, double work, double barrier, std::mt19937& random) {
  const double meet = w == 1 ? 0 : barrier * (1 + std::log2(w));
  return (work / w + meet) * std::uniform_real_distribution(1.0, 1.2)(random);
}

int best_of(int most, double work, double barrier) {
  int best = 1;
  double least = work;
  for (int w = most; w > 1; w = (w + 1) / 2) {
    const double t = work / w + barrier * (1 + std::log2(w));
    if (t < least) {
      least = t;
      best = w;
    }
  }
  return best;
}

}  // namespace

class TestTunedWidth : public QObject {
  Q_OBJECT

 private slots:
  void the_quickest_width_is_found_data() {
    QTest::addColumn<int>("most");
    QTest::addColumn<double>("work");
    QTest::addColumn<double>("barrier");
    QTest::newRow("one thread") << 1 << 50e-6 << 1e-6;
    QTest::newRow("long work: all") << 16 << 1e-2 << 1e-6;
    QTest::newRow("short work: alone") << 16 << 20e-6 << 20e-6;
    QTest::newRow("between") << 16 << 100e-6 << 8e-6;
    QTest::newRow("an odd number of threads") << 13 << 100e-6 << 8e-6;
    QTest::newRow("two") << 2 << 100e-6 << 1e-6;
  }
  void the_quickest_width_is_found() {
    QFETCH(const int, most);
    QFETCH(const double, work);
    QFETCH(const double, barrier);
    std::mt19937 random(7);
    TunedWidth width(most);
    QCOMPARE(width.width(), most);  // before anything is known
    double spent = 0, ideal = 0;
    constexpr int calls = 4000;
    const int best = best_of(most, work, barrier);
    for (int i = 0; i < calls; ++i) {
      QVERIFY(width.width() >= 1 && width.width() <= most);
      const double t = seconds(width.width(), work, barrier, random);
      width.took(3 * t, 3);
      spent += t;
      ideal += seconds(best, work, barrier, random);
    }
    // Neighbours may differ by less than the noise: judged by the time that it costs.
    QVERIFY2(spent < 1.08 * ideal, qPrintable(QString("%1 of %2, at %3").arg(spent).arg(ideal).arg(width.best())));
  }

  void a_machine_that_fills_up_is_noticed() {
    std::mt19937 random(3);
    TunedWidth width(16);
    const auto run = [&](int calls, double barrier) {
      for (int i = 0; i < calls; ++i) width.took(seconds(width.width(), 2e-3, barrier, random));
      return width.best();
    };
    QCOMPARE(run(500, 1e-6), 16);
    QVERIFY(run(4000, 5e-3) <= 2);
    QCOMPARE(run(6000, 1e-6), 16);
  }

  void calls_without_work_say_nothing() {
    TunedWidth width(8);
    for (int i = 0; i < 100; ++i) width.took(1, 0);
    QCOMPARE(width.width(), 8);
  }

  void sections_of_any_width_are_run_by_so_many() {
    const CpuWorker worker(5);
    for (const int wanted : {5, 1, 3, 2, 5}) {
      std::atomic<int> seen{0}, told{0};
      run_together(worker, wanted, [&](Together& all, int thread) {
        seen.fetch_or(1 << thread);
        told = all.threads();
        all.wait();
      });
      QVERIFY(told >= 1 && told <= wanted);
      QCOMPARE(seen.load(), (1 << told.load()) - 1);
    }
  }
};

QTEST_GUILESS_MAIN(TestTunedWidth)
#include "test_tuned_width.moc"
