// SPDX-License-Identifier: BSD-3-Clause
// `mpirun -n 2 conoid run`: the results of one rank, stops and failures with the right exit code, no rank left behind.
// Every solver goes on from one rank to two and back to one, or refuses several with a sentence.
// labels: cli mpi rows timeout300
#include <QTest>

#include <array>

#include "tests/all_rows.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

/// Ranks of acoustic-bem add their slices in another order than one rank does, which may turn the last bit of a frame's values in single
/// precision, 1.2e-7 (test_ranks of the solver holds the signals in double to 2e-14); of the others what a resumed run must keep.
static safety::Limits limits_on_ranks(const QString& solver) {
  safety::Limits out = safety::limits_of(solver);
  if (solver == "acoustic-bem") out.relative = 1.3e-7;
  return out;
}

/// Several ranks on few cores wait for each other at every step: fewer of them.
static QStringList fewer_steps(const QString& solver) {
  if (solver == "acoustic-fd") return {"--set", "parameters.end_time=0.1"};
  if (solver == "hydro-fem") return {"--set", "parameters.end_time=0.2"};
  return {};
}

class TestRanks : public QObject {
  Q_OBJECT
  /// Most of the time of these runs is waiting, for mpirun and for ranks that fail alone: all are started at once.
  struct Started {
    rod::Scratch scratch;
    QProcess process;
    rod::Said said() { return rod::collect(process, 60000); }
  };
  static void start(Started& run, const Json& json);
  Started sound_, all_fail_, unstable_;
  std::array<Started, 2> fail_;

 private slots:
  void initTestCase();
  void two_ranks_equal_one();
  void implicit_steps_are_the_same_for_any_ranks_and_workers();
  void a_failure_of_all_ranks_ends_all();
  void a_failure_of_one_rank_ends_all();
  void an_invalid_case_is_told_once();
  void a_rank_that_does_not_come_back_is_given_up_data();
  void a_rank_that_does_not_come_back_is_given_up();
  void checkpoints_go_from_one_rank_to_two_and_back_data();
  void checkpoints_go_from_one_rank_to_two_and_back();
  void frequencies_of_a_sweep_are_shared_by_ranks();
  void killed_ranks_go_on_to_the_same_end_data();
  void killed_ranks_go_on_to_the_same_end();
};

namespace {
Json faulty_rank(const char* fault, int rank) {
  Json json = rod::json(20);
  json["parameters"]["fault"] = fault;
  json["parameters"]["fault_rank"] = rank;
  return json;
}
Json unstable() {
  Json json = rod::json(20);
  json["parameters"]["fourier"] = 0.7;
  return json;
}
}  // namespace

void TestRanks::initTestCase() {
  start(sound_, rod::json(60));
  start(all_fail_, faulty_rank("divergence", -1));
  start(fail_[0], faulty_rank("memory", 0));
  start(fail_[1], faulty_rank("memory", 1));
  start(unstable_, unstable());
}

void TestRanks::start(Started& run, const Json& json) {
  rod::write_case(run.scratch / "case.json", json);
  rod::prepare(run.process, run.scratch.path())
      .start("mpirun", {"--allow-run-as-root", "--oversubscribe", "-n", "2", CONOID_WITH_HEAT_ROD, "run", "case.json",
                        "--progress", "none", "--out", "run"});
}

void TestRanks::two_ranks_equal_one() {
  const rod::Scratch& scratch = sound_.scratch;
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "case.json", "--out", "one"}), 0);
  COMPARE_EXIT(sound_.said(), 0);
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "one/charts/heat.csv"));
  QCOMPARE(rod::summary_text(scratch / "run", "numbers"), rod::summary_text(scratch / "one", "numbers"));
  QCOMPARE(rod::summary_of(scratch / "run")["ranks"].get<int>(), 2);
}

