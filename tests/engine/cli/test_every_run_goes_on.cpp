// SPDX-License-Identifier: BSD-3-Clause
// A run that was killed, or that ended for lack of memory, goes on where something is different: the number of threads, a device
// instead of the processors and back, planes of the grid that come from the disk.
// labels: cli long timeout1200

#include "conoid/config.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/cli/solver_safety.hpp"

class TestEveryRunGoesOn : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void on_another_number_of_threads_data() { rows(); }
  void on_another_number_of_threads();
  void when_there_is_memory_again_data() { rows(); }
  void when_there_is_memory_again();
  void on_a_device_and_back_data();
  void on_a_device_and_back();
  void when_a_device_has_too_little_memory();
  void with_planes_on_the_disk();
  void to_a_later_end_data();
  void to_a_later_end();
  void frames_and_rows_of_a_later_end_data();
  void frames_and_rows_of_a_later_end();
  void but_not_to_more_frequencies_data();
  void but_not_to_more_frequencies();

 private:
  static void rows() {
    QTest::addColumn<QString>("solver");
    for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
  }
  rod::Said resume(const QString& out, const QStringList& more, const safety::Variables& variables = {}) {
    return safety::conoid(scratch_.path(), QStringList{"resume", out, "--progress", "none"} + more, variables);
  }
  /// The ball of the small cases with its edges halved.
  [[nodiscard]] QString fine_sphere() const { return QString::fromStdString((scratch_ / "fine.obj").string()); }
  rod::Scratch scratch_;
};

namespace {

constexpr int killed = -2;

/// The small shot for twenty-five steps on single precision, which devices take.
const QStringList short_shot = {"--set", "parameters.end_time=0.025", "--set", "compute.precision=single"};

}  // namespace

void TestEveryRunGoesOn::initTestCase() {
  COMPARE_EXIT(safety::conoid(scratch_.path(),
                              {"mesh", CONOID_TEST_DATA "/safety/sphere.ply", "--refine", "--convert", fine_sphere()}),
               0);
}

/// One thread, two, and one again, killed in between: deterministic runs leave the bits of one thread.
void TestEveryRunGoesOn::on_another_number_of_threads() {
  QFETCH(QString, solver);
  const safety::Whole& whole = safety::whole_run(scratch_.path(), solver);
  const QString out = solver + "-threads";
  COMPARE_EXIT(
      safety::conoid(scratch_.path(), safety::run_line(solver, out, safety::often), safety::dies_in_checkpoint(3)),
      killed);
  COMPARE_EXIT(resume(out, {"--threads", "2"}, safety::dies_in_checkpoint(2)), killed);
  COMPARE_EXIT(resume(out, {"--threads", "1"}), 0);
  QCOMPARE(rod::summary_of(scratch_ / out.toStdString())["resumed"].get<int>(), 2);
  const std::string wrong =
      safety::difference(whole.left, safety::left_by(scratch_ / out.toStdString()), safety::limits_of(solver));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Memory that ends at any piece of 32 KiB or more: exit 6, and with memory again the same end.
void TestEveryRunGoesOn::when_there_is_memory_again() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  QSKIP("the sanitizers have an operator new of their own");
#endif
  QFETCH(QString, solver);
  safety::run_out_of_memory(scratch_.path(), solver, conoid::all_rows() ? 3 : 2, 20260103);
}

void TestEveryRunGoesOn::on_a_device_and_back_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QStringList>("more");
  QTest::addColumn<QString>("too_little");
  QTest::addColumn<QString>("enough");
  QTest::addColumn<QString>("needs");
  QTest::addColumn<double>("relative");
  // In single precision each of 25 steps is a sum of 26 terms that comes in another order: 25 · 26 · 2⁻²⁴. The grid streams.
  QTest::newRow("acoustic-fd") << "acoustic-fd" << short_shot << "1MiB"
                               << "4MiB"
                               << "MiB are needed" << 4e-5;
  // In double precision 432 steps of sums of some thousand values: 432 · 5000 · 2⁻⁵³.
  QTest::newRow("acoustic-bem") << "acoustic-bem" << QStringList{"--set", "mesh.file=" + fine_sphere()} << "64KiB"
                                << "64MiB"
                                << "its budget is" << 2.5e-10;
}

