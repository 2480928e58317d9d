// SPDX-License-Identifier: BSD-3-Clause
// Rates that are shown, and what a summary divides by the time of the march.
// labels: unit
#include <thread>

#include <QTest>

#include "engine/session/progress_tracker.hpp"

using namespace conoid;
using namespace std::chrono_literals;

class TestProgressTracker : public QObject {
  Q_OBJECT
 private slots:
  void all_items_count_not_the_last_ones() {
    ProgressTracker tracker;
    tracker.begin("march", 10, "steps");
    tracker.computed(1000, "cells");
    tracker.computed(10, "cells");
    tracker.end();
    tracker.begin("march", 10, "steps");  // the next shot
    tracker.computed(1000, "cells");
    QCOMPARE(tracker.items(), 2010.0);
    QCOMPARE(tracker.item_name(), std::string("cells"));
  }

  void the_rate_shown_is_of_this_phase() {
    ProgressTracker tracker;
    tracker.begin("march", 10, "steps");
    std::this_thread::sleep_for(50ms);
    tracker.computed(1000, "cells");
    const double rate = tracker.state().items_per_second;
    QVERIFY2(rate > 0 && rate <= 1000 / 0.05, qPrintable(QString::number(rate)));
    tracker.begin("finish", 0, "");
    QCOMPARE(tracker.state().items_per_second, 0.0);
  }
};

QTEST_APPLESS_MAIN(TestProgressTracker)
#include "test_progress_tracker.moc"
