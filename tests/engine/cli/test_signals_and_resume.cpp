// SPDX-License-Identifier: BSD-3-Clause
// SIGTERM, SIGINT, SIGUSR1 and kill -9 to a running `conoid run`, and `conoid resume` after them.
// labels: cli
#include <QTest>

#include <csignal>
#include <random>

#include "tests/engine/cli/program.hpp"

using conoid::Json;

class TestSignalsAndResume : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void sigterm_is_75_and_resume_equals_unsplit();
  void sigint_stops_and_a_second_one_ends();
  void a_solver_that_does_not_look_is_given_up();
  void sigusr1_checkpoints_and_goes_on();
  void killed_runs_go_on();
  void a_run_in_use_is_not_touched();
  void latest_finds_the_run();

 private:
  rod::Scratch scratch_;
  std::string whole_;  ///< rows of the run that was left alone
};

namespace {

constexpr int steps = 600;

void start(QProcess& process, const rod::fs::path& folder, const QString& out, const char* pace = "0.003",
           const char* progress = "none") {
  rod::prepare(process, folder)
      .start(CONOID_WITH_HEAT_ROD,
             {"run", "case.json", "--out", out, "--progress", progress, "--set",
              QString("parameters.pace=%1").arg(pace), "--set", "output.checkpoints.every_seconds=0.1"});
  process.waitForStarted();
}

void send(const QProcess& process, int signal) {
  ::kill(static_cast<pid_t>(process.processId()), signal);
}

int checkpoints_in(const rod::fs::path& run) {
  int n = 0;
  std::error_code code;
  for (rod::fs::directory_iterator it(run / "checkpoints", code), end; !code && it != end; it.increment(code))
    n += rod::fs::exists(it->path() / "manifest.json") && it->path().extension() != ".part" ? 1 : 0;
  return n;
}

rod::Said resume(const rod::fs::path& folder, const QString& run) {
  return rod::conoid(folder, {"resume", run, "--progress", "none"});
}

/// Whether the program has said that it heard the wish to stop; adds what it said.
bool is_stopping(QProcess& process, QByteArray& told) {
  process.waitForReadyRead(5);
  told += process.readAllStandardError();
  return told.contains("stopping");
}

}  // namespace

void TestSignalsAndResume::initTestCase() {
  rod::write_case(scratch_ / "case.json", rod::json(steps));
  const rod::Said said = rod::conoid(scratch_.path(), {"run", "case.json", "--out", "whole"});
  COMPARE_EXIT(said, 0);
  whole_ = rod::rows_of(scratch_ / "whole/charts/heat.csv");
}

void TestSignalsAndResume::sigterm_is_75_and_resume_equals_unsplit() {
  QProcess process;
  start(process, scratch_.path(), "term");
  QVERIFY(rod::eventually([&] { return checkpoints_in(scratch_ / "term") > 0; }));
  send(process, SIGTERM);
  rod::Said said = rod::collect(process);
  COMPARE_EXIT(said, 75);
  QVERIFY2(!said.says("has not come back"), said.err.c_str());
  QVERIFY2(said.says("conoid resume"), said.out.c_str());
  COMPARE_EXIT(resume(scratch_.path(), "term"), 0);
  QCOMPARE(rod::rows_of(scratch_ / "term/charts/heat.csv"), whole_);
  QCOMPARE(rod::summary_text(scratch_ / "term", "numbers"), rod::summary_text(scratch_ / "whole", "numbers"));
}

void TestSignalsAndResume::sigint_stops_and_a_second_one_ends() {
  QProcess process;
  start(process, scratch_.path(), "int");
  QVERIFY(rod::eventually([&] { return checkpoints_in(scratch_ / "int") > 0; }));
  send(process, SIGINT);
  COMPARE_EXIT(rod::collect(process), 75);

  // A step of ten seconds does not look at a wish to stop. Given up after 3.5 s, it would not end by a signal.
  QProcess stubborn;
  start(stubborn, scratch_.path(), "int2", "10", "plain");
  QVERIFY(rod::eventually([&] { return rod::fs::exists(scratch_ / "int2/charts/heat.csv"); }));
  send(stubborn, SIGINT);
  QByteArray told;
  QVERIFY(rod::eventually([&] { return is_stopping(stubborn, told); }));
  send(stubborn, SIGINT);
  QVERIFY(stubborn.waitForFinished(100000));
  QVERIFY(stubborn.exitStatus() == QProcess::CrashExit);
}

