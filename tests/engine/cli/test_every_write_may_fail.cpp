// SPDX-License-Identifier: BSD-3-Clause
// Any write, flush or rename of a run, and of its continuation, fails: full disk, broken disk, half a write, death. The program
// says so with exit 4, leaves no half-written file, and the run goes on to the same end.
//
// Calls are known by what they do to which file ("rename summary.json.#.part"): the first of each name in all ways, the last by
// death. CONOID_EVERY_CALL=1 tries every call in every way (a few minutes):
//   CONOID_EVERY_CALL=1 build/dev/tests/test_engine_cli every_write_may_fail
// labels: cli timeout300
#include <QTest>

#include <unistd.h>

#include <map>
#include <sstream>

#include "conoid/config.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/engine/cli/program.hpp"

using conoid::Json;
using Environment = std::map<QString, QString>;

class TestEveryWriteMayFail : public QObject {
  Q_OBJECT
 public:
  TestEveryWriteMayFail() { qputenv("QTEST_FUNCTION_TIMEOUT", "3600000"); }  // all rows together

 private slots:
  void initTestCase();
  void every_file_is_among_them();
  void a_call_of_a_run_fails_data() { names_of(calls_); }
  void a_call_of_a_run_fails();
  void a_call_of_a_continuation_fails_data() { names_of(later_calls_); }
  void a_call_of_a_continuation_fails();
  void cleanupTestCase();

 private:
  using Calls = std::map<QString, int>;  ///< how many of each name
  static void names_of(const Calls& calls);
  rod::Said start(const QStringList& words, const Environment& faults);
  Calls calls_of(const QStringList& words);
  void try_calls(const Calls& calls, const QString& interrupted);
  [[nodiscard]] std::string wrong_after(const QString& kind, const QString& out, const QStringList& words,
                                        Environment faults);

  /// In memory where that is possible: the library makes the faults, and flushes to a disk would take most of the time.
  static bool in_memory() { return ::access("/dev/shm", W_OK) == 0 && qputenv("TMPDIR", "/dev/shm"); }

  const bool in_memory_ = in_memory();
  rod::Scratch scratch_;
  Calls calls_, later_calls_;
  std::string whole_, numbers_, frames_;
  int tried_ = 0, survived_ = 0;
};

namespace {

QStringList run_into(const QString& out) {
  return {"run", "case.json", "--out", out, "--progress", "none", "--threads", "1"};
}
QStringList resume(const QString& run) {
  return {"resume", run, "--progress", "none"};
}

}  // namespace

rod::Said TestEveryWriteMayFail::start(const QStringList& words, const Environment& faults) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("LD_PRELOAD", CONOID_WRITE_FAULTS);
  for (const auto& [name, value] : faults) environment.insert("CONOID_FAULT_" + name, value);
  process.setProcessEnvironment(environment);
  rod::prepare(process, scratch_.path()).start(CONOID_WITH_HEAT_ROD, words);
  return rod::collect(process);
}

TestEveryWriteMayFail::Calls TestEveryWriteMayFail::calls_of(const QStringList& words) {
  const rod::fs::path list = scratch_ / "list";
  rod::fs::remove(list);
  const rod::Said said = start(words, {{"LIST", QString::fromStdString(list.string())}});
  if (said.exit != 0) qFatal("%s", (said.out + said.err).c_str());
  std::istringstream lines(rod::text_of(list));
  Calls out;
  for (std::string line; std::getline(lines, line);) ++out[QString::fromStdString(line)];
  return out;
}

void TestEveryWriteMayFail::initTestCase() {
  Json json = rod::json(4);
  json["output"]["checkpoints"]["every_seconds"] = 1e-9;  // after each step
  json["output"]["frames"]["count"] = 3;
  rod::write_case(scratch_ / "case.json", json);
  calls_ = calls_of(run_into("tried"));  // a folder's name is in those of its flushes
  rod::fs::rename(scratch_ / "tried", scratch_ / "whole");
  whole_ = rod::rows_of(scratch_ / "whole/charts/heat.csv");
  numbers_ = rod::summary_text(scratch_ / "whole", "numbers");
  frames_ = rod::summary_text(scratch_ / "whole", "frames");
  // Died before its third checkpoint counted: rows and frames behind the second one are cut off, files are left over.
  QCOMPARE(start(run_into("interrupted"), {{"KIND", "die"}, {"NAME", "rename step-#.part/"}, {"AT", "3"}}).exit, -2);
  rod::fs::copy(scratch_ / "interrupted", scratch_ / "tried", rod::fs::copy_options::recursive);
  later_calls_ = calls_of(resume("tried"));
  QCOMPARE(rod::rows_of(scratch_ / "tried/charts/heat.csv"), whole_);
}

void TestEveryWriteMayFail::every_file_is_among_them() {
  for (const char* name :
       {"write case.json.#.part", "fsync case.json.#.part", "rename case.json.#.part", "write run.json.#.part",
        "write heat.csv", "fdatasync heat.csv", "write telemetry.csv", "write rank-#.bin", "fsync rank-#.bin",
        "write manifest.json.#.part", "rename manifest.json.#.part", "fsync step-#.part/", "rename step-#.part/",
        "fsync checkpoints/", "write summary.json.#.part", "fsync summary.json.#.part", "rename summary.json.#.part",
        "fwrite log.jsonl"})
    QVERIFY2(calls_.contains(name), name);
#if CONOID_HAVE_HDF5
  for (const char* name : {"pwrite results.vtkhdf.part", "rename results.vtkhdf.part", "pwrite results.vtkhdf",
                           "fdatasync results.vtkhdf"})
    QVERIFY2(calls_.contains(name), name);
#endif
}

