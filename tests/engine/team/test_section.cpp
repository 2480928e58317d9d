// SPDX-License-Identifier: BSD-3-Clause
// Workers of a section stay together: what one wrote before a meeting all read after it, a part that fails ends all, borders follow speed.
// labels: unit
// links: conoid_team
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <QTest>

#include "engine/team/section.hpp"
#include "engine/team/section_threads.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

namespace {

class OfFunction final : public Section {
 public:
  OfFunction(Index items, std::function<void(Part&)> body) : items_(items), body_(std::move(body)) {}
  [[nodiscard]] std::string_view name() const override { return "together"; }
  [[nodiscard]] Index items() const override { return items_; }
  void body(Part& part) override { body_(part); }

 private:
  Index items_;
  std::function<void(Part&)> body_;
};

}  // namespace

class TestSection : public QObject {
  Q_OBJECT
 private slots:
  /// Each round every part adds to its items what stands behind them, as a halo would bring it: wrong if any part were a round ahead.
  void what_was_written_before_a_meeting_is_read_after_it() {
    for (const std::size_t workers : {1U, 2U, 5U}) {
      Team team(std::vector<WorkerSpec>(workers, WorkerSpec{"cpu", 1, 1, {}, 0}));
      constexpr Index n = 40;
      constexpr int rounds = 200;
      std::vector<std::uint64_t> now(n), next(n), expected(n), after(n);
      for (std::size_t i = 0; i < n; ++i) now[i] = expected[i] = i * i + 1;
      int met = 0;  // by whoever is the last to come, while all others wait
      OfFunction section(n, [&](Part& part) {
        for (int round = 0; round < rounds; ++round) {
          for (Index i = part.items().begin; i < part.items().end; ++i)
            next[std::size_t(i)] = 3 * now[std::size_t(i)] + now[std::size_t((i + 1) % n)];
          part.meet([&] { ++met, now.swap(next); });
        }
      });
      team.run(section);
      for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < n; ++i) after[i] = 3 * expected[i] + expected[(i + 1) % n];
        expected.swap(after);
      }
      QCOMPARE(met, rounds);
      QCOMPARE(now, expected);
    }
  }

  /// Threads of all workers are numbered once and meet at the same barriers; those beyond the width have nothing to do.
  void threads_of_all_parts_meet() {
    for (const auto& [sizes, width] : std::vector<std::pair<std::vector<int>, int>>{
             {{4}, 4}, {{1, 1, 1}, 3}, {{2, 1, 3}, 6}, {{2, 1, 3}, 4}, {{2, 3}, 1}, {{3, 2}, 99}}) {
      std::vector<WorkerSpec> workers;
      int threads = 0;
      for (const int size : sizes) workers.push_back({"cpu", size, 1, {}, 0}), threads += size;
      Team team(std::move(workers));
      constexpr Index n = 60;
      constexpr int rounds = 300;
      std::vector<std::uint64_t> now(n), next(n), expected(n), after(n);
      for (std::size_t i = 0; i < n; ++i) now[i] = expected[i] = i * i + 1;
      std::atomic<int> took_part{0}, said{0};
      SectionThreads all_parts;
      OfFunction section(n, [&, wanted = width](Part& part) {
        all_parts.run(part, wanted, [&](Together& all, int thread) {
          ++took_part;
          said = all.threads();
          int pass = 0;
          for (int round = 0; round < rounds; ++round) {
            all.for_own(thread, pass = (pass + 1) % 3, n, 4, [&](Interval some) {
              for (Index i = some.begin; i < some.end; ++i)
                next[std::size_t(i)] = 3 * now[std::size_t(i)] + now[std::size_t((i + 1) % n)];
            });
            all.wait();
            if (thread == 0) now.swap(next);
            all.wait();
          }
        });
      });
      team.run(section);
      for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < n; ++i) after[i] = 3 * expected[i] + expected[(i + 1) % n];
        expected.swap(after);
      }
      QCOMPARE(now, expected);
      QCOMPARE(took_part.load(), said.load());
      QVERIFY(said.load() >= 1 && said.load() <= std::min(width, threads));
      const auto samples = team.take_samples();
      QCOMPARE(samples.size(), sizes.size());
      Index items = 0;
      for (const BalanceSample& one : samples) items += one.items.size();
      QCOMPARE(items, n);
    }
  }

  /// Without items there is one part all the same, which meets other ranks.
  void parts_cover_all_items_and_know_how_many_they_are() {
    Team team(std::vector<WorkerSpec>(4, WorkerSpec{"cpu", 1, 1, {}, 0}));
    for (const Index n : {0, 1, 3, 50}) {
      std::vector<std::atomic<int>> hits(std::size_t(n) + 1);
      std::atomic<int> parts{0}, said{0};
      OfFunction section(n, [&](Part& part) {
        ++parts;
        said = part.count();
        for (Index i = part.items().begin; i < part.items().end; ++i) ++hits[std::size_t(i)];
        part.meet();
      });
      team.run(section);
      for (Index i = 0; i < n; ++i) QCOMPARE(hits[std::size_t(i)].load(), 1);
      QCOMPARE(said.load(), parts.load());
      QVERIFY(parts >= 1 && parts <= std::clamp<Index>(n, 1, 4));
    }
  }

  void a_part_that_fails_ends_all_data() {
    QTest::addColumn<bool>("in_meeting");
    QTest::newRow("in its own work") << false;
    QTest::newRow("in what is done once") << true;
  }
  void a_part_that_fails_ends_all() {
    QFETCH(bool, in_meeting);
    Team team(std::vector<WorkerSpec>(3, WorkerSpec{"cpu", 1, 1, {}, 0}));
    OfFunction section(30, [&](Part& part) {
      for (int round = 0;; ++round) {
        if (!in_meeting && round == 7 && part.items().begin == 0) throw std::runtime_error("the seventh");
        part.meet([&] {
          if (in_meeting && round == 7) throw std::runtime_error("the seventh");
        });
      }
    });
    try {
      team.run(section);
      QFAIL("an exception was expected");
    } catch (const std::runtime_error& error) {
      QCOMPARE(error.what(), "the seventh");
    }
    std::atomic<int> met{0};
    OfFunction next(30, [&](Part& part) { part.meet([&] { ++met; }); });
    team.run(next);  // the team is as good as before
    QCOMPARE(met.load(), 1);
  }

  /// A worker that needs three times as long for an item gets a third of the items: 20 of 80. Waiting in meetings counts for nobody. (Sleeps
  /// last longer on a busy machine, but not in each of some attempts.)
  void borders_follow_the_work_and_not_the_waiting() {
    Index slow = 0;
    double busy = 1;
    for (int attempt = 0; attempt < 10 && (slow < 14 || slow > 26 || busy > 0.7); ++attempt) {
      Team team({{"fast", 1, 1, {}, 0}, {"slow", 1, 1, {}, 0}}, "model");
      for (int pass = 0; pass < 6; ++pass) {
        OfFunction section(80, [&](Part& part) {
          const int cost = part.worker() == 1 ? 900 : 300;
          if (part.worker() == 1) slow = part.items().size();
          for (int round = 0; round < 2; ++round) {
            std::this_thread::sleep_for(std::chrono::microseconds(cost * part.items().size() / 2));
            part.meet();
          }
        });
        team.run(section);
      }
      // Of the first pass, with halves: the fast one worked a third of the time, and waited for the rest.
      std::array<double, 2> first{};
      for (const BalanceSample& sample : team.take_samples())
        if (sample.pass == 0) first[static_cast<std::size_t>(sample.worker)] = sample.busy;
      busy = first[0] / first[1];
    }
    QVERIFY2(slow >= 14 && slow <= 26, qPrintable(QString::number(slow)));
    QVERIFY2(busy <= 0.7, qPrintable(QString::number(busy)));
  }

  void a_section_runs_alone() {
    CpuWorker worker(2);
    Interval seen;
    OfFunction section(9, [&](Part& part) {
      seen = part.items();
      part.meet();
      QCOMPARE(part.count(), 1);
      QVERIFY(part.device() == nullptr);
    });
    section.run(worker, {2, 9});
    QCOMPARE(seen, (Interval{2, 9}));
  }
};

QTEST_APPLESS_MAIN(TestSection)
#include "test_section.moc"
