// SPDX-License-Identifier: BSD-3-Clause
// Every solver is killed, stopped and run twice; `long` does the same at twenty moments.
// labels: cli timeout300
#include "tests/engine/cli/solver_safety.hpp"

class TestEverySolverIsSafe : public QObject {
  Q_OBJECT
 private slots:
  void killed_runs_go_on_to_the_same_bits_data() { rows(); }
  void killed_runs_go_on_to_the_same_bits() {
    QFETCH(QString, solver);
    safety::kill_and_resume(scratch_.path(), solver, 1, 20260101);
  }
  void stopped_runs_go_on_to_the_same_bits_data() { rows(); }
  void stopped_runs_go_on_to_the_same_bits() {
    QFETCH(QString, solver);
    safety::stop_and_resume(scratch_.path(), solver, 1, 20260102);
  }
  void deterministic_runs_have_the_same_bits_data() { rows(); }
  void deterministic_runs_have_the_same_bits() {
    QFETCH(QString, solver);
    const safety::Whole& once = safety::whole_run(scratch_.path(), solver);
    const QString again = solver + "-again";
    COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, again)), 0);
    const std::string wrong = safety::difference(once.left, safety::left_by(scratch_ / again.toStdString()));
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  void price_of_determinism_data() { rows(); }
  void price_of_determinism() {
    QFETCH(QString, solver);
    const auto march = [&](const QString& name, const char* deterministic) {
      const rod::Said said = safety::conoid(scratch_.path(), {"run", safety::case_of(solver), "--out", name, "--progress", "none", "--set",
                                                              QString("compute.deterministic=%1").arg(deterministic), "--threads", "2"});
      if (said.exit != 0) qFatal("%s", said.err.c_str());
      return rod::summary_of(scratch_ / name.toStdString())["seconds"]["march"].get<double>();
    };
    const double with = march(solver + "-with", "true");
    const double without = march(solver + "-without", "false");
    qInfo("%s on 2 threads: march %.3f s deterministic, %.3f s otherwise", qPrintable(solver), with, without);
    QVERIFY(with > 0 && without > 0);
    // Two threads in whatever order leave what one leaves.
    const std::string wrong = safety::difference(safety::whole_run(scratch_.path(), solver).left,
                                                 safety::left_by(scratch_ / (solver + "-with").toStdString()));
    QVERIFY2(wrong.empty(), ("deterministic, but the number of threads shows: " + wrong).c_str());
  }

 private:
  static void rows() {
    QTest::addColumn<QString>("solver");
    for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
  }
  rod::Scratch scratch_;
};

QTEST_APPLESS_MAIN(TestEverySolverIsSafe)
#include "test_every_solver_is_safe.moc"