void TestEveryWriteMayFail::names_of(const Calls& calls) {
  QTest::addColumn<QString>("name");
  for (const auto& [name, count] : calls) QTest::addRow("%s (%d)", qPrintable(name), count) << name;
}

/// Empty, or what is wrong after a call has failed and the run went on.
std::string TestEveryWriteMayFail::wrong_after(const QString& kind, const QString& out, const QStringList& words,
                                               Environment faults) {
  const rod::fs::path folder = scratch_ / out.toStdString();
  const rod::fs::path mark = scratch_ / "mark";
  rod::fs::remove(mark);
  faults["MARK"] = QString::fromStdString(mark.string());
  const rod::Said first = start(words, faults);
  ++tried_;
  const bool came = rod::fs::exists(mark);
  if (!came && faults["AT"] == "1") return "the call did not come\n" + first.out + first.err;
  const int wanted = !came ? 0 : kind == "die" ? -2 : 4;
  // A run can do without its log, and replaces a checkpoint in another way where two folders cannot change places.
  const bool spared = faults["NAME"] == "fwrite log.jsonl" || faults["NAME"].startsWith("exchange ");
  if (first.exit == 0 && came && kind != "die" && spared)
    ++survived_;
  else if (first.exit != wanted)
    return "exit " + std::to_string(first.exit) + "\n" + first.out + first.err;
  if (first.exit == 4 && !first.says("error")) return "nothing said: " + first.out + first.err;

  // Whole files or none.
  for (const char* name : {"case.json", "run.json", "summary.json"})
    if (rod::fs::exists(folder / name) && !Json::accept(rod::text_of(folder / name)))
      return std::string(name) + ": " + rod::text_of(folder / name);
  if (rod::fs::exists(folder / "results.vtkhdf"))
    if (const auto reader = conoid::VtkhdfReader::open(folder); !reader) return "results: " + reader.error().render();
  if (!rod::fs::exists(folder / "run.json") || !rod::fs::exists(folder / "case.json"))
    return first.exit != 0 ? "" : "no run";  // nothing had begun

  const rod::Said rest = rod::conoid(scratch_.path(), resume(out));
  if (rest.exit != 0) return "resume: exit " + std::to_string(rest.exit) + "\n" + rest.out + rest.err;
  if (rod::rows_of(folder / "charts/heat.csv") != whole_)
    return "other rows: " + rod::rows_of(folder / "charts/heat.csv");
  if (rod::summary_text(folder, "numbers") != numbers_) return "other numbers";
  if (rod::summary_text(folder, "frames") != frames_) return "other frames: " + rod::summary_text(folder, "frames");
  return {};
}

/// Of the name of this row; `interrupted`: the run that is continued, empty: a run from the start.
void TestEveryWriteMayFail::try_calls(const Calls& calls, const QString& interrupted) {
  QFETCH(QString, name);
  const bool every = qEnvironmentVariableIsSet("CONOID_EVERY_CALL");
  const bool writes = name.contains("write ");
  const int last = calls.at(name);
  for (int at = 1; at <= last; ++at)
    for (const QString kind : {"die", "full", "broken", "short"}) {
      if (kind == "short" && (!writes || name.startsWith("fwrite"))) continue;
      if (!every && at != 1 && (at != last || kind != "die")) continue;
      if (!every && !interrupted.isEmpty() && kind != "die" && kind != "full") continue;
      const QString out = "tried";
      rod::fs::remove_all(scratch_ / "tried");
      if (!interrupted.isEmpty())
        rod::fs::copy(scratch_ / interrupted.toStdString(), scratch_ / "tried", rod::fs::copy_options::recursive);
      const std::string wrong = wrong_after(kind, out, interrupted.isEmpty() ? run_into(out) : resume(out),
                                            {{"KIND", kind}, {"NAME", name}, {"AT", QString::number(at)}});
      QVERIFY2(
          wrong.empty(),
          (kind.toStdString() + " at " + std::to_string(at) + " of " + std::to_string(last) + ": " + wrong).c_str());
    }
}

void TestEveryWriteMayFail::a_call_of_a_run_fails() {
  try_calls(calls_, {});
}

void TestEveryWriteMayFail::a_call_of_a_continuation_fails() {
  try_calls(later_calls_, "interrupted");
}

void TestEveryWriteMayFail::cleanupTestCase() {
  int run = 0, continued = 0;
  for (const auto& [name, count] : calls_) run += count;
  for (const auto& [name, count] : later_calls_) continued += count;
  qInfo("%d faults in a run of %d calls and a continuation of %d; %d runs did without the call", tried_, run, continued,
        survived_);
}

QTEST_APPLESS_MAIN(TestEveryWriteMayFail)
#include "test_every_write_may_fail.moc"
