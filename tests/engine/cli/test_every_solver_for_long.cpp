// SPDX-License-Identifier: BSD-3-Clause
// Every solver killed at twenty random moments and inside twenty writes, stopped at ten, without memory and without disk, its memory
// gone at thirty random pieces; and every sample case stopped at six random moments of its first sixteen seconds, one of them
// while it writes.
// labels: cli long timeout3600
#include "tests/engine/cli/solver_safety.hpp"

class TestEverySolverForLong : public QObject {
  Q_OBJECT
 private slots:
  void killed_runs_go_on_to_the_same_bits_data() { rows(); }
  void killed_runs_go_on_to_the_same_bits() {
    QFETCH(QString, solver);
    safety::kill_and_resume(scratch_.path(), solver, 20, std::random_device{}());
  }
  void stopped_runs_go_on_to_the_same_bits_data() { rows(); }
  void stopped_runs_go_on_to_the_same_bits() {
    QFETCH(QString, solver);
    safety::stop_and_resume(scratch_.path(), solver, 10, std::random_device{}());
  }
  void any_limit_of_address_space_is_a_message_data() { rows(); }
  void any_limit_of_address_space_is_a_message() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the sanitizers need more address space than there is");
#endif
    QFETCH(QString, solver);
    safety::limit_memory(scratch_.path(), solver);
  }
  void when_there_is_memory_again_data() {
    rows();
  }
  void when_there_is_memory_again() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the sanitizers have an operator new of their own");
#endif
    QFETCH(QString, solver);
    safety::run_out_of_memory(scratch_.path(), solver, 30, std::random_device{}());
  }
  void a_full_file_system_loses_nothing_data() {
    rows();
  }
  void a_full_file_system_loses_nothing() {
    if (QProcess::execute("sh", {"-c", "unshare -m true 2>/dev/null"}) != 0)
      QSKIP("a file system of its own is not allowed here");
    QFETCH(QString, solver);
    safety::fill_disk(scratch_.path(), solver);
  }
  void price_of_determinism_data() {
    rows();
  }
  void price_of_determinism() {
    QFETCH(QString, solver);
    const auto march = [&](const QString& name, const char* deterministic) {
      const rod::Said said =
          safety::conoid(scratch_.path(), {"run", safety::case_of(solver), "--out", name, "--progress", "none", "--set",
                                           QString("compute.deterministic=%1").arg(deterministic), "--threads", "2"});
      if (said.exit != 0) qFatal("%s", said.err.c_str());
      return rod::summary_of(scratch_ / name.toStdString())["seconds"]["march"].get<double>();
    };
    // By turns, the shortest of each: the first run of a program is slower.
    double with = 1e9;
    double without = 1e9;
    for (const char* round : {"", "-2", "-3"}) {
      with = std::min(with, march(solver + "-with" + round, "true"));
      without = std::min(without, march(solver + "-without" + round, "false"));
    }
    qInfo("%s on 2 threads: march %.3f s deterministic, %.3f s otherwise", qPrintable(solver), with, without);
    QVERIFY(with > 0 && without > 0);
    const std::string wrong = safety::difference(safety::whole_run(scratch_.path(), solver).left,
                                                 safety::left_by(scratch_ / (solver + "-with").toStdString()));
    qInfo("%s: one thread and two leave %s", qPrintable(solver),
          wrong.empty() ? "the same bits" : ("another " + wrong).c_str());
  }
  void every_sample_stops_within_five_seconds_data() {
    QTest::addColumn<QString>("name");
    for (const auto& entry : rod::fs::directory_iterator(CONOID_SOURCE_DIR "/resources/cases"))
      if (rod::fs::exists(entry.path() / "case.json"))
        QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().filename().string());
  }
  void every_sample_stops_within_five_seconds() {
    QFETCH(QString, name);
    // Setting up, assembling, stepping at random moments; the last one asks while a checkpoint is being written.
    std::mt19937 random(std::random_device{}());
    const auto between = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    const std::vector<int> moments = {between(100, 500),   between(500, 1500),   between(1500, 4000),
                                      between(4000, 9000), between(9000, 16000), between(2000, 8000)};
    QStringList told;
    QStringList wrong;
    for (std::size_t round = 0; round < moments.size(); ++round) {
      const int moment = moments[round];
      const bool writing = round + 1 == moments.size();
      const QString out = QString("%1-%2").arg(name).arg(round);
      QProcess process;
      safety::start(process, scratch_.path(),
                    {"run", CONOID_SOURCE_DIR "/resources/cases/" + name, "--out", out, "--progress", "plain"});
      if (process.waitForFinished(moment)) {
        told << QString("%1 ms: finished before").arg(moment);
        if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
          wrong << told.back() + ", and failed: " + process.readAllStandardError().right(400);
        continue;
      }
      if (writing) {
        ::kill(static_cast<pid_t>(process.processId()), SIGUSR1);
        process.waitForFinished(between(0, 200));
      }
      const auto asked = safety::Clock::now();
      const auto seconds = [&] { return std::chrono::duration<double>(safety::Clock::now() - asked).count(); };
      ::kill(static_cast<pid_t>(process.processId()), SIGINT);
      QByteArray said;
      double answer = -1;
      while (process.state() != QProcess::NotRunning && seconds() < 60) {
        if (answer < 0)
          process.waitForReadyRead(10);
        else
          process.waitForFinished(60000);
        said += process.readAllStandardError();
        if (answer < 0 && said.contains("stopping")) answer = seconds();
      }
      QVERIFY2(process.state() == QProcess::NotRunning, "it did not stop");
      const double end = seconds();
      if (answer < 0) answer = end;
      // A program that has not yet set up its handlers is ended by the signal, and has begun nothing.
      const bool early = process.exitStatus() == QProcess::CrashExit && process.exitCode() == SIGINT &&
                         !rod::fs::exists(scratch_ / out.toStdString() / "run.json");
      told << QString("%1 ms%2: %3 s, %4 s%5")
                  .arg(moment)
                  .arg(writing ? ", writing" : "")
                  .arg(answer, 0, 'f', 2)
                  .arg(end, 0, 'f', 2)
                  .arg(said.contains("has not come back") ? " (given up)"
                       : early                            ? " (by the signal)"
                                                          : "");
      if (answer >= 1 || end >= 5 ||
          !(early ||
            (process.exitStatus() == QProcess::NormalExit && (process.exitCode() == 75 || process.exitCode() == 0))))
        wrong << told.back() + QString(", exit %1 ").arg(process.exitCode()) + said.right(400);
      std::error_code ignored;
      rod::fs::remove_all(scratch_ / out.toStdString(), ignored);
    }
    qInfo("%s, asked after: answered, ended\n  %s", qPrintable(name), qPrintable(told.join("\n  ")));
    QVERIFY2(wrong.empty(), qPrintable(wrong.join("\n")));
  }

 private:
  static void rows() {
    QTest::addColumn<QString>("solver");
    for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
  }
  rod::Scratch scratch_;
};

int main(int argc, char** argv) {
  qputenv("QTEST_FUNCTION_TIMEOUT", "3600000");  // all rows of a function together; five minutes otherwise
  TestEverySolverForLong test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_every_solver_for_long.moc"
