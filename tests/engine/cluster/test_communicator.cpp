// SPDX-License-Identifier: BSD-3-Clause
// Ranks exchange halos, reduce in a fixed order, and gather unequal blocks.
// labels: mpi3
#include <QTest>

#include "engine/cluster/communicator.hpp"

using namespace conoid;

class TestCommunicator : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    auto made = world();
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().text.c_str());
    world_ = std::move(made).value();
    QCOMPARE(world_->size(), 3);
  }
  void reductions() {
    const double r = world_->rank();
    QCOMPARE(world_->sum(r + 0.1), 3.3);
    QCOMPARE(world_->minimum(-r), -2.0);
    QCOMPARE(world_->maximum(r), 2.0);
    QCOMPARE(world_->from_root(world_->rank() + 5), 5);
  }
  void halos() {
    const int r = world_->rank();
    const std::vector<double> low(5, 10.0 * r);
    const std::vector<double> high(5, 10.0 * r + 1);
    std::vector<double> from_low(5, -1);
    std::vector<double> from_high(5, -1);
    for (int round = 0; round < 3; ++round) {
      world_->start_exchange(std::as_bytes(std::span(low)), std::as_bytes(std::span(high)),
                             std::as_writable_bytes(std::span(from_low)), std::as_writable_bytes(std::span(from_high)));
      world_->finish_exchange();
      QCOMPARE(from_low[3], r > 0 ? 10.0 * (r - 1) + 1 : -1.0);
      QCOMPARE(from_high[3], r < 2 ? 10.0 * (r + 1) : -1.0);
    }
  }
  void gathering() {
    const std::vector<int> mine(static_cast<std::size_t>(world_->rank() * 2), world_->rank());
    const auto all = world_->gather_values<int>(mine, 1);
    if (world_->rank() == 1)
      QCOMPARE(all, (std::vector<int>{1, 1, 2, 2, 2, 2}));
    else
      QVERIFY(all.empty());
  }

 private:
  std::unique_ptr<Communicator> world_;
};

QTEST_APPLESS_MAIN(TestCommunicator)
#include "test_communicator.moc"