void TestSignalsAndResume::a_solver_that_does_not_look_is_given_up() {
  // A step of ten seconds. Answered within one and ended within five, unless the machine is busy with other things:
  // then in one of a few attempts.
  double answer = 0, end = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    std::error_code ignored;
    rod::fs::remove_all(scratch_ / "stuck", ignored);
    QProcess process;
    rod::prepare(process, scratch_.path())
        .start(CONOID_WITH_HEAT_ROD,
               {"run", "case.json", "--out", "stuck", "--progress", "plain", "--set", "parameters.pace=10"});
    QVERIFY(rod::eventually([&] { return rod::fs::exists(scratch_ / "stuck/charts/heat.csv"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // inside the step, as a rule
    const auto asked = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    };
    send(process, SIGTERM);
    QByteArray told;
    QVERIFY(rod::eventually([&] { return is_stopping(process, told); }));
    answer = seconds();
    rod::Said said = rod::collect(process);
    end = seconds();
    said.err = told.toStdString() + said.err;
    COMPARE_EXIT(said, 75);
    QVERIFY2(said.says("conoid resume") && said.says("has not come back"), (said.out + said.err).c_str());
    QCOMPARE(rod::summary_text(scratch_ / "stuck", "state"), std::string("\"stopped\""));
    if (answer < 1 && end < 5) break;
  }
  QVERIFY2(answer < 1 && end < 5, qPrintable(QString("answered after %1 s, ended after %2 s").arg(answer).arg(end)));
  // Without the pace it goes on to the same end.
  std::string text = rod::text_of(scratch_ / "stuck/case.json");
  const auto at = text.find("\"pace\": 10");
  QVERIFY2(at != std::string::npos, text.c_str());
  text.replace(at, 10, "\"pace\": 0");
  std::ofstream(scratch_ / "stuck/case.json") << text;
  COMPARE_EXIT(resume(scratch_.path(), "stuck"), 0);
  QCOMPARE(rod::rows_of(scratch_ / "stuck/charts/heat.csv"), whole_);
}

void TestSignalsAndResume::sigusr1_checkpoints_and_goes_on() {
  QProcess process;
  rod::prepare(process, scratch_.path())
      .start(CONOID_WITH_HEAT_ROD,
             {"run", "case.json", "--out", "usr1", "--progress", "none", "--set", "parameters.pace=0.006"});
  QVERIFY(process.waitForStarted());
  QVERIFY(rod::eventually([&] { return rod::fs::exists(scratch_ / "usr1/charts/heat.csv"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  QCOMPARE(checkpoints_in(scratch_ / "usr1"), 0);
  send(process, SIGUSR1);
  QVERIFY(rod::eventually([&] { return checkpoints_in(scratch_ / "usr1") == 1; }));
  QVERIFY(process.state() == QProcess::Running);
  COMPARE_EXIT(rod::collect(process), 0);
  QCOMPARE(rod::rows_of(scratch_ / "usr1/charts/heat.csv"), whole_);
}

void TestSignalsAndResume::killed_runs_go_on() {
  std::mt19937 random(20260314);
  for (int round = 0; round < 5; ++round) {
    const std::string name = "kill" + std::to_string(round);
    QProcess process;
    start(process, scratch_.path(), QString::fromStdString(name));
    QVERIFY(rod::eventually([&] { return rod::fs::exists(scratch_ / (name + "/run.json")); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1200));
    process.kill();
    process.waitForFinished();
    const rod::Said said = resume(scratch_.path(), QString::fromStdString(name));
    COMPARE_EXIT(said, 0);
    QCOMPARE(rod::rows_of(scratch_ / (name + "/charts/heat.csv")), whole_);
    QCOMPARE(rod::summary_text(scratch_ / name, "numbers"), rod::summary_text(scratch_ / "whole", "numbers"));
    QCOMPARE(rod::summary_text(scratch_ / name, "frames"), rod::summary_text(scratch_ / "whole", "frames"));
  }
}

void TestSignalsAndResume::a_run_in_use_is_not_touched() {
  QProcess process;
  start(process, scratch_.path(), "busy", "0.1");
  QVERIFY(rod::eventually([&] { return checkpoints_in(scratch_ / "busy") > 0; }));
  const rod::Said said = resume(scratch_.path(), "busy");
  COMPARE_EXIT(said, 4);
  QVERIFY2(said.says("in use"), said.err.c_str());
  send(process, SIGTERM);
  COMPARE_EXIT(rod::collect(process), 75);
}

void TestSignalsAndResume::latest_finds_the_run() {
  COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "case.json", "--set", "parameters.steps=11", "--progress", "none"}),
               0);
  const rod::Said said = resume(scratch_.path(), "latest");
  COMPARE_EXIT(said, 0);
  QVERIFY2(said.says("finished already"), said.out.c_str());
}

QTEST_APPLESS_MAIN(TestSignalsAndResume)
#include "test_signals_and_resume.moc"
