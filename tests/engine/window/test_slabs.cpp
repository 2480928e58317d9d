// SPDX-License-Identifier: BSD-3-Clause
// Which planes of a grid each window holds.
// labels: unit
// links: conoid_window
#include "engine/window/slabs.hpp"

#include <QTest>

using namespace conoid;

class TestSlabs : public QObject {
  Q_OBJECT
 private slots:
  void layout() {
    const SlabLayout slabs{.planes = 10, .plane_bytes = 100, .per_window = 4};
    QCOMPARE(slabs.windows(), Index{3});
    QCOMPARE(slabs.sizes().back(), Bytes{200});
    QVERIFY((slabs.planes_of(2) == Interval{8, 10}));
  }
};

QTEST_APPLESS_MAIN(TestSlabs)
#include "test_slabs.moc"
