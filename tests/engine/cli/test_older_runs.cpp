// SPDX-License-Identifier: BSD-3-Clause
// A run folder that an earlier version left is read, resumed and exported; one of a later format is refused with a sentence.
// labels: cli
#include <QTest>

#include "engine/io/run_folder.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

class TestOlderRuns : public QObject {
  Q_OBJECT
 private slots:
  void every_stored_run_is_read_data() { rows(); }
  void every_stored_run_is_read();
  void every_stored_run_goes_on_to_its_end_data() { rows(); }
  void every_stored_run_goes_on_to_its_end();
  void every_stored_run_is_exported_data() { rows(); }
  void every_stored_run_is_exported();
  void a_run_of_a_later_format_is_refused();
  void a_new_run_says_its_format();

 private:
  /// One folder a solver and version, stopped half-way: tests/data/runs/<solver>-<version>.
  static void rows() {
    QTest::addColumn<QString>("name");
    for (const auto& entry : rod::fs::directory_iterator(CONOID_TEST_DATA "/runs"))
      QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().filename().string());
  }
  static rod::fs::path stored(const QString& name) {
    return rod::fs::path(CONOID_TEST_DATA "/runs") / name.toStdString();
  }
  /// A copy that can be gone on with. A run remembers where its case lay, and its mesh beside it: here that is the copy.
  rod::fs::path copy_of(const QString& name, const std::string& as) const;
  /// By the program that has the solver of this run.
  rod::Said conoid(const QString& name, const QStringList& words) const {
    return name.startsWith("heat-rod") ? rod::conoid(scratch_.path(), words) : safety::conoid(scratch_.path(), words);
  }
  rod::Scratch scratch_;
};

void TestOlderRuns::every_stored_run_is_read() {
  QFETCH(QString, name);
  const auto frames = conoid::VtkhdfReader::open(stored(name));
  QVERIFY2(frames.ok(), frames.ok() ? "" : frames.error().render().c_str());
  const Json summary = rod::summary_of(stored(name));
  QCOMPARE((*frames)->frames().size(), summary["frames"].get<std::size_t>());
  for (std::size_t f = 0; f < (*frames)->frames().size(); ++f) {
    const auto frame = (*frames)->read(f);
    QVERIFY2(frame.ok(), frame.ok() ? "" : frame.error().render().c_str());
    QVERIFY(!(*frame)->parts.empty() && !(*frame)->parts[0].fields.empty());
  }
}

rod::fs::path TestOlderRuns::copy_of(const QString& name, const std::string& as) const {
  const auto copy = scratch_ / as;
  rod::fs::copy(stored(name), copy, rod::fs::copy_options::recursive);
  Json about = conoid::read_json(rod::text_of(copy / "run.json"));
  about["case"] = (copy / "case.json").string();
  std::ofstream(copy / "run.json") << conoid::indented_json(about);
  return copy;
}

void TestOlderRuns::every_stored_run_goes_on_to_its_end() {
  QFETCH(QString, name);
  const auto copy = copy_of(name, name.toStdString());
  const rod::Said resumed = conoid(name, {"resume", name, "--progress", "none"});
  if (name == "acoustic-fd-0.1.0" || name == "maxwell-fem-0.1.0") {
    // What they need by now is not in these checkpoints: that is said.
    COMPARE_EXIT(resumed, 4);
    QVERIFY2(resumed.says("earlier version of this solver"), resumed.err.c_str());
    return;
  }
  COMPARE_EXIT(resumed, 0);
  QCOMPARE(rod::summary_of(copy)["resumed"].get<int>(), 1);
  // These methods give other (better) numbers since: what came before the checkpoint stays as it was.
  if (name == "hydro-fem-0.1.0" || name == "elastic-bem-0.1.0") return;
  // What this version makes of the same case, in one go. The processor that began may have had other instructions.
  COMPARE_EXIT(conoid(name, {"run", name + "/case.json", "--out", name + "-whole", "--progress", "none"}), 0);
  safety::Limits limits = safety::limits_of(name.section('-', 0, -2));
  limits.relative = std::max(limits.relative, 1e-6);
  const std::string wrong =
      safety::difference(safety::left_by(scratch_ / (name.toStdString() + "-whole")), safety::left_by(copy), limits);
  QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestOlderRuns::every_stored_run_is_exported() {
  QFETCH(QString, name);
  (void)copy_of(name, name.toStdString() + "-export");
  const rod::Said said = conoid(name, {"export", name + "-export", "--to", "csv", "--out", name + "-tables"});
  COMPARE_EXIT(said, 0);
  QVERIFY(!rod::fs::is_empty(scratch_ / (name.toStdString() + "-tables")));
}

void TestOlderRuns::a_run_of_a_later_format_is_refused() {
  const auto copy = scratch_ / "later";
  rod::fs::copy(stored("heat-rod-0.1.0"), copy, rod::fs::copy_options::recursive);
  Json about = conoid::read_json(rod::text_of(copy / "run.json"));
  about["format"] = 99;
  about["conoid"] = "7.5.0";
  std::ofstream(copy / "run.json") << conoid::indented_json(about);
  const std::string before = rod::text_of(copy / "summary.json");
  for (const QStringList& words :
       {QStringList{"resume", "later", "--progress", "none"}, QStringList{"export", "later", "--to", "csv"}}) {
    const rod::Said said = rod::conoid(scratch_.path(), words);
    COMPARE_EXIT(said, 4);
    QVERIFY2(said.says("has format 99") && said.says("7.5.0"), said.err.c_str());
  }
  QCOMPARE(rod::text_of(copy / "summary.json"), before);
  QVERIFY(!rod::fs::exists(copy / ".lock"));
}

void TestOlderRuns::a_new_run_says_its_format() {
  rod::write_case(scratch_ / "case.json", rod::json(3));
  COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "case.json", "--out", "new", "--progress", "none"}), 0);
  const Json about = conoid::read_json(rod::text_of(scratch_ / "new/run.json"));
  QCOMPARE(about["format"].get<int>(), conoid::RunFolder::format);
}

QTEST_APPLESS_MAIN(TestOlderRuns)
#include "test_older_runs.moc"
