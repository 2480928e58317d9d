// SPDX-License-Identifier: BSD-3-Clause
// A level of windows: contents, order, budget, prefetching, failures; several threads at a time.
// labels: unit
// links: conoid_window
#include "tests/engine/window/support.hpp"

#include <QTest>
#include <random>

using namespace conoid;
using namespace conoid::window_tests;

namespace {

std::vector<Bytes> random_sizes(std::mt19937& random, int count) {
  std::vector<Bytes> sizes;
  for (int w = 0; w < count; ++w) sizes.push_back(1 + random() % (3 * page));
  return sizes;
}

Bytes largest(const std::vector<Bytes>& sizes) {
  Bytes most = 0;
  for (const Bytes b : sizes) most = std::max(most, (b + page - 1) / page * page);
  return most;
}

}  // namespace

class TestWindows : public QObject {
  Q_OBJECT
 private slots:
  void contents_follow_any_order_of_visits() {
    std::mt19937 random(1);
    for (int round = 0; round < 30; ++round) {
      const int count = 1 + static_cast<int>(random() % 20);
      const auto sizes = random_sizes(random, count);
      auto backing = std::make_shared<VectorBacking>(sizes);
      auto memory = std::make_shared<CountedMemory>();
      const Bytes budget = largest(sizes) * (1 + random() % 6);
      std::vector<int> version(sizes.size(), 0);
      {
        Windows windows("test", sizes, budget, backing, memory, 1 + static_cast<int>(random() % 3));
        QCOMPARE(windows.count(), static_cast<Index>(count));
        std::vector<Visit> order;
        for (int k = 0; k < 40; ++k)
          order.push_back({static_cast<Index>(random() % sizes.size()), static_cast<Access>(random() % 3)});
        Tour tour = windows.announce(order, Repeat::yes);
        for (int k = 0; k < 120; ++k) {
          // Mostly as announced, sometimes something else.
          const bool as_told = random() % 8 != 0;
          const auto w = static_cast<Index>(random() % sizes.size());
          auto lease = as_told ? tour.next() : tour.acquire(w, Access::update);
          QVERIFY2(lease.ok(), lease.ok() ? "" : lease.error().text.c_str());
          int& v = version[static_cast<std::size_t>(lease->window())];
          QCOMPARE(lease->bytes().size(), sizes[static_cast<std::size_t>(lease->window())]);
          if (lease->access() != Access::write) QVERIFY(painted(lease->bytes(), lease->window(), v));
          if (lease->access() != Access::read) paint(lease->writable(), lease->window(), v = k + 1);
        }
        tour.announce({});  // nothing is brought any more: what is counted here stands still
        QVERIFY(windows.flush().ok());
        QVERIFY(windows.statistics().peak <= budget);
        QCOMPARE(windows.statistics().taken, memory->out());
        QVERIFY(memory->peak <= budget);
      }
      QCOMPARE(memory->out(), Bytes{0});
      for (std::size_t w = 0; w < sizes.size(); ++w)
        QVERIFY(painted(backing->stored[w], static_cast<Index>(w), version[w]));
    }
  }

  void going_round_loads_only_what_does_not_fit() {
    constexpr int count = 40, fits = 16, rounds = 10;
    const std::vector<Bytes> sizes(count, page);
    auto backing = std::make_shared<VectorBacking>(sizes);
    Windows windows("test", sizes, fits * page, backing, host_memory(), 1);
    Tour tour = windows.announce(Interval{0, count}, Access::read, Repeat::yes);
    for (int k = 0; k < rounds * count; ++k) QVERIFY(tour.next().ok());
    // All but the window in use and the two that wait for their visit stay; a least-recently-used rule would load all 40 in
    // every round.
    const int least = count + (rounds - 1) * (count - fits);
    QVERIFY2(backing->loads <= count + (rounds - 1) * (count - fits + 4), QByteArray::number(backing->loads.load()));
    QVERIFY(backing->loads >= least);
    QCOMPARE(backing->saves.load(), 0);
  }

  void windows_are_there_before_they_are_asked_for() {
    // The first is waited for. A busy machine may delay movers now and then, but not every time of many.
    std::uint64_t waited = 24;
    for (int attempt = 0; attempt < 20 && waited > 6; ++attempt) {
      const std::vector<Bytes> sizes(12, page);
      auto backing = std::make_shared<VectorBacking>(sizes);
      backing->before = [](char, Index) -> Status {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return {};
      };
      Windows windows("test", sizes, 4 * page, backing);
      Tour tour = windows.announce(Interval{0, 12}, Access::update, Repeat::yes);
      for (int k = 0; k < 24; ++k) {
        auto lease = tour.next();
        QVERIFY(lease.ok());
        std::this_thread::sleep_for(std::chrono::milliseconds(12 * (1 + attempt / 4)));  // 2 ms in, 2 ms out
      }
      const WindowStatistics s = windows.statistics();
      QCOMPARE(s.acquired, std::uint64_t{24});
      QVERIFY(s.saves >= 12);
      waited = std::min(waited, s.waited);
    }
    QVERIFY2(waited <= 6, QByteArray::number(static_cast<int>(waited)));
  }