/// Begun by the processor and killed; refused by a device with too little memory; killed on a device; ended by the processor.
void TestEveryRunGoesOn::on_a_device_and_back() {
#if !CONOID_HAVE_EMULATED
  QSKIP("built without the emulated device");
#endif
  QFETCH(QString, solver);
  QFETCH(QStringList, more);
  QFETCH(QString, too_little);
  QFETCH(QString, enough);
  QFETCH(QString, needs);
  QFETCH(double, relative);
  const QString out = solver + "-device", whole = out + "-whole";
  COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, whole, more)), 0);
  COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, out, safety::often + more),
                              safety::dies_in_checkpoint(3)),
               killed);
  const rod::Said refused = resume(out, {"--workers", "emulated"}, {{"CONOID_EMULATED", "memory=" + too_little}});
  COMPARE_EXIT(refused, 6);
  QVERIFY2(refused.says(needs.toStdString()) && refused.says("--workers cpu"), refused.err.c_str());
  safety::Variables dies = safety::dies_in_checkpoint(2);
  dies.emplace_back("CONOID_EMULATED", "memory=" + enough);
  COMPARE_EXIT(resume(out, {"--workers", "emulated"}, dies), killed);
  COMPARE_EXIT(resume(out, {"--workers", "cpu"}), 0);
  QCOMPARE(rod::summary_of(scratch_ / out.toStdString())["resumed"].get<int>(),
           2);  // from checkpoints that were written
  const std::string wrong = safety::difference(safety::left_by(scratch_ / whole.toStdString()),
                                               safety::left_by(scratch_ / out.toStdString()), {{}, relative});
  QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Planes so large that 64 MB do not hold what a step needs of them: told with both amounts before anything is computed, by `check` as well.
void TestEveryRunGoesOn::when_a_device_has_too_little_memory() {
#if !CONOID_HAVE_EMULATED
  QSKIP("built without the emulated device");
#endif
  const QString out = "large-planes";
  const QStringList settings =
      short_shot + QStringList{"--set", "grid.points=[64,380,380]", "--set", "parameters.order=12",
                               "--set", "parameters.end_time=0.002"};
  for (const bool runs : {false, true}) {
    const QStringList words = (runs ? safety::run_line("acoustic-fd", out, settings)
                                    : QStringList{"check", safety::case_of("acoustic-fd")} + settings) +
                              QStringList{"--workers", "emulated"};
    const rod::Said said = safety::conoid(scratch_.path(), words, {{"CONOID_EMULATED", "memory=64MiB"}});
    COMPARE_EXIT(said, 6);
    QVERIFY2(said.says("of device memory, 57.6 MiB are to be had") && said.says("MiB are needed") &&
                 said.says("--workers cpu"),
             said.err.c_str());
  }
  QVERIFY(!std::filesystem::exists(scratch_ / out.toStdString()));
  COMPARE_EXIT(
      safety::conoid(scratch_.path(), safety::run_line("acoustic-fd", out, settings + QStringList{"--workers", "cpu"})),
      0);
  QCOMPARE(rod::summary_of(scratch_ / out.toStdString())["steps"].get<int>(), 2);
}

