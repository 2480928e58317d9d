// SPDX-License-Identifier: BSD-3-Clause
// A team covers every item exactly once, whatever the workers, and balances unlike ones.
// labels: unit
// links: conoid_team
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include <QTest>

#include "engine/team/machine.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

namespace {

class CountingPhase final : public Phase {
 public:
  explicit CountingPhase(Index n) : hits(static_cast<std::size_t>(n)) {}
  [[nodiscard]] std::string_view name() const override { return "count"; }
  [[nodiscard]] Index items() const override { return static_cast<Index>(hits.size()); }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each(items, 7, [&](Interval chunk, int) {
      for (Index i = chunk.begin; i < chunk.end; ++i) hits[static_cast<std::size_t>(i)].fetch_add(1);
    });
  }
  std::vector<std::atomic<int>> hits;
};

/// An item costs a sleep, which may last longer than asked for, but never shorter.
class SleepingPhase final : public Phase {
 public:
  [[nodiscard]] std::string_view name() const override { return "sleep"; }
  [[nodiscard]] Index items() const override { return 400; }
  void run(CpuWorker&, Interval items) override {
    std::this_thread::sleep_for(std::chrono::microseconds(25 * items.size()));
  }
};

class FailingPhase final : public Phase {
 public:
  [[nodiscard]] std::string_view name() const override { return "fail"; }
  [[nodiscard]] Index items() const override { return 100; }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each(items, 1, [](Interval chunk, int) {
      if (chunk.begin == 77) throw Failure(make_error(ErrorCode::resources, "item 77"));
    });
  }
};

}  // namespace

class TestTeam : public QObject {
  Q_OBJECT
 private slots:
  void phases_of_one_name_come_and_go() {
    // Each pass is an object of its own, as tiles of an assembly are; the balancer must ask none that is gone.
    Team team({{"a", 1, 1}, {"b", 1, 1}}, "model");
    for (const Index n : {50, 400, 30, 1000})
      for (int pass = 0; pass < 3; ++pass) {
        const auto phase = std::make_unique<CountingPhase>(n);
        team.run(*phase);
        for (const auto& h : phase->hits) QCOMPARE(h.load(), 1);
      }
  }