  /// A smaller budget holds at once: what nobody holds leaves. Leased and changed windows stay.
  void a_smaller_budget_is_kept_at_once() {
    const std::vector<Bytes> sizes(8, page);
    auto backing = std::make_shared<VectorBacking>(sizes);
    auto memory = std::make_shared<CountedMemory>();
    Windows windows("test", sizes, 8 * page, backing, memory, 1);
    for (Index w = 0; w < 8; ++w) {
      auto lease = windows.acquire(w, Access::write);
      QVERIFY(lease.ok());
      paint(lease->writable(), w, 1);
    }
    QVERIFY(windows.flush().ok());
    QCOMPARE(windows.statistics().taken, 8 * page);
    {
      auto held = windows.acquire(5, Access::read);
      QVERIFY(held.ok());
      windows.set_budget(3 * page);
      QCOMPARE(windows.statistics().taken, 3 * page);
      QCOMPARE(memory->out(), 3 * page);
      QVERIFY(painted(held->bytes(), 5, 1));
      auto changed = windows.acquire(1, Access::write);
      QVERIFY(changed.ok());
      paint(changed->writable(), 1, 2);
    }
    const std::uint64_t loads = windows.statistics().loads;
    QVERIFY(windows.acquire(5, Access::read).ok());  // it has stayed
    QCOMPARE(windows.statistics().loads, loads);
    for (Index w = 0; w < 8; ++w) {
      auto lease = windows.acquire(w, Access::read);
      QVERIFY(lease.ok());
      QVERIFY(painted(lease->bytes(), w, w == 1 ? 2 : 1));
    }
    QVERIFY(windows.statistics().taken <= 3 * page);
  }

  void overwriting_loads_nothing() {
    const std::vector<Bytes> sizes(8, page);
    auto backing = std::make_shared<VectorBacking>(sizes);
    Windows windows("test", sizes, 3 * page, backing);
    Tour tour = windows.announce(Interval{0, 8}, Access::write);
    for (int k = 0; k < 8; ++k) {
      auto lease = tour.next();
      QVERIFY(lease.ok());
      paint(lease->writable(), lease->window(), 5);
    }
    QVERIFY(windows.flush().ok());
    QCOMPARE(backing->loads.load(), 0);
    for (Index w = 0; w < 8; ++w) QVERIFY(painted(backing->stored[static_cast<std::size_t>(w)], w, 5));
    // Announced as overwritten, but read after all: the contents come.
    paint(backing->stored[0], 0, 9);
    Windows again("test", sizes, 3 * page, backing);
    Tour wrong = again.announce(Interval{0, 8}, Access::write);
    auto lease = wrong.acquire(0, Access::read);
    QVERIFY(lease.ok());
    QVERIFY(painted(lease->bytes(), 0, 9));
    const auto end = wrong.acquire(7, Access::read);
    QVERIFY(end.ok());
    const auto past = wrong.next();
    QVERIFY(!past.ok());
    QVERIFY(past.error().text.find("come to its end") != std::string::npos);
  }

