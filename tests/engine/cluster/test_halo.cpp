// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a partition exchange what they owe each other.
// labels: mpi4
#include <QTest>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "engine/cluster/halo.hpp"

using namespace conoid;

class TestHalo : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    auto made = world();
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().text.c_str());
    world_ = std::move(made).value();
    QVERIFY(world_->size() > 1);
    // Unlike parts, one of them empty where there are more than two.
    const Index ranks = world_->size();
    Index at = 0;
    for (Index r = 0; r < ranks; ++r) {
      const Index size = r == 1 && ranks > 2 ? 0 : 10 + 7 * r;
      parts_.push_back({at, at + size});
      at += size;
    }
    items_ = at;
  }

  void both_ends_list_the_same_items() {
    const std::vector<Index> wanted = some(3);
    const Halo halo = Halo::of_partition(*world_, parts_, wanted);
    std::vector<Index> from;
    for (const auto& side : halo.sides()) {
      QVERIFY(side.rank != world_->rank());
      from.insert(from.end(), side.from.begin(), side.from.end());
      for (const Index item : side.to) QVERIFY(item >= mine().begin && item < mine().end);
    }
    std::sort(from.begin(), from.end());
    QCOMPARE(from, wanted);
  }

  void values_of_other_ranks_arrive_and_own_ones_stay() {
    for (int seed = 0; seed < 5; ++seed) {
      const std::vector<Index> wanted = some(seed);
      Halo halo = Halo::of_partition(*world_, parts_, wanted);
      for (int round = 0; round < 3; ++round) {
        std::vector<double> values(static_cast<std::size_t>(items_), -1);
        for (Index i = mine().begin; i < mine().end; ++i) values[static_cast<std::size_t>(i)] = value(i, round);
        start(halo, values);
        double sum[] = {1.0};
        world_->start_sum(sum);
        world_->finish_sum();
        finish(halo, values);
        QCOMPARE(sum[0], 1.0 * world_->size());
        for (Index i = 0; i < items_; ++i) {
          const bool known =
              (i >= mine().begin && i < mine().end) || std::binary_search(wanted.begin(), wanted.end(), i);
          QCOMPARE(values[static_cast<std::size_t>(i)], known ? value(i, round) : -1.0);
        }
      }
    }
  }

  void items_may_be_of_unlike_length() {
    const std::vector<Index> wanted = some(11);
    Halo halo = Halo::of_partition(*world_, parts_, wanted);
    const auto length = [](Index item) { return static_cast<std::size_t>(item % 4); };
    halo.start(length, [&](Index item, std::byte*& at) {
      std::fill_n(at, length(item), static_cast<std::byte>(item));
      at += length(item);
    });
    std::size_t seen = 0;
    bool right = true;
    halo.finish([&](Index item, const std::byte*& at) {
      for (std::size_t k = 0; k < length(item); ++k) right = right && at[k] == static_cast<std::byte>(item);
      at += length(item);
      ++seen;
    });
    QVERIFY(right);
    QCOMPARE(seen, wanted.size());
  }

  void a_halo_without_sides_is_silent() {
    Halo halo = Halo::of_partition(*world_, parts_, {});
    QVERIFY(halo.sides().empty());
    std::vector<double> values(3, 2.0);
    start(halo, values);
    finish(halo, values);
    QCOMPARE(values, std::vector<double>(3, 2.0));
  }

 private:
  static void start(Halo& halo, const std::vector<double>& values) {
    halo.start([](Index) { return sizeof(double); },
               [&](Index item, std::byte*& at) {
                 std::memcpy(at, &values[static_cast<std::size_t>(item)], sizeof(double));
                 at += sizeof(double);
               });
  }
  static void finish(Halo& halo, std::vector<double>& values) {
    halo.finish([&](Index item, const std::byte*& at) {
      std::memcpy(&values[static_cast<std::size_t>(item)], at, sizeof(double));
      at += sizeof(double);
    });
  }
  [[nodiscard]] Interval mine() const { return parts_[static_cast<std::size_t>(world_->rank())]; }
  static double value(Index item, int round) { return 0.1 * static_cast<double>(item) + round; }
  /// About a third of the others' items, other ones on each rank.
  [[nodiscard]] std::vector<Index> some(int seed) const {
    std::mt19937 random(static_cast<unsigned>(100 * seed + world_->rank()));
    std::vector<Index> out;
    for (Index i = 0; i < items_; ++i)
      if ((i < mine().begin || i >= mine().end) && random() % 3 == 0) out.push_back(i);
    return out;
  }

  std::unique_ptr<Communicator> world_;
  std::vector<Interval> parts_;
  Index items_ = 0;
};

QTEST_APPLESS_MAIN(TestHalo)
#include "test_halo.moc"
