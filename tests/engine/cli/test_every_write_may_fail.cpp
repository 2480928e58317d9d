// SPDX-License-Identifier: BSD-3-Clause
// Any write, flush or rename of a whole run fails: full disk, broken disk, half a write, death. The program says so with exit
// 4, leaves no half-written file, and the run goes on to the same end.
// labels: cli timeout300
#include <QTest>

#include "engine/io/vtkhdf.hpp"
#include "tests/engine/cli/program.hpp"

using conoid::Json;

class TestEveryWriteMayFail : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void a_call_fails_data();
  void a_call_fails();

 private:
  int run(const QString& out, const QString& kind, int at, std::string& said, const QString& count = {});
  rod::Scratch scratch_;
  std::string whole_, numbers_;
  int calls_ = 0;
};

int TestEveryWriteMayFail::run(const QString& out, const QString& kind, int at, std::string& said,
                               const QString& count) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("LD_PRELOAD", CONOID_WRITE_FAULTS);
  environment.insert("CONOID_FAULT_KIND", kind);
  environment.insert("CONOID_FAULT_AT", QString::number(at));
  if (!count.isEmpty()) environment.insert("CONOID_FAULT_COUNT", count);
  process.setProcessEnvironment(environment);
  rod::prepare(process, scratch_.path())
      .start(CONOID_WITH_HEAT_ROD, {"run", "case.json", "--out", out, "--progress", "none"});
  const rod::Said all = rod::collect(process);
  said = all.out + all.err;
  return all.exit;
}

void TestEveryWriteMayFail::initTestCase() {
  Json json = rod::json(120, 0.0005);
  json["output"]["checkpoints"]["every_seconds"] = 0.01;
  json["output"]["frames"]["count"] = 6;
  rod::write_case(scratch_ / "case.json", json);
  std::string said;
  QCOMPARE(run("whole", "count", 0, said, QString::fromStdString((scratch_ / "count").string())), 0);
  calls_ = std::atoi(rod::text_of(scratch_ / "count").c_str());
  QVERIFY2(calls_ > 40, qPrintable(QString::number(calls_)));
  whole_ = rod::rows_of(scratch_ / "whole/charts/heat.csv");
  numbers_ = rod::summary_text(scratch_ / "whole", "numbers");
}

void TestEveryWriteMayFail::a_call_fails_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<int>("at");
  constexpr int trials = 9;
  for (const char* kind : {"full", "broken", "short", "die"})
    for (int k = 0; k < trials; ++k) {
      // The first calls make the folder, the last ones the summary: both ends and steps between them.
      const int at = k < 4 ? 1 + k : k == trials - 1 ? calls_ : 4 + (k - 3) * (calls_ - 4) / (trials - 4);
      QTest::addRow("%s at %d of %d", kind, at, calls_) << QString(kind) << at;
    }
}

void TestEveryWriteMayFail::a_call_fails() {
  QFETCH(QString, kind);
  QFETCH(int, at);
  const QString out = QString("%1-%2").arg(kind).arg(at);
  const rod::fs::path folder = scratch_ / out.toStdString();
  std::string said;
  const int exit = run(out, kind, at, said);
  if (kind == "die")
    QVERIFY2(exit == -2 || exit == 0, said.c_str());  // 0: this run made fewer calls
  else
    QVERIFY2(exit == 4 || exit == 0, (std::to_string(exit) + ": " + said).c_str());
  if (exit == 4) QVERIFY2(said.find("error") != std::string::npos, said.c_str());

  // Whole files or none.
  for (const char* name : {"case.json", "run.json", "summary.json"})
    if (rod::fs::exists(folder / name))
      QVERIFY2(Json::accept(rod::text_of(folder / name)),
               (std::string(name) + ": " + rod::text_of(folder / name)).c_str());
  if (rod::fs::exists(folder / "results.vtkhdf")) QVERIFY(conoid::VtkhdfReader::open(folder).ok());

  if (!rod::fs::exists(folder / "run.json") || !rod::fs::exists(folder / "case.json")) {
    QVERIFY(exit != 0);
    return;  // nothing had begun
  }
  const rod::Said rest = rod::conoid(scratch_.path(), {"resume", out, "--progress", "none"});
  COMPARE_EXIT(rest, 0);
  QCOMPARE(rod::rows_of(folder / "charts/heat.csv"), whole_);
  QCOMPARE(rod::summary_text(folder, "numbers"), numbers_);
  QCOMPARE(rod::summary_text(folder, "frames"), rod::summary_text(scratch_ / "whole", "frames"));
}

QTEST_APPLESS_MAIN(TestEveryWriteMayFail)
#include "test_every_write_may_fail.moc"