  void threads_share_windows() {
    std::mt19937 random(3);
    const auto sizes = random_sizes(random, 24);
    auto backing = std::make_shared<VectorBacking>(sizes);
    Windows windows("test", sizes, 8 * largest(sizes), backing, host_memory(), 3);
    constexpr int threads = 4, visits = 150;
    std::atomic<bool> good{true};
    {
      std::vector<std::jthread> team;
      for (int t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
          std::mt19937 mine(static_cast<unsigned>(t));
          // Own windows are changed; every thread's neighbour reads them.
          std::vector<Visit> order;
          for (int k = 0; k < visits; ++k) {
            const auto at = static_cast<Index>(mine() % 6);
            if (k % 3 != 0)
              order.push_back({t * 6 + at, Access::update});
            else
              order.push_back({(t + 1) % threads * 6 + at, Access::read});
          }
          Tour tour = windows.announce(order);
          for (int k = 0; k < visits; ++k) {
            auto lease = tour.next();
            if (!lease) {
              good = false;
              return;
            }
            const std::byte first = lease->bytes()[0];
            for (const std::byte b : lease->bytes())
              if (b != first) good = false;
            if (lease->access() == Access::update)
              for (std::byte& b : lease->writable()) b = static_cast<std::byte>(std::to_integer<int>(first) + 1);
          }
        });
    }
    QVERIFY(good);
    QVERIFY(windows.flush().ok());
    unsigned sum = 0;
    for (const auto& w : backing->stored) sum += std::to_integer<unsigned>(w[0]);
    QCOMPARE(sum, static_cast<unsigned>(threads * (visits - visits / 3)));
  }

  void too_small_a_budget_is_an_error_and_no_hang() {
    const std::vector<Bytes> sizes = {page, page, page, 5 * page};
    Windows windows("field", sizes, 2 * page, std::make_shared<VectorBacking>(sizes));
    const auto whole = windows.acquire(3, Access::read);
    QVERIFY(!whole.ok());
    QCOMPARE(whole.error().code, ErrorCode::resources);
    QVERIFY(whole.error().text.find("window 3 of 'field'") != std::string::npos);
    QVERIFY(whole.error().hint.find("20.0 KiB") != std::string::npos ||
            whole.error().hint.find("20") != std::string::npos);
    const auto a = windows.acquire(0, Access::read);
    const auto b = windows.acquire(1, Access::update);
    QVERIFY(a.ok() && b.ok());
    const auto c = windows.acquire(2, Access::read);
    QVERIFY(!c.ok());
    QCOMPARE(c.error().code, ErrorCode::resources);
    const auto same = windows.acquire(0, Access::update);  // this thread reads it
    QVERIFY(!same.ok());
    QCOMPARE(same.error().code, ErrorCode::internal);
  }

  void threads_that_block_one_another_are_told() {
    const std::vector<Bytes> sizes(4, page);
    Windows windows("field", sizes, 2 * page, std::make_shared<VectorBacking>(sizes));
    std::atomic<int> holding{0}, refused{0}, served{0};
    {
      std::vector<std::jthread> team;
      for (Index t = 0; t < 2; ++t)
        team.emplace_back([&, t] {
          auto first = windows.acquire(t, Access::update);
          ++holding;
          while (holding < 2) std::this_thread::yield();
          auto second = windows.acquire(2 + t, Access::read);
          ++(second ? served : refused);
        });
    }
    QCOMPARE(refused.load(), 1);  // the other goes on when the first lets go
    QCOMPARE(served.load(), 1);
  }

  void a_failed_read_is_told_once_and_may_be_tried_again() {
    const std::vector<Bytes> sizes(6, page);
    auto backing = std::make_shared<VectorBacking>(sizes);
    std::atomic<bool> broken{true};
    backing->before = [&](char what, Index w) -> Status {
      if (what == 'r' && w == 2 && broken) return make_error(ErrorCode::file, "cable");
      return {};
    };
    Windows windows("test", sizes, 3 * page, backing);
    Tour tour = windows.announce(Interval{0, 6}, Access::read);
    QVERIFY(tour.next().ok() && tour.next().ok());
    const auto bad = tour.next();
    QVERIFY(!bad.ok());
    QCOMPARE(bad.error().text, std::string("cable"));
    broken = false;
    QVERIFY(tour.acquire(2, Access::read).ok());
    QVERIFY(tour.next().ok());
  }

  void a_failed_write_stays() {
    const std::vector<Bytes> sizes(6, page);
    auto backing = std::make_shared<VectorBacking>(sizes);
    backing->before = [&](char what, Index) -> Status {
      if (what == 'w') return make_error(ErrorCode::file, "disk full");
      return {};
    };
    Windows windows("test", sizes, 2 * page, backing);
    Tour tour = windows.announce(Interval{0, 6}, Access::write, Repeat::yes);
    {
      // Two windows fit, and nothing is written back while both are held.
      const auto first = tour.next(), second = tour.next();
      QVERIFY(first.ok() && second.ok());
    }
    Status status;
    for (int k = 0; k < 12 && status; ++k) {
      const auto lease = tour.next();
      if (!lease) status = lease.error();
    }
    QVERIFY(!status);
    QCOMPARE(status.error().text, std::string("disk full"));
    QCOMPARE(windows.flush().error().text, std::string("disk full"));
    QVERIFY(!windows.acquire(0, Access::read).ok());
  }

  void less_memory_than_promised_is_lived_with() {
    const std::vector<Bytes> sizes(20, page);
    auto backing = std::make_shared<VectorBacking>(sizes);
    auto memory = std::make_shared<CountedMemory>(5 * page);
    Windows windows("test", sizes, 16 * page, backing, memory);
    Tour tour = windows.announce(Interval{0, 20}, Access::update, Repeat::yes);
    for (int k = 0; k < 60; ++k) {
      auto lease = tour.next();
      QVERIFY2(lease.ok(), lease.ok() ? "" : lease.error().text.c_str());
    }
    QCOMPARE(windows.budget(), 5 * page);
    auto none = std::make_shared<CountedMemory>(page / 2);
    Windows empty("field", sizes, 16 * page, backing, none);
    const auto lease = empty.acquire(0, Access::read);
    QVERIFY(!lease.ok());
    QCOMPARE(lease.error().code, ErrorCode::resources);
    QVERIFY(lease.error().text.find("the system gave") != std::string::npos);
  }

  void only_leases_for_writing_give_memory_to_write_to() {
    Windows windows("test", {page}, page, std::make_shared<VectorBacking>(std::vector<Bytes>{page}));
    auto lease = windows.acquire(0, Access::read);
    QVERIFY(lease.ok());
    QVERIFY_THROWS_EXCEPTION(Failure, (void)lease->writable());
    Lease moved = std::move(*lease);
    QVERIFY(moved && !*lease);
    moved.release();
    QVERIFY(!moved);
    QVERIFY(windows.acquire(0, Access::update).ok());
  }
};

QTEST_APPLESS_MAIN(TestWindows)
#include "test_windows.moc"