/// A grid that passes through a window over a file, killed twice, the second time inside one of its writes to that file: the bits of a grid in memory.
void TestEveryRunGoesOn::with_planes_on_the_disk() {
  const QString out = "streamed";
  // What a run may take is said anew when it goes on.
  const QStringList few = {"--set", "parameters.end_time=0.025"}, little = {"--memory", "host=2MiB"};
  COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line("acoustic-fd", out + "-whole", few)), 0);
  const safety::Left whole = safety::left_by(scratch_ / (out + "-whole").toStdString());
  COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line("acoustic-fd", out, safety::often + few + little),
                              safety::dies_in_checkpoint(3)),
               killed);
  COMPARE_EXIT(resume(out, little, safety::dies_in(600)), killed);
  COMPARE_EXIT(resume(out, little), 0);
  const conoid::Json numbers = rod::summary_of(scratch_ / out.toStdString())["numbers"];
  QVERIFY(numbers.contains("streamed_read") && numbers["streamed_read"]["value"].get<double>() > 0);
  const std::string wrong = safety::difference(whole, safety::left_by(scratch_ / out.toStdString()));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestEveryRunGoesOn::to_a_later_end_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("key");
  QTest::addColumn<QString>("early");
  QTest::addColumn<QString>("late");
  QTest::newRow("acoustic-fd, end time") << "acoustic-fd"
                                         << "parameters.end_time"
                                         << "0.06 s"
                                         << "0.12 s";
  QTest::newRow("acoustic-bem, end time") << "acoustic-bem"
                                          << "parameters.end_time"
                                          << "0.06 s"
                                          << "0.12 s";
  QTest::newRow("acoustic-bem, steps") << "acoustic-bem"
                                       << "parameters.steps"
                                       << "101"
                                       << "203";
  QTest::newRow("hydro-fem, end time") << "hydro-fem"
                                       << "parameters.end_time"
                                       << "0.3 s"
                                       << "0.6 s";
}

/// Finished, stopped or killed before an early end, and prolonged: the bits of a run to the late end.
void TestEveryRunGoesOn::to_a_later_end() {
  QFETCH(QString, solver);
  QFETCH(QString, key);
  QFETCH(QString, early);
  QFETCH(QString, late);
  static int row = 0;
  const int turn = row++;
  const QString out = QString("longer%1").arg(turn);
  // The moments of frames that are spread over a run depend on its end.
  const auto until = [&](const QString& end) {
    return QStringList{"--set", "output.frames={\"every\": 7}", "--set", key + "=" + end};
  };
  const QStringList longer = {"--set", key + "=" + late};
  COMPARE_EXIT(safety::conoid(scratch_.path(), safety::run_line(solver, out, until(late))), 0);
  const safety::Left whole = safety::left_by(scratch_ / out.toStdString());
  const QStringList ends{"finished", "stopped", "killed"};
  for (const QString& end : ends) {
    if (turn > 0 && !conoid::all_rows() && end != ends[turn % 3]) continue;  // of the first all, of others by turns
    const QString part = out + end;
    const QStringList words = safety::run_line(solver, part, until(early) + safety::often);
    if (end == "finished") COMPARE_EXIT(safety::conoid(scratch_.path(), words), 0);
    if (end == "killed") COMPARE_EXIT(safety::conoid(scratch_.path(), words, safety::dies_in_checkpoint(3)), killed);
    if (end == "stopped") {
      QProcess process;
      safety::start(process, scratch_.path(), words);
      const rod::fs::path folder = scratch_ / part.toStdString();
      QVERIFY(rod::eventually([&] {
        return process.waitForFinished(1) ||
               (rod::fs::exists(folder / "checkpoints") && !rod::fs::is_empty(folder / "checkpoints"));
      }));
      if (process.state() != QProcess::NotRunning) ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
      const int code = rod::collect(process).exit;
      QVERIFY2(code == 75 || code == 0, qPrintable(QString::number(code)));
    }
    COMPARE_EXIT(resume(part, longer), 0);
    const safety::Left left = safety::left_by(scratch_ / part.toStdString());
    const std::string wrong = safety::difference(whole, left, safety::limits_of(solver));
    QVERIFY2(wrong.empty(), (end.toStdString() + ": " + wrong).c_str());
  }
}

