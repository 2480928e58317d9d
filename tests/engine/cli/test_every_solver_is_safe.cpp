// SPDX-License-Identifier: BSD-3-Clause
// Every solver is killed, stopped and run twice; `long` does the same at twenty moments.
// labels: cli long timeout3600
#include "tests/all_rows.hpp"
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
    safety::stop_and_resume(scratch_.path(), solver, 1, 20260102, 3);
  }
  void deterministic_runs_have_the_same_bits_data() { rows(); }
  void deterministic_runs_have_the_same_bits() {
    QFETCH(QString, solver);
    const safety::Whole& once = safety::whole_run(scratch_.path(), solver);
    const QString again = solver + "-again";
    COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, again)), 0);
    std::string wrong = safety::difference(once.left, safety::left_by(scratch_ / again.toStdString()));
    QVERIFY2(wrong.empty(), wrong.c_str());
    // On two threads, whichever of them is faster.
    for (const char* name : {"-two", "-two-again"})
      COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, solver + name, {"--threads", "2"})), 0);
    wrong = safety::difference(safety::left_by(scratch_ / (solver + "-two").toStdString()),
                               safety::left_by(scratch_ / (solver + "-two-again").toStdString()));
    QVERIFY2(wrong.empty(), ("on two threads: " + wrong).c_str());
  }
  /// Where memory ends is mostly the session's and the libraries' business: a solver with large factors and one without.
  void limits_of_address_space_are_messages_data() {
    if (conoid::all_rows()) return rows();
    QTest::addColumn<QString>("solver");
    for (const char* solver : {"acoustic-fd", "maxwell-fem"})
      if (safety::solvers().contains(solver)) QTest::newRow(solver) << QString(solver);
  }
  void limits_of_address_space_are_messages() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the sanitizers need more address space than there is");
#endif
    QFETCH(QString, solver);
    safety::limit_memory(scratch_.path(), solver, 1125, 300);  // between them libraries ask for more while they compute
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
