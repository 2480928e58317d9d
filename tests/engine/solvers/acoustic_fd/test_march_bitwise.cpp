// SPDX-License-Identifier: BSD-3-Clause
// Every way of computing a step gives the same bits: kernel bodies, threads, unlike workers, a split by save and load.
// labels: unit
#include "engine/solvers/acoustic_fd/kernels/row.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QtTest>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

class TestMarchBitwise : public QObject {
  Q_OBJECT

  static Everything run(const Problem& p, const char* workers, Index steps) {
    const auto cluster = single_rank();
    Team team(parse_workers(workers, 4).value());
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    return march_on(*march, p, steps, team, *cluster);
  }

 private slots:
  void all_kernels_agree_on_odd_sizes() {
    std::mt19937 random(20150018);
    for (const bool wide : {false, true})
      for (const int order : {2, 4, 6, 8})
        for (const bool equal : {true, false})
          for (const bool varying : {true, false}) {
            std::array<Index, 3> n{};
            for (auto& i : n) i = std::uniform_int_distribution<Index>(order + 9, 29)(random);
            n[2] += std::uniform_int_distribution<Index>(0, 40)(random);
            Problem p = busy_problem(order, n, equal, varying, wide);
            p.kernel = "reference";
            const Everything truth = run(p, "cpu:1", 12);
            double largest = 0;
            for (const float v : truth.field) largest = std::max(largest, std::abs(static_cast<double>(v)));
            QVERIFY2(largest > 1e-6 && std::isfinite(largest), "the test field must move");
            for (const auto name : row_kernel_names(this_machine())) {
              p.kernel = name;
              QVERIFY2(run(p, "cpu:1", 12) == truth,
                       qPrintable(QString("%1 order %2 equal %3 varying %4 double %5 (%6,%7,%8)")
                                      .arg(QString::fromStdString(p.kernel))
                                      .arg(order)
                                      .arg(equal)
                                      .arg(varying)
                                      .arg(wide)
                                      .arg(n[0])
                                      .arg(n[1])
                                      .arg(n[2])));
            }
          }
  }

  void threads_and_workers_do_not_matter() {
    const Problem p = busy_problem(8, {37, 23, 45}, true, true, false);
    const Everything one = run(p, "cpu:1", 25);
    QVERIFY(run(p, "cpu:4", 25) == one);
    QVERIFY(run(p, "cpu:3,cpu:1", 25) == one);
    QVERIFY(run(p, "cpu:1,cpu:1,cpu:2", 25) == one);
  }

  void a_different_step_gives_different_bits() {  // so that equality above means something
    const Problem p = busy_problem(4, {19, 17, 21}, true, true, false);
    QVERIFY(!(run(p, "cpu:1", 12).field == run(p, "cpu:1", 13).field));
    Problem q = p;
    q.dt *= 1.0001;
    QVERIFY(!(run(q, "cpu:1", 12) == run(p, "cpu:1", 12)));
  }

  void split_by_save_and_load_is_the_unsplit_run() {
    for (const bool wide : {false, true}) {
      const Problem p = busy_problem(6, {21, 26, 33}, false, true, wide);
      const auto cluster = single_rank();
      Team team({WorkerSpec{"cpu", 2, 1}});
      const auto whole = make_march(p, this_machine(), *cluster);
      whole->start(team, *cluster);
      march_on(*whole, p, 13, team, *cluster);
      MemoryCheckpoint checkpoint;
      whole->save(checkpoint);
      const Everything rest = march_on(*whole, p, 12, team, *cluster);

      const auto second = make_march(p, this_machine(), *cluster);
      second->start(team, *cluster);
      second->load(checkpoint, *cluster);
      QCOMPARE(second->steps_done(), Index{13});
      QVERIFY(march_on(*second, p, 12, team, *cluster) == rest);
    }
  }

  void unknown_kernel_is_refused() {
    Problem p = busy_problem(2, {11, 12, 13}, true, false, false);
    p.kernel = "neon";
    const auto cluster = single_rank();
    try {
      (void)make_march(p, this_machine(), *cluster);
      QFAIL("an unknown kernel must be refused");
    } catch (const Failure& failure) {
      QCOMPARE(failure.error().code, ErrorCode::resources);
      QVERIFY(failure.error().hint.find("reference") != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(TestMarchBitwise)
#include "test_march_bitwise.moc"
