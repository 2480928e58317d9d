// SPDX-License-Identifier: BSD-3-Clause
// A solver is one folder: a `conoid` built with the heat rod's folder lists, checks, runs, verifies and sweeps it.
// labels: cli
#include <QTest>

#include <algorithm>
#include <cmath>

#include "tests/engine/cli/program.hpp"

using conoid::Json;

class TestSixthSolver : public QObject {
  Q_OBJECT
 private slots:
  void it_is_listed();
  void it_is_checked();
  void it_runs_with_units_and_set();
  void it_is_verified();
  void rows_are_chosen_by_their_beginnings();
  void it_is_swept();
  void samples_are_copied();
  void the_chapter_says_how_long_it_is();
};

void TestSixthSolver::it_is_listed() {
  const rod::Scratch scratch;
  const rod::Said said = rod::conoid(scratch.path(), {"list", "--json"});
  COMPARE_EXIT(said, 0);
  const Json json = said.json();
  QCOMPARE(json["solvers"].size(), std::size_t(1));
  QCOMPARE(json["solvers"][0]["id"].get<std::string>(), std::string("heat-rod"));
  QVERIFY(json["cases"].is_array());
}

void TestSixthSolver::it_is_checked() {
  const rod::Scratch scratch;
  rod::write_case(scratch / "case.json", rod::json(20));
  const rod::Said said = rod::conoid(scratch.path(), {"check", "case.json", "--json"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(said.json()["estimate"]["steps"].get<int>(), 20);
  QCOMPARE(said.json()["estimate"]["host_memory"].get<int>(), 2 * 38 * 8);
  QVERIFY(!rod::fs::exists(scratch / "runs"));
}

void TestSixthSolver::it_runs_with_units_and_set() {
  const rod::Scratch scratch;
  rod::write_case(scratch / "case.json", rod::json(20));
  const rod::Said said =
      rod::conoid(scratch.path(), {"run", "case.json", "--set", "rod.length=50 cm", "--set", "parameters.steps=23",
                                   "--out", "run", "--workers", "cpu:1,cpu:1"});
  COMPARE_EXIT(said, 0);
  const Json summary = rod::summary_of(scratch / "run");
  QCOMPARE(summary["steps"].get<int>(), 23);
  // Δt = F h² / κ with h = 0.5 m / 37, F = 0.4, κ = 1e-4 m²/s.
  const double time = 23 * 0.4 * (0.5 / 37) * (0.5 / 37) / 1e-4;
  QVERIFY(std::abs(summary["value"].get<double>() - time) < 1e-12 * time);
  QVERIFY(summary["numbers"]["rounding"]["value"].get<double>() < 1e-12);
  const std::string telemetry = rod::text_of(scratch / "run/telemetry.csv");
  // A heading, the name of the one phase, and a row a worker and pass.
  QCOMPARE(std::count(telemetry.begin(), telemetry.end(), '\n'), std::ptrdiff_t(2 + 2 * 23));
}

void TestSixthSolver::it_is_verified() {
  const rod::Scratch scratch;
  const rod::Said said = rod::conoid(scratch.path(), {"verify", "heat-rod", "--quick", "--json"});
  COMPARE_EXIT(said, 0);
  const Json json = said.json();
  QCOMPARE(json["solver"].get<std::string>(), std::string("heat-rod"));
  QCOMPARE(json["rows"].size(), std::size_t(4));
  for (const Json& row : json["rows"])
    for (const char* key : {"name", "value", "unit", "limit", "ratio", "passed", "source"})
      QVERIFY2(row.contains(key), key);
}

void TestSixthSolver::rows_are_chosen_by_their_beginnings() {
  const rod::Scratch scratch;
  const rod::Said some =
      rod::conoid(scratch.path(), {"verify", "heat-rod", "--quick", "--only", "observed order", "--json"});
  COMPARE_EXIT(some, 0);
  QCOMPARE(some.json()["rows"].size(), std::size_t(2));
  // Success on nothing would pass for a check.
  for (const QStringList& words :
       {QStringList{"verify"}, QStringList{"verify", "heat-rod"}, QStringList{"bench", "heat-rod", "--quick"}}) {
    const rod::Said none = rod::conoid(scratch.path(), words + QStringList{"--only", "order observed", "--json"});
    COMPARE_EXIT(none, 2);
    const Json json = none.json();
    QVERIFY2(json["rows"].empty(), none.out.c_str());
    QVERIFY2(json["error"]["text"].get<std::string>().find("'order observed'") != std::string::npos, none.out.c_str());
    QVERIFY2(
        none.err.find(words[0] == "bench" ? "update, 2^20 cells" : "observed order, F = 0.400") != std::string::npos,
        none.err.c_str());
    QVERIFY2(!none.says("0 of 0 passed"), none.err.c_str());
  }
}

void TestSixthSolver::it_is_swept() {
  const rod::Scratch scratch;
  rod::write_case(scratch / "case.json", rod::json(20));
  const rod::Said said =
      rod::conoid(scratch.path(), {"sweep", "case.json", "--over", "parameters.steps=10:5:20", "--over",
                                   "rod.cells=8,16", "--jobs", "2", "--out", "sweep", "--json"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(said.json()["points"].size(), std::size_t(6));
  const std::string rows = rod::rows_of(scratch / "sweep/sweep.csv");
  QCOMPARE(std::count(rows.begin(), rows.end(), '\n'), std::ptrdiff_t(7));
  QVERIFY2(rows.find("steps") != std::string::npos && rows.find("error") != std::string::npos, rows.c_str());
}

void TestSixthSolver::samples_are_copied() {
  const rod::Scratch scratch;
  rod::fs::create_directories(scratch / "resources/cases/warm-rod");
  rod::write_case(scratch / "resources/cases/warm-rod/case.json", rod::json(5));
  std::ofstream(scratch / "resources/cases/warm-rod/card.json") << R"({"summary": "A rod", "seconds": 12})";
  qputenv("CONOID_RESOURCES", QByteArray::fromStdString((scratch / "resources").string()));
  const rod::Said listed = rod::conoid(scratch.path(), {"list", "--json"});
  COMPARE_EXIT(listed, 0);
  const Json sample = listed.json()["cases"].at(0);
  QCOMPARE(sample["name"].get<std::string>(), std::string("warm-rod"));
  QCOMPARE(sample["title"].get<std::string>(), std::string("rod"));
  QCOMPARE(sample["seconds"].get<int>(), 12);
  rod::Said said = rod::conoid(scratch.path(), {"new", "warm-rot"});
  COMPARE_EXIT(said, 2);
  QVERIFY(said.says("warm-rod"));
  COMPARE_EXIT(rod::conoid(scratch.path(), {"new", "warm-rod", "mine"}), 0);
  QVERIFY(rod::fs::exists(scratch / "mine/case.json") && !rod::fs::exists(scratch / "mine/card.json"));
  COMPARE_EXIT(rod::conoid(scratch.path(), {"new", "warm-rod", "mine"}), 4);
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "mine"}), 0);
  qunsetenv("CONOID_RESOURCES");
}

/// Rows "| `file` | lines |" of docs/guide/write-a-solver.md, one for each file of the folder, and few they are: what any solver needs is the
/// engine's.
void TestSixthSolver::the_chapter_says_how_long_it_is() {
  const std::string chapter = rod::text_of(CONOID_SOURCE_DIR "/docs/guide/write-a-solver.md");
  const rod::fs::path folder = CONOID_SOURCE_DIR "/tests/data/solvers/heat_rod";
  std::string missing;
  std::ptrdiff_t all = 0;
  for (const auto& entry : rod::fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = rod::text_of(entry.path());
    all += std::count(text.begin(), text.end(), '\n');
    const std::string row = "| `" + rod::fs::relative(entry.path(), folder).generic_string() + "` | " +
                            std::to_string(std::count(text.begin(), text.end(), '\n')) + " | ";
    if (chapter.find(row) == std::string::npos) missing += row + "\n";
  }
  QVERIFY2(missing.empty(), ("the chapter lacks\n" + missing).c_str());
  QVERIFY2(all < 300 && chapter.find("\n" + std::to_string(all) + " lines in all") != std::string::npos,
           std::to_string(all).c_str());
}

QTEST_APPLESS_MAIN(TestSixthSolver)
#include "test_sixth_solver.moc"
