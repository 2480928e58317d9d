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
    QCOMPARE(world_->all_gather_values<int>(mine), (std::vector<int>{1, 1, 2, 2, 2, 2}));
  }
  /// Added as (first + second) + third, whatever the length: these three do not add to the same in another order.
  void sums_of_any_length_are_added_in_rank_order() {
    const double of_rank[] = {1.0, 1e16, -1e16};
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{2049}, std::size_t{100'003}}) {
      std::vector<double> values(n), other(3, 1.0 * world_->rank());
      for (std::size_t i = 0; i < n; ++i)
        values[i] = of_rank[world_->rank()] * (1.0 + 1e-3 * static_cast<double>(i % 7));
      std::vector<double> low(2, world_->rank()), from(2, -1), none;
      world_->start_sum(values);
      world_->start_exchange(std::as_bytes(std::span(none)), std::as_bytes(std::span(low)),
                             std::as_writable_bytes(std::span(from)), std::as_writable_bytes(std::span(none)));
      world_->finish_exchange();
      world_->finish_sum();
      if (world_->rank() > 0) QCOMPARE(from[1], world_->rank() - 1.0);
      for (std::size_t i = 0; i < n; ++i) {
        const double f = 1.0 + 1e-3 * static_cast<double>(i % 7);
        QCOMPARE(values[i], (1.0 * f + 1e16 * f) + -1e16 * f);
      }
    }
  }
  /// 0 to 2 and 2 to 1, of unlike lengths; 1 sends nothing.
  void messages_go_to_any_rank() {
    const int r = world_->rank();
    const std::vector<int> first{1, 2, 3}, second(1000, 7);
    std::vector<int> got(r == 2 ? 3 : 1000);
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    if (r == 0) out.push_back({2, std::as_bytes(std::span(first))});
    if (r == 2) in.push_back({0, std::as_writable_bytes(std::span(got))});
    if (r == 2) out.push_back({1, std::as_bytes(std::span(second))});
    if (r == 1) in.push_back({2, std::as_writable_bytes(std::span(got))});
    world_->start_exchange(out, in);
    world_->finish_exchange();
    if (r == 2) QCOMPARE(got, first);
    if (r == 1) QCOMPARE(got, second);
  }
  void groups_are_ranks_of_their_own() {
    const int r = world_->rank();
    const auto group = world_->split(r == 1 ? 5 : 0);
    QCOMPARE(group->size(), r == 1 ? 1 : 2);
    QCOMPARE(group->rank(), r == 2 ? 1 : 0);
    QCOMPARE(group->sum(1.0 + r), r == 1 ? 2.0 : 4.0);
    QVERIFY(group->native() != nullptr && group->native() != world_->native());
  }

 private:
  std::unique_ptr<Communicator> world_;
};

QTEST_APPLESS_MAIN(TestCommunicator)
#include "test_communicator.moc"
