// SPDX-License-Identifier: BSD-3-Clause
// Rates are measured once, kept between starts where the machine was quiet, and never measured twice in one program.
// labels: unit
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/kept_values.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/rate_book.hpp"

using namespace conoid;

class TestRateBook : public QObject {
  Q_OBJECT
 private slots:
  void values_stay_until_they_are_replaced() {
    QTemporaryDir folder;
    const std::string cache = folder.filePath("cache").toStdString();
    const KeptValues kept("facts", cache);
    QVERIFY(!kept.recall("a | b"));
    kept.remember("a | b", "1 2 3");
    kept.remember("a", "4");
    QCOMPARE(*kept.recall("a | b"), std::string("1 2 3"));
    QCOMPARE(*KeptValues("facts", cache).recall("a"), std::string("4"));  // as another start would
    kept.remember("a | b", "5");
    QCOMPARE(*kept.recall("a | b"), std::string("5"));
    QVERIFY(!KeptValues("others", cache).recall("a"));
  }

  void a_damaged_file_is_no_error() {
    QTemporaryDir folder;
    QFile file(folder.filePath("facts"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("\n = \nno sign of equality\nk = v\n") + QByteArray(100'000, '\0'));
    file.close();
    const KeptValues kept("facts", folder.path().toStdString());
    QCOMPARE(*kept.recall("k"), std::string("v"));
    QVERIFY(!kept.recall("no sign of equality"));
    kept.remember("k", "w");
    QCOMPARE(*kept.recall("k"), std::string("w"));
  }

  void what_was_kept_is_not_measured_again() {
    QTemporaryDir folder;
    const std::string cache = folder.path().toStdString();
    // As an earlier start left it.
    KeptValues("rates", cache).remember(this_machine().processor + " | 3 threads | speed", "1.5e9 2");
    int measured = 0;
    const auto rates = kept_rates(
        "speed", 3,
        [&] {
          ++measured;
          return std::vector<double>{7, 7};
        },
        cache);
    QCOMPARE(measured, 0);
    QVERIFY(rates_are_kept("speed", 3, cache) && !rates_are_kept("speed", 2, cache));
    QCOMPARE(rates, (std::vector<double>{1.5e9, 2}));
  }

  void one_program_measures_once() {
    QTemporaryDir folder;
    int measured = 0;
    const auto measure = [&] {
      ++measured;
      return 100.0 + measured;
    };
    for (int k = 0; k < 3; ++k) QCOMPARE(kept_rate("speed", 1, measure, folder.path().toStdString()), 101.0);
    QCOMPARE(measured, 1);
  }

  void a_rate_under_load_is_not_kept() {
    QTemporaryDir folder;
    const std::string cache = folder.path().toStdString();
    const int more = this_machine().cores + 1;  // threads than cores: never quiet
    QVERIFY(!machine_is_quiet(more));
    QCOMPARE(kept_rate(
                 "speed", more, [] { return 5.0; }, cache),
             5.0);
    QVERIFY(!QFile::exists(folder.filePath("rates")));
    QVERIFY(!rates_are_kept("speed", more, cache));
    // And no estimate is scaled by one: of more threads than there are cores nothing is kept, and they are never quiet.
    QVERIFY(!machine_rates_hold(more));
  }

  void nothing_measured_is_asked_for_again() {
    QTemporaryDir folder;
    const std::string cache = folder.path().toStdString();
    QCOMPARE(kept_rate(
                 "speed", 1, [] { return 0.0; }, cache),
             0.0);
    QCOMPARE(kept_rate(
                 "speed", 1, [] { return 3.0; }, cache),
             3.0);
  }
};

QTEST_APPLESS_MAIN(TestRateBook)
#include "test_rate_book.moc"