/// 701 points are 11 blocks, the last shorter: ranks and workers share them unevenly.
void TestRanks::implicit_steps_are_the_same_for_any_ranks_and_workers() {
  const rod::Scratch scratch;
  Json json = rod::json(3, 0, 702);
  json["parameters"]["scheme"] = "implicit";
  json["parameters"]["fourier"] = 25;
  rod::write_case(scratch / "case.json", json);
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "case.json", "--out", "one", "--workers", "cpu:1"}), 0);
  const Json numbers = rod::summary_of(scratch / "one")["numbers"];
  QVERIFY2(numbers["rounding"]["value"].get<double>() < 1e-11, conoid::compact_json(numbers).c_str());
  QVERIFY(numbers["iterations"]["value"].get<double>() > 3);
  const std::string rows = rod::rows_of(scratch / "one/charts/heat.csv");
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "case.json", "--out", "two", "--workers", "cpu:2,cpu:1"}), 0);
  QCOMPARE(rod::rows_of(scratch / "two/charts/heat.csv"), rows);
  for (const char* ranks : {"2", "4"}) {
    QProcess process;
    const std::string out = std::string("ranks") + ranks;
    rod::prepare(process, scratch.path())
        .start("mpirun", {"--allow-run-as-root", "--oversubscribe", "-n", ranks, CONOID_WITH_HEAT_ROD, "run",
                          "case.json", "--threads", "1", "--progress", "none", "--out", QString::fromStdString(out)});
    QVERIFY(process.waitForFinished(60000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    QCOMPARE(rod::rows_of(scratch / (out + "/charts/heat.csv")), rows);
    QCOMPARE(rod::summary_text(scratch / out, "numbers"), rod::summary_text(scratch / "one", "numbers"));
  }
}

void TestRanks::a_failure_of_all_ranks_ends_all() {
  COMPARE_EXIT(all_fail_.said(), 5);
  QCOMPARE(rod::summary_text(all_fail_.scratch / "run", "state"), std::string("\"failed\""));
}

void TestRanks::a_failure_of_one_rank_ends_all() {
  for (const int rank : {0, 1}) {
    Started& run = fail_[static_cast<std::size_t>(rank)];
    const rod::Said said = run.said();
    COMPARE_EXIT(said, 6);
    QVERIFY2(said.says("rank " + std::to_string(rank)), said.err.c_str());
    QCOMPARE(rod::summary_of(run.scratch / "run")["error"]["code"].get<int>(), 6);
  }
}

void TestRanks::an_invalid_case_is_told_once() {
  const rod::Said said = unstable_.said();
  COMPARE_EXIT(said, 3);
  const std::string word = "limit of stability";
  const auto first = said.err.find(word);
  QVERIFY(first != std::string::npos);
  QVERIFY2(said.err.find(word, first + 1) == std::string::npos, said.err.c_str());
}

void TestRanks::a_rank_that_does_not_come_back_is_given_up_data() {
  QTest::addColumn<int>("step");
  QTest::newRow("preparing") << 0;
  QTest::newRow("computing") << 5;
}

/// The leading rank is done and waits for the other, which computes for a minute.
void TestRanks::a_rank_that_does_not_come_back_is_given_up() {
  QFETCH(int, step);
  const rod::Scratch scratch;
  Json json = faulty_rank("stuck", 1);
  json["parameters"]["fault_step"] = step;
  rod::write_case(scratch / "case.json", json);
  // Answered within a second and ended within five, unless the machine is busy with other things: then in one of a few attempts.
  double answer = 0, end = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    std::error_code ignored;
    rod::fs::remove_all(scratch / "run", ignored);
    QProcess process;
    rod::prepare(process, scratch.path())
        .start(CONOID_WITH_HEAT_ROD, {"run", "case.json", "--progress", "plain", "--out", "run", "--launcher",
                                      "mpirun --allow-run-as-root --oversubscribe -n 2"});
    QVERIFY(process.waitForStarted());
    QVERIFY(rod::eventually([&] { return rod::fs::exists(scratch / "run/run.json"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    QVERIFY(process.state() == QProcess::Running);
    const auto asked = safety::Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(safety::Clock::now() - asked).count(); };
    ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
    QByteArray told;
    QVERIFY(rod::eventually([&] {
      process.waitForReadyRead(5);
      told += process.readAllStandardError();
      return told.contains("stopping");
    }));
    answer = seconds();
    rod::Said said = rod::collect(process);
    end = seconds();
    said.err = told.toStdString() + said.err;
    COMPARE_EXIT(said, 75);
    QVERIFY2(said.says("conoid resume"), (said.out + said.err).c_str());
    QCOMPARE(rod::summary_text(scratch / "run", "state"), std::string("\"stopped\""));
    if (answer < 1 && end < 5) break;
  }
  QVERIFY2(answer < 1 && end < 5, qPrintable(QString("answered after %1 s, ended after %2 s").arg(answer).arg(end)));
  // No rank is left behind: none works in this folder any more.
  const auto left = [&] {
    int n = 0;
    std::error_code none;
    for (rod::fs::directory_iterator it("/proc", none), last; !none && it != last; it.increment(none)) {
      std::error_code another;
      if (rod::fs::read_symlink(it->path() / "cwd", another) == scratch.path()) ++n;
    }
    return n;
  };
  QVERIFY(rod::eventually([&] { return left() == 0; }));
}

/// What mpirun is told: two ranks of the program, with a fault in those whose numbers are in `ranks`, at their `at`-th call of this name.
static QStringList on_two_ranks(const QString& ranks, const QString& kind, int at, const QString& name) {
  return {
      "--allow-run-as-root",
      "--oversubscribe",
      "-n",
      "2",
      "sh",
      "-c",
      QString("case '%1' in *$OMPI_COMM_WORLD_RANK*) export LD_PRELOAD='%2' CONOID_FAULT_KIND=%3 CONOID_FAULT_AT=%4 "
              "CONOID_FAULT_NAME='%5';; esac; exec \"$0\" \"$@\"")
          .arg(ranks, CONOID_WRITE_FAULTS, kind, QString::number(at), name),
      safety::program};
}

void TestRanks::checkpoints_go_from_one_rank_to_two_and_back_data() {
  QTest::addColumn<QString>("solver");
  for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
}

void TestRanks::checkpoints_go_from_one_rank_to_two_and_back() {
  QFETCH(QString, solver);
  const rod::Scratch scratch;
  const QStringList two = {"--launcher", "mpirun --allow-run-as-root --oversubscribe -n 2"}, some = fewer_steps(solver);
  QProcess beside;
  safety::start(beside, scratch.path(), safety::run_line(solver, "two", two + some));
  COMPARE_EXIT(safety::conoid(scratch.path(), safety::run_line(solver, "whole", some)), 0);
  const safety::Left whole = safety::left_by(scratch / "whole");
  const rod::Said at_once = rod::collect(beside);
  if (at_once.exit != 0) {
    COMPARE_EXIT(at_once, 3);
    QVERIFY2(at_once.says("rank"), at_once.err.c_str());
    qInfo("%s refuses two ranks", qPrintable(solver));
    return;
  }
  std::string wrong = safety::difference(whole, safety::left_by(scratch / "two"), limits_on_ranks(solver));
  QVERIFY2(wrong.empty(), ("two ranks: " + wrong).c_str());
  // Each part is asked to stop while it writes its first checkpoint: however fast the machine, there is an end to come to.
  COMPARE_EXIT(safety::conoid(scratch.path(), safety::run_line(solver, "parts", safety::often + some),
                              safety::stops_in_checkpoint()),
               75);
  // Of two ranks the leading one is asked, and both stop.
  QProcess second;
  rod::prepare(second, scratch.path())
      .start("mpirun", on_two_ranks("0", "stop", 1, "rename step-#.part/") +
                           QStringList{"resume", "parts", "--progress", "none"});
  COMPARE_EXIT(rod::collect(second), 75);
  QCOMPARE(rod::summary_of(scratch / "parts")["ranks"].get<int>(), 2);
  COMPARE_EXIT(safety::conoid(scratch.path(), {"resume", "parts", "--progress", "none"}), 0);
  wrong = safety::difference(whole, safety::left_by(scratch / "parts"), limits_on_ranks(solver));
  QVERIFY2(wrong.empty(), ("one, two and one: " + wrong).c_str());
}

/// Five frequencies in one band: ranks compute two or four of them at once, and what is written stays the same to the last digit.
void TestRanks::frequencies_of_a_sweep_are_shared_by_ranks() {
  const rod::Scratch scratch;
  const Json json = conoid::read_json(R"({
    "conoid": 1, "solver": "maxwell-fem", "sphere": {"radius": "50 mm", "divisions": 2, "layers": 1},
    "excitation": {"frequencies": {"from": "0.9 GHz", "to": "1.1 GHz", "count": 5}, "theta": "180 deg", "polarisation": "V"},
    "truncation": {"tolerance": 1e-4},
    "output": {"cuts": [{"name": "E plane", "count": 5}],
               "planes": [{"low": [-0.1, 0, -0.1], "high": [0.1, 0, 0.1], "points": [3, 3]}]},
    "compute": {"threads": 1}})");
  rod::write_case(scratch / "case.json", json);
  const auto on_ranks = [](const QString& ranks, const QStringList& words) {
    return QStringList{"--allow-run-as-root", "--oversubscribe", "-n", ranks, safety::program} + words;
  };
  const QStringList run = {"run", "case.json", "--progress", "none", "--out"};
  COMPARE_EXIT(safety::conoid(scratch.path(), run + QStringList{"one"}), 0);
  const safety::Left one = safety::left_by(scratch / "one");
  for (const char* ranks : {"2", "4"}) {
    if (ranks == std::string_view("2") && !conoid::all_rows()) continue;  // two are those that go on below
    const QString out = QString("ranks") + ranks;
    QProcess process;
    rod::prepare(process, scratch.path()).start("mpirun", on_ranks(ranks, run + QStringList{out}));
    COMPARE_EXIT(rod::collect(process), 0);
    const std::filesystem::path folder = scratch / out.toStdString();
    for (const char* table : {"frequency", "convergence", "rcs_E_plane_f1", "rcs_E_plane_f5"})
      QCOMPARE(rod::rows_of(folder / "charts" / (std::string(table) + ".csv")),
               rod::rows_of(scratch / ("one/charts/" + std::string(table) + ".csv")));
  }
  // Stopped on one rank, gone on with two, which are stopped in the middle of their frequencies, and finished by one.
  COMPARE_EXIT(
      safety::conoid(scratch.path(), run + QStringList{"parts"} + safety::often, safety::stops_in_checkpoint()), 75);
  QProcess second;
  rod::prepare(second, scratch.path())
      .start("mpirun", on_two_ranks("0", "stop", 2, "rename step-#.part/") +
                           QStringList{"resume", "parts", "--progress", "none"});
  COMPARE_EXIT(rod::collect(second), 75);
  COMPARE_EXIT(safety::conoid(scratch.path(), {"resume", "parts", "--progress", "none"}), 0);
  const std::string wrong = safety::difference(one, safety::left_by(scratch / "parts"), limits_on_ranks("maxwell-fem"));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestRanks::killed_ranks_go_on_to_the_same_end_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("killed");
  QTest::addColumn<QString>("inside");
  int turns = 0;
  for (const char* solver :
       {"acoustic-bem", "acoustic-fd", "hydro-fem", "maxwell-fem"}) {  // of elastic-bem: test_elastic_ranks.cpp
    // Who is killed and where is the session's business, not the solvers': all of it with one of them, with the others by turns.
    const bool all = conoid::all_rows() || solver == std::string_view("acoustic-fd");
    const int turn = all ? -1 : turns++ % 3;
    if (all || turn == 0)
      QTest::addRow("%s, the leading rank", solver) << solver << "0"
                                                    << "rename step-#.part/";
    if (all || turn == 1)
      QTest::addRow("%s, the other rank", solver) << solver << "1"
                                                  << "fsync rank-#.bin";
    if (all || turn == 2)
      QTest::addRow("%s, both", solver) << solver << "0 1"
                                        << "fsync rank-#.bin";
  }
}

/// Ranks that are gone between two instructions, while they write their second checkpoint; the run goes on on two ranks.
void TestRanks::killed_ranks_go_on_to_the_same_end() {
  QFETCH(QString, solver);
  QFETCH(QString, killed);
  QFETCH(QString, inside);
  static const rod::Scratch scratch;  // the whole runs in it serve all rows
  const QStringList some = fewer_steps(solver);
  const QString whole = solver + "-one", out = solver + killed.remove(' ');
  if (!rod::fs::exists(scratch / whole.toStdString()))
    COMPARE_EXIT(safety::conoid(scratch.path(), safety::run_line(solver, whole, some)), 0);
  QProcess process;
  rod::prepare(process, scratch.path())
      .start("mpirun", on_two_ranks(killed, "die", 2, inside) + safety::run_line(solver, out, safety::often + some));
  const rod::Said said = rod::collect(process);
  QVERIFY2(said.exit > 0 && said.exit != 75, (said.out + said.err).c_str());
  QVERIFY2(said.says("signal 9") || said.says("Killed"), (said.out + said.err).c_str());
  QVERIFY(!rod::fs::is_empty(scratch / out.toStdString() / "checkpoints"));
  COMPARE_EXIT(safety::conoid(scratch.path(), {"resume", out, "--progress", "none", "--launcher",
                                               "mpirun --allow-run-as-root --oversubscribe -n 2"}),
               0);
  const Json summary = rod::summary_of(scratch / out.toStdString());
  QCOMPARE(summary["ranks"].get<int>(), 2);
  QCOMPARE(summary["resumed"].get<int>(), 1);
  const std::string wrong = safety::difference(safety::left_by(scratch / whole.toStdString()),
                                               safety::left_by(scratch / out.toStdString()), limits_on_ranks(solver));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

QTEST_APPLESS_MAIN(TestRanks)
#include "test_ranks.moc"