  void every_item_once() {
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
      const Index n = std::uniform_int_distribution<Index>(0, 1013)(random);
      std::vector<WorkerSpec> workers(std::uniform_int_distribution<std::size_t>(1, 5)(random));
      for (auto& w : workers) w.threads = std::uniform_int_distribution<int>(1, 3)(random);
      const char* policy = std::array{"greedy", "offset:1", "fixed"}[static_cast<std::size_t>(round) % 3];
      Team team(workers, policy);
      CountingPhase phase(n);
      constexpr int passes = 5;
      for (int p = 0; p < passes; ++p) team.run(phase);
      for (const auto& h : phase.hits) QCOMPARE(h.load(), passes);
      const auto samples = team.take_samples();
      QCOMPARE(samples.size(), workers.size() * passes);
      QVERIFY(team.take_samples().empty());
    }
  }

  void a_sample_tells_what_its_interval_took() {
    class Counted final : public Phase {
     public:
      [[nodiscard]] std::string_view name() const override { return "counted"; }
      [[nodiscard]] Index items() const override { return 101; }
      void run(CpuWorker&, Interval) override {}
      [[nodiscard]] Work work(Interval items) const override {
        return {3.0 * static_cast<double>(items.size()), static_cast<double>(items.end)};
      }
    } phase;
    Team team({{"a", 1, 1}, {"b", 1, 1}}, "fixed");
    team.run(phase);
    const auto samples = team.take_samples();
    QCOMPARE(samples.size(), std::size_t{2});
    for (const BalanceSample& s : samples) {
      QCOMPARE(s.phase, std::string("counted"));
      QCOMPARE(s.work.flops, 3.0 * static_cast<double>(s.items.size()));
      QCOMPARE(s.work.bytes, static_cast<double>(s.items.end));
      QCOMPARE(s.held, Bytes{0});
    }
    CountingPhase other(10);
    team.run(other);
    team.run(other);
    // Bytes through windows belong to the newest pass: in equal shares, or of one worker.
    team.add_streamed(101);
    team.add_streamed(7, 1);
    const auto more = team.take_samples();
    for (const BalanceSample& s : more) QCOMPARE(s.work.flops, 0.0);
    QCOMPARE(more.size(), std::size_t{4});
    QCOMPARE(more[0].streamed + more[1].streamed, Bytes{0});
    QCOMPARE(more[2].streamed, Bytes{50});
    QCOMPARE(more[3].streamed, Bytes{51 + 7});
    team.add_streamed(5);  // nothing left to tell it with
    QVERIFY(team.take_samples().empty());
  }

  void what_is_noted_is_told_of_each_processor() {
    Team team({{"a", 3, 1}, {"b", 1, 1}}, "fixed");
    team.note("solve", 0.5, {8, 4});
    team.note("solve", 0.25, {8, 4});
    const auto samples = team.take_samples();
    QCOMPARE(samples.size(), std::size_t{4});
    QCOMPARE(samples[0].phase, std::string("solve"));
    QCOMPARE(samples[0].busy, 0.5);
    QCOMPARE(samples[1].busy, 0.5);
    QCOMPARE(samples[0].work.flops, 6.0);  // by threads
    QCOMPARE(samples[1].work.bytes, 1.0);
    QCOMPARE(samples[2].pass, std::uint64_t{1});
    QVERIFY(samples[0].items.empty());
    CountingPhase phase(10);
    team.run(phase);  // a phase does not mind
    for (const auto& h : phase.hits) QCOMPARE(h.load(), 1);
  }

  void a_slow_worker_gets_less() {
    // What a pass costs is computed, not measured: 25 us an item, three times that for the second worker.
    for (const char* policy : {"greedy", "offset:1", "model"}) {
      const auto balancer = make_balancer(policy, {1, 1}).value();
      std::vector<BalanceSample> last;
      std::vector<Interval> split;
      for (std::uint64_t pass = 0; pass < 30; ++pass) {
        split = balancer->split(400, last);
        const double fast = 25e-6 * static_cast<double>(split[0].size());
        const double slow = 75e-6 * static_cast<double>(split[1].size());
        last = {{pass, 0, split[0], fast, std::max(0.0, slow - fast), 0},
                {pass, 1, split[1], slow, std::max(0.0, fast - slow), 0}};
      }
      QCOMPARE(split[0].size() + split[1].size(), Index{400});
      // Ideal 300 : 100; the offset rests where one takes at least 0.9 of the other's time: 292 to 307.
      QVERIFY2(split[0].size() >= 292 && split[0].size() <= 307,
               qPrintable(QString("%1 got %2").arg(policy).arg(split[0].size())));
    }
  }

  void a_team_hands_its_balancer_what_it_measured() {
    // Whatever the machine's load makes of the times: the same samples, given by hand, lead to the same borders.
    for (const char* policy : {"greedy", "offset:1"}) {
      Team team({{"fast", 1, 1.0}, {"slow", 1, 3.0}}, policy);
      SleepingPhase phase;
      for (int p = 0; p < 6; ++p) team.run(phase);
      const auto samples = team.take_samples();
      QCOMPARE(samples.size(), std::size_t{12});
      const auto balancer = make_balancer(policy, {1, 1}).value();
      std::vector<BalanceSample> last;
      for (std::size_t pass = 0; pass < 6; ++pass) {
        const auto split = balancer->split(400, last);
        last.assign(samples.begin() + static_cast<std::ptrdiff_t>(2 * pass),
                    samples.begin() + static_cast<std::ptrdiff_t>(2 * pass + 2));
        QCOMPARE(last[0].items, split[0]);
        QCOMPARE(last[1].items, split[1]);
        // A sleep is never shorter than asked for, and a slow worker sleeps twice as long again.
        QVERIFY(last[0].busy >= 25e-6 * static_cast<double>(split[0].size()));
        QVERIFY(last[1].busy >= 75e-6 * static_cast<double>(split[1].size()));
      }
    }
  }

  void failures_arrive_and_the_team_lives_on() {
    Team team({{"a", 2, 1}, {"b", 1, 1}});
    FailingPhase bad;
    QVERIFY_EXCEPTION_THROWN(team.run(bad), Failure);
    CountingPhase good(101);
    team.run(good);
    for (const auto& h : good.hits) QCOMPARE(h.load(), 1);
  }

  void greedy_follows_the_published_example() {
    // Bramas et al. 2015, section 6.2: 10 items in 10 s against 3 items in 4 s; t_a = 7, so the first drops 3 and the
    // second, which asks for 9/4, takes them all.
    auto balancer = make_balancer("greedy", {10, 3}).value();
    const auto first = balancer->split(13, {});
    QCOMPARE(first[0], (Interval{0, 10}));
    const std::vector<BalanceSample> measured = {{0, 0, {0, 10}, 10, 0, 0}, {0, 1, {10, 13}, 4, 6, 0}};
    const auto second = balancer->split(13, measured);
    QCOMPARE(second[0], (Interval{0, 7}));
    QCOMPARE(second[1], (Interval{7, 13}));
  }

  void workers_are_parsed() {
    const auto two = parse_workers("cpu:3,cpu:1", 4);
    QVERIFY(two.ok());
    QCOMPARE(two->size(), std::size_t{2});
    QCOMPARE((*two)[0].threads, 3);
    QCOMPARE(parse_workers("auto", 6)->front().threads, 6);
    QCOMPARE(parse_workers("cpu,cpu:1", 4)->front().threads, 3);
    QCOMPARE(parse_workers("cuda:0,cpu", 4).error().code, ErrorCode::resources);
    for (const char* bad : {"cpu:", "cpu:0", "cpu:x", "gpu", "cpu,,cpu", "cpu:99999"})
      QVERIFY2(!parse_workers(bad, 4).ok(), bad);
    QVERIFY(!make_balancer("clever", {1}).ok());
    QVERIFY(!make_balancer("offset:none", {1}).ok());
  }

  void small_work_leaves_devices_alone() {
    const std::vector<WorkerSpec> all = {{"cuda:0", 1, 1, "cuda:0", 0}, {"cpu", 7, 1, {}, 0}};
    const auto tiny = worth_their_start(all, 8, 1.0);  // 1 s on 8 threads, against 1.5 s before a device begins
    QCOMPARE(tiny.size(), std::size_t{1});
    QVERIFY(tiny[0].device.empty());
    QCOMPARE(tiny[0].threads, 8);  // the thread that would have fed it computes
    QCOMPARE(worth_their_start(all, 8, 600).size(), std::size_t{2});
    QCOMPARE(worth_their_start(all, 8, 0).size(), std::size_t{2});  // nobody knows how long it takes
    // 1.5 + t·8/(8 + 16) = t at t = 2.25 s.
    QCOMPARE(worth_their_start(all, 8, 2.2).size(), std::size_t{1});
    QCOMPARE(worth_their_start(all, 8, 2.3).size(), std::size_t{2});
  }

  void samples_name_their_phase() {
    Team team({{"a", 1, 1}});
    CountingPhase count(10);
    SleepingPhase sleep;
    team.run(count);
    team.run(sleep);
    const auto samples = team.take_samples();
    QCOMPARE(samples.size(), std::size_t{2});
    QCOMPARE(samples[0].phase, std::string("count"));
    QCOMPARE(samples[1].phase, std::string("sleep"));
  }

  void devices_get_the_places_near_them() {
    // Eight places on two sockets; a device on the second one, one that nobody knows about, three threads of the processor.
    const Places all = {0, 1, 2, 3, 4, 5, 6, 7};
    const std::vector<PlaceWish> wishes = {{1, true, {4, 5, 6, 7}}, {1, true, {}}, {3, false, {}}};
    const auto plan = plan_places(all, wishes);
    QCOMPARE(plan[0], Places{4});
    QCOMPARE(plan[1], Places{0});
    QCOMPARE(plan[2], (Places{1, 2, 3}));
    for (const Places& p : plan_places({0, 1, 2}, wishes)) QVERIFY(p.empty());  // too few: nobody is bound
  }

  void threads_are_bound_and_set_free() {
    const Places before = places_of_this_thread();
    if (!can_bind() || before.size() < 2) QSKIP("needs hwloc and two processing units");
    std::vector<Places> seen(2);
    const CpuWorker worker(2, {before[1], before[0]});
    std::atomic<int> arrived{0};
    worker.for_each({0, 2}, 1, [&](Interval, int thread) {
      seen[static_cast<std::size_t>(thread)] = places_of_this_thread();
      ++arrived;
      while (arrived < 2) std::this_thread::yield();  // a chunk each
    });
    QCOMPARE(seen[0], Places{before[1]});
    QCOMPARE(seen[1], Places{before[0]});
    const CpuWorker free(2, before, true);
    arrived = 0;
    free.for_each({0, 2}, 1, [&](Interval, int thread) {
      seen[static_cast<std::size_t>(thread)] = places_of_this_thread();
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
    QCOMPARE(seen[0], before);
    QCOMPARE(seen[1], before);
    QCOMPARE(places_of_this_thread(), before);
  }

  void a_parallel_loop_takes_every_item_once() {
    for (const int threads : {0, 1, 3})
      for (const Interval items : {Interval{0, 0}, Interval{5, 6}, Interval{-3, 1000}}) {
        std::vector<std::atomic<int>> hits(static_cast<std::size_t>(items.size()));
        parallel_for(threads, items, 7, [&](Index i) { ++hits[static_cast<std::size_t>(i - items.begin)]; });
        for (const auto& h : hits) QCOMPARE(h.load(), 1);
      }
  }

  /// So sums by chunk, added in the order of chunks, do not depend on the threads.
  void chunks_of_a_loop_are_the_same_for_any_number_of_threads() {
    for (const int threads : {1, 2, 5}) {
      std::vector<Interval> seen(6);
      std::atomic<int> strangers = 0;
      in_chunks(threads, {3, 60}, 10, [&](Interval chunk, int thread) {
        if (thread < 0 || thread >= threads) ++strangers;
        seen[static_cast<std::size_t>(chunk.begin / 10)] = chunk;
      });
      QCOMPARE(strangers.load(), 0);
      for (std::size_t k = 0; k < seen.size(); ++k) {
        QCOMPARE(seen[k].begin, static_cast<Index>(10 * k + 3));
        QCOMPARE(seen[k].end, std::min<Index>(60, static_cast<Index>(10 * k + 13)));
      }
    }
  }

  void an_exception_leaves_a_parallel_loop() {
    for (const int threads : {1, 3}) {
      QString heard;
      try {
        parallel_for(threads, {0, 1000}, 1, [&](Index i) {
          if (i == 77) throw Failure(make_error(ErrorCode::resources, "item 77"));
        });
      } catch (const Failure& failure) {
        heard = QString::fromStdString(failure.error().text);
      }
      QCOMPARE(heard, QString("item 77"));
    }
  }

  void this_machine_is_plausible() {
    const Machine m = this_machine();
    QVERIFY(m.cores >= 1 && m.memory > (Bytes{1} << 28) && m.free_memory <= m.memory);
    QVERIFY(peak_resident_memory() > 1000000);
  }
};

QTEST_APPLESS_MAIN(TestTeam)
#include "test_team.moc"
