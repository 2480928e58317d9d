// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for each other: every program of ours tells OpenMP to be short about it, and barriers hold however short.
// labels: unit
// links: conoid_team
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <QCoreApplication>
#include <QProcess>
#include <QTest>

#include "conoid/config.hpp"
#include "engine/team/together.hpp"

using namespace conoid;

class TestWaitingThreads : public QObject {
  Q_OBJECT

 private slots:
  void openmp_is_told_how_long_to_spin() {
#if !CONOID_HAVE_OPENMP || !defined(__GLIBC__)
    QSKIP("no libgomp here");
#else
    // libgomp reads its settings while it is loaded, and tells them on stderr when asked to.
    const auto settings = [](const QString& name, const QString& value) {
      QProcess self;
      QProcessEnvironment with = QProcessEnvironment::systemEnvironment();
      with.remove("OMP_WAIT_POLICY");
      with.remove("GOMP_SPINCOUNT");
      with.insert("OMP_DISPLAY_ENV", "VERBOSE");
      if (!name.isEmpty()) with.insert(name, value);
      self.setProcessEnvironment(with);
      self.start(QCoreApplication::applicationFilePath(), {"waiting_threads", "-functions"});
      self.waitForFinished();
      return QString::fromUtf8(self.readAllStandardError());
    };
    const QString ours = settings({}, {});
    // Other programs may want this machine's cores right now.
    QVERIFY2(ours.contains("GOMP_SPINCOUNT = '2000'") || ours.contains("GOMP_SPINCOUNT = '100'"), qPrintable(ours));
    // Short where more threads can run than there are cores.
    std::atomic<bool> enough{false};
    std::vector<std::jthread> others;
    for (unsigned k = 0; k < 2 * std::thread::hardware_concurrency() + 2; ++k)
      others.emplace_back([&] {
        while (!enough) {
        }
      });
    const QString busy = settings({}, {});
    enough = true;
    QVERIFY2(busy.contains("GOMP_SPINCOUNT = '100'"), qPrintable(busy));
    QVERIFY(settings("GOMP_SPINCOUNT", "77").contains("GOMP_SPINCOUNT = '77'"));
    QVERIFY(settings("OMP_WAIT_POLICY", "passive").contains("GOMP_SPINCOUNT = '0'"));
#endif
  }

  void the_environment_is_what_it_was() {
    qputenv("CONOID_TEST_VARIABLE", "a=b");
    qputenv("CONOID_TEST", "short");
    QCOMPARE(QByteArray(std::getenv("CONOID_TEST_VARIABLE")), QByteArray("a=b"));
    QCOMPARE(QByteArray(std::getenv("CONOID_TEST")), QByteArray("short"));
    qunsetenv("CONOID_TEST");
    QVERIFY(std::getenv("CONOID_TEST") == nullptr);
    QVERIFY(std::getenv("CONOID_TES") == nullptr);
  }

  void nobody_passes_a_barrier_early() {
    // More threads than most machines that test this have cores, of which the first is late every time.
    const CpuWorker worker(7);
    std::atomic<int> at{0}, early{0};
    run_together(worker, 7, [&](Together& all, int thread) {
      for (int round = 1; round <= 60; ++round) {
        if (thread == 0 && round % 20 == 0) QTest::qSleep(2);
        at.fetch_add(1);
        all.wait();
        if (at.load() < round * all.threads()) early.fetch_add(1);
        all.wait();
      }
    });
    QCOMPARE(early.load(), 0);
  }
};

QTEST_GUILESS_MAIN(TestWaitingThreads)
#include "test_waiting_threads.moc"
