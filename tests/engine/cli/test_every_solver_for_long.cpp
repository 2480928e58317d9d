// SPDX-License-Identifier: BSD-3-Clause
// Every solver killed at twenty random moments and inside twenty writes, stopped at ten, without memory and without disk; and
// every sample case stopped at six moments of its first sixteen seconds, whatever it is doing then.
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
  void a_full_file_system_loses_nothing_data() { rows(); }
  void a_full_file_system_loses_nothing() {
    if (QProcess::execute("sh", {"-c", "unshare -m true 2>/dev/null"}) != 0)
      QSKIP("a file system of its own is not allowed here");
    QFETCH(QString, solver);
    safety::fill_disk(scratch_.path(), solver);
  }
  void price_of_determinism_data() { rows(); }
  void price_of_determinism() {
    QFETCH(QString, solver);
    const auto march = [&](const QString& name, const char* deterministic) {
      const rod::Said said =
          safety::conoid(scratch_.path(), {"run", safety::case_of(solver), "--out", name, "--progress", "none", "--set",
                                           QString("compute.deterministic=%1").arg(deterministic), "--threads", "2"});
      if (said.exit != 0) qFatal("%s", said.err.c_str());
      return rod::summary_of(scratch_ / name.toStdString())["seconds"]["march"].get<double>();
    };
    const double with = march(solver + "-with", "true");
    const double without = march(solver + "-without", "false");
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
    for (const int moment : {300, 1000, 2000, 4000, 8000, 16000}) {
      const QString out = QString("%1-%2").arg(name).arg(moment);
      QProcess process;
      safety::start(process, scratch_.path(),
                    {"run", CONOID_SOURCE_DIR "/resources/cases/" + name, "--out", out, "--progress", "none"});
      if (process.waitForFinished(moment)) break;
      const auto asked = safety::Clock::now();
      ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
      QVERIFY2(process.waitForFinished(60000), "it did not stop");
      const double seconds = std::chrono::duration<double>(safety::Clock::now() - asked).count();
      qInfo("%s, asked after %d ms: ended after %.2f s with %d", qPrintable(name), moment, seconds, process.exitCode());
      QVERIFY2(seconds < 5, process.readAllStandardError().constData());
      QVERIFY(process.exitCode() == 75 || process.exitCode() == 0);
      std::error_code ignored;
      rod::fs::remove_all(scratch_ / out.toStdString(), ignored);
    }
  }

 private:
  static void rows() {
    QTest::addColumn<QString>("solver");
    for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
  }
  rod::Scratch scratch_;
};

QTEST_APPLESS_MAIN(TestEverySolverForLong)
#include "test_every_solver_for_long.moc"