void TestEveryRunGoesOn::frames_and_rows_of_a_later_end_data() {
  QTest::addColumn<QStringList>("rows");
  QTest::newRow("rows as they come") << QStringList{};
  QTest::newRow("rows by time") << QStringList{"--set", "output.rows.interval=0.01 s"};
  QTest::newRow("rows by steps") << QStringList{"--set", "output.rows.every=3"};
}

/// Frames that are spread over the first part stay as far apart when the end moves: every table, columns of seconds too, number and
/// frame is that of a run to the late end with this interval. Prolonged twice, and by a run without checkpoints, which begins again.
void TestEveryRunGoesOn::frames_and_rows_of_a_later_end() {
  QFETCH(QStringList, rows);
  static int row = 0;
  const int turn = row++;
  const QString out = QString("apart%1").arg(turn);
  const auto end = [](const char* at) { return QStringList{"--set", QString("parameters.end_time=") + at}; };
  COMPARE_EXIT(safety::conoid(scratch_.path(),
                              safety::run_line("hydro-fem", out,
                                               rows + end("0.6 s") +
                                                   QStringList{"--set", "output.frames={\"interval\": \"50 ms\"}"})),
               0);
  const safety::Left whole = safety::left_by(scratch_ / out.toStdString());
  QCOMPARE(whole.frames.size(), std::size_t{13});
  const QStringList ways{"at once", "in two parts", "without checkpoints"};
  for (const QString& how : ways) {
    if (turn > 0 && !conoid::all_rows() && how != ways[turn]) continue;
    const QString part = out + how;
    const QStringList kept =
        how == "without checkpoints" ? QStringList{"--set", "output.checkpoints.every_seconds=0"} : safety::often;
    COMPARE_EXIT(
        safety::conoid(scratch_.path(), safety::run_line("hydro-fem", part,
                                                         rows + kept + end("0.3 s") +
                                                             QStringList{"--set", "output.frames={\"count\": 6}"})),
        0);
    if (how == "in two parts") COMPARE_EXIT(resume(part, end("0.37 s")), 0);
    COMPARE_EXIT(resume(part, end("0.6 s")), 0);
    const std::string wrong = safety::difference(whole, safety::left_by(scratch_ / part.toStdString()));
    QVERIFY2(wrong.empty(), (how.toStdString() + ": " + wrong).c_str());
    int tables = 0;
    for (const auto& entry : rod::fs::directory_iterator(scratch_ / out.toStdString() / "charts")) {
      const rod::fs::path other = scratch_ / part.toStdString() / "charts" / entry.path().filename();
      const std::string ours = rod::rows_of(entry.path()), theirs = rod::rows_of(other);
      QVERIFY2(ours == theirs, (how.toStdString() + ": " + entry.path().filename().string()).c_str());
      ++tables;
    }
    QVERIFY(tables >= 7);
  }
}

void TestEveryRunGoesOn::but_not_to_more_frequencies_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("change");
  QTest::newRow("maxwell-fem") << "maxwell-fem"
                               << "parameters.order=3";
  QTest::newRow("elastic-bem") << "elastic-bem"
                               << "excitation.frequencies=[5, 10, 15, 20]";
}

/// Solvers in frequencies have no end to move: what may change is said, and that a finished run stays as it is.
void TestEveryRunGoesOn::but_not_to_more_frequencies() {
  QFETCH(QString, solver);
  QFETCH(QString, change);
  const QString out = solver + "-whole";
  safety::whole_run(scratch_.path(), solver);
  const rod::Said said = resume(out, {"--set", change});
  COMPARE_EXIT(said, 2);
  QVERIFY2(said.says("keeps what it has begun with") && said.says("output.frames.every") && said.says("new run"),
           said.err.c_str());
  const rod::Said again = resume(out, {});
  COMPARE_EXIT(again, 0);
  QVERIFY2(again.says("has finished already") && !again.says("To prolong it"), again.out.c_str());
}

QTEST_APPLESS_MAIN(TestEveryRunGoesOn)
#include "test_every_run_goes_on.moc"
