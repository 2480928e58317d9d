// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one host write and read the same memory.
// labels: mpi2
#include <QTest>

#include <algorithm>
#include <array>

#include "engine/cluster/communicator.hpp"
#include "engine/cluster/shared_block.hpp"

using namespace conoid;

class TestSharedBlock : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    auto made = world();
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().text.c_str());
    world_ = std::move(made).value();
    QCOMPARE(world_->size(), 2);
  }
  /// Twice each way, by what the other rank has written since; the maker's copy may go first.
  void what_one_rank_writes_the_other_reads() {
    constexpr Bytes size = 100'003;
    SharedBlock mine = SharedBlock::make(size);
    QVERIFY(!mine.empty());
    QCOMPARE(mine.bytes().size(), std::size_t{size});
    const std::array own{mine.ticket()};
    const auto all = world_->all_gather_values<SharedBlock::Ticket>(std::span<const SharedBlock::Ticket>(own));
    SharedBlock theirs = SharedBlock::open(all[static_cast<std::size_t>(1 - world_->rank())]);
    QVERIFY(!theirs.empty());
    QCOMPARE(theirs.bytes().size(), std::size_t{size});
    for (const int round : {1, 2}) {
      const auto value = [round](int rank) { return static_cast<std::byte>(10 * round + rank); };
      std::fill(mine.bytes().begin(), mine.bytes().end(), value(world_->rank()));
      world_->barrier();
      const auto other = theirs.bytes();
      QVERIFY(std::all_of(other.begin(), other.end(), [&](std::byte b) { return b == value(1 - world_->rank()); }));
      world_->barrier();
    }
    mine = {};
    world_->barrier();
    QCOMPARE(theirs.bytes().back(), static_cast<std::byte>(20 + 1 - world_->rank()));
  }
  /// A process of that number may be another one, with another file of that size.
  void a_ticket_of_something_else_opens_nothing() {
    const SharedBlock one = SharedBlock::make(1000);
    SharedBlock::Ticket ticket = one.ticket();
    QVERIFY(!SharedBlock::open(ticket).empty());
    ++ticket.mark[1];
    QVERIFY(SharedBlock::open(ticket).empty());
    ticket = one.ticket();
    ++ticket.bytes;
    QVERIFY(SharedBlock::open(ticket).empty());
    ticket = one.ticket();
    ticket.file = 1'000'000;
    QVERIFY(SharedBlock::open(ticket).empty());
    QVERIFY(SharedBlock::open({}).empty());
    QVERIFY(SharedBlock::make(0).empty());
  }

 private:
  std::unique_ptr<Communicator> world_;
};

QTEST_APPLESS_MAIN(TestSharedBlock)
#include "test_shared_block.moc"
