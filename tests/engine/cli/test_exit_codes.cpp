// SPDX-License-Identifier: BSD-3-Clause
// Every exit code of the table, and what is kept when a run fails.
// labels: cli
#include <QTest>

#include <algorithm>

#include "tests/engine/cli/program.hpp"

using conoid::Json;

class TestExitCodes : public QObject {
  Q_OBJECT
 private slots:
  void finished_is_0();
  void a_bug_is_1();
  void a_wrong_command_line_is_2();
  void an_invalid_case_is_3();
  void a_file_that_cannot_be_written_is_4();
  void divergence_is_5_and_keeps_results();
  void a_number_that_is_wrong_is_5();
  void lack_of_memory_is_6();
  void a_missing_device_is_6();
  void a_remote_failure_is_7();
};

namespace {
Json faulty(const char* fault, int step = 5) {
  Json json = rod::json(20);
  json["parameters"]["fault"] = fault;
  json["parameters"]["fault_step"] = step;
  return json;
}
rod::Said run(const rod::Scratch& scratch, const Json& json, const QStringList& more = {}) {
  rod::write_case(scratch / "case.json", json);
  return rod::conoid(scratch.path(), QStringList{"run", "case.json", "--out", "run"} + more);
}
}  // namespace

void TestExitCodes::finished_is_0() {
  const rod::Scratch scratch;
  const rod::Said said = run(scratch, rod::json(20), {"--json"});
  COMPARE_EXIT(said, 0);
  const Json json = said.json();
  QVERIFY2(json.is_object(), said.out.c_str());
  QCOMPARE(conoid::compact_json(json["state"]), std::string("\"finished\""));
  QCOMPARE(json["exit"].get<int>(), 0);
  QCOMPARE(json["summary"]["steps"].get<int>(), 20);
  for (const char* file : {"case.json", "run.json", "summary.json", "log.jsonl", "telemetry.csv", "charts/heat.csv"})
    QVERIFY2(rod::fs::exists(scratch / "run" / file), file);
  const Json about = conoid::read_json(rod::text_of(scratch / "run/run.json"));
  QVERIFY(about["options"].contains("threads"));
  // The table of options is the first entry of the log.
  const std::string log = rod::text_of(scratch / "run/log.jsonl");
  QVERIFY2(log.substr(0, log.find('\n')).find("options: ") != std::string::npos, log.c_str());
}

void TestExitCodes::a_bug_is_1() {
  const rod::Scratch scratch;
  const rod::Said said = run(scratch, faulty("bug"));
  COMPARE_EXIT(said, 1);
  QVERIFY(said.says("report"));
}

void TestExitCodes::a_wrong_command_line_is_2() {
  const rod::Scratch scratch;
  rod::write_case(scratch / "case.json", rod::json(20));
  const std::vector<QStringList> wrong = {{},
                                          {"rnu", "case.json"},
                                          {"run"},
                                          {"run", "case.json", "--treads", "2"},
                                          {"run", "case.json", "--threads", "0"},
                                          {"run", "case.json", "--progress", "loud"},
                                          {"run", "case.json", "--memory", "disk=1GiB"},
                                          {"run", "case.json", "--set", "nothing"},
                                          {"verify", "cold-rod"},
                                          {"new", "no-such-sample"},
                                          {"sweep", "case.json", "--over", "rod.cells"},
                                          {"run", "case.json", "-o", "there"},
                                          {"run", "case.json", "--output", "there"},
                                          {"run", "case.json", "first", "second"},
                                          {"--quiet"}};
  for (const QStringList& words : wrong) COMPARE_EXIT(rod::conoid(scratch.path(), words), 2);
  QVERIFY(rod::conoid(scratch.path(), wrong[1]).says("conoid run"));
  QVERIFY(rod::conoid(scratch.path(), wrong[3]).says("--threads"));
  QVERIFY(rod::conoid(scratch.path(), wrong[8]).says("heat-rod"));
  QVERIFY(rod::conoid(scratch.path(), wrong[11]).says("there is no option '-o'\n  Did you mean --out?"));
  QVERIFY(rod::conoid(scratch.path(), wrong[12]).says("Did you mean --out?"));
  QVERIFY(rod::conoid(scratch.path(), wrong[13]).says("not expected: 'first' 'second'"));
  QVERIFY(rod::conoid(scratch.path(), wrong[14]).says("there is no option '--quiet'"));
  QVERIFY(!rod::fs::exists(scratch / "runs"));
}

void TestExitCodes::an_invalid_case_is_3() {
  const rod::Scratch scratch;
  Json unstable = rod::json(20);
  unstable["parameters"]["fourier"] = 0.6;
  Json mistyped = rod::json(20);
  mistyped["parameters"]["stepz"] = 7;
  Json unknown = rod::json(20);
  unknown["solver"] = "heat-rot";
  Json unit = rod::json(20);
  unit["rod"]["length"] = "3 GHz";
  const std::vector<std::pair<Json, std::string>> bad = {
      {unstable, "/parameters/fourier"}, {mistyped, "steps"}, {unknown, "heat-rod"}, {unit, "/rod/length"},
      {Json::object(), "solver"},        {Json::array(), ""}};
  for (const auto& [json, word] : bad) {
    const rod::Said said = run(scratch, json);
    COMPARE_EXIT(said, 3);
    QVERIFY2(said.says(word), said.err.c_str());
    QVERIFY2(said.says("case.json"), said.err.c_str());
    const rod::Said checked = rod::conoid(scratch.path(), {"check", "case.json"});
    COMPARE_EXIT(checked, 3);
    QVERIFY2(checked.says(word), checked.err.c_str());
  }
  std::ofstream(scratch / "broken.json") << "{\"solver\": \"heat-rod\",\n \"rod\": {\"cells\": }}\n";
  const rod::Said said = rod::conoid(scratch.path(), {"run", "broken.json"});
  COMPARE_EXIT(said, 3);
  QVERIFY2(said.says("broken.json:2"), said.err.c_str());
  QVERIFY(!rod::fs::exists(scratch / "run"));
}

void TestExitCodes::a_file_that_cannot_be_written_is_4() {
  const rod::Scratch scratch;
  rod::write_case(scratch / "case.json", rod::json(20));
  rod::Said said = rod::conoid(scratch.path(), {"run", "cas.json"});
  COMPARE_EXIT(said, 4);
  QVERIFY2(said.says("case.json"), said.err.c_str());
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "case.json", "--out", "/proc/nowhere"}), 4);
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "case.json", "--out", "."}), 4);
  COMPARE_EXIT(rod::conoid(scratch.path(), {"resume", "case.json"}), 4);
  COMPARE_EXIT(rod::conoid(scratch.path(), {"resume", "latest"}), 4);
  COMPARE_EXIT(rod::conoid(scratch.path(), {"run", "case.json", "--set", "parameters.fault=file"}), 4);
  // A disk that is full: the file-size limit makes write() fail in the same way (units of 512 bytes).
  said = rod::limited(
      scratch.path(), "ulimit -f 200",
      {"run", "case.json", "--out", "full", "--set", "parameters.steps=3000", "--set", "output.frames.count=0"});
  COMPARE_EXIT(said, 4);
  QVERIFY2(said.says("cannot write"), said.err.c_str());
  QVERIFY2(rod::text_of(scratch / "full/charts/heat.csv").size() > 10000, "what was written before is kept");
}

void TestExitCodes::divergence_is_5_and_keeps_results() {
  const rod::Scratch scratch;
  const rod::Said said = run(scratch, faulty("divergence", 9));
  COMPARE_EXIT(said, 5);
  const Json summary = rod::summary_of(scratch / "run");
  QCOMPARE(conoid::compact_json(summary["state"]), std::string("\"failed\""));
  QCOMPARE(summary["error"]["code"].get<int>(), 5);
  QCOMPARE(summary["steps"].get<int>(), 8);
  const std::string rows = rod::rows_of(scratch / "run/charts/heat.csv");
  QCOMPARE(std::count(rows.begin(), rows.end(), '\n'), std::ptrdiff_t(1 + 9));
}

void TestExitCodes::a_number_that_is_wrong_is_5() {
  const rod::Scratch scratch;
  const rod::Said said =
      rod::conoid(scratch.path(), {"verify", "heat-rod", "--only", "observed beyond all orders", "--json"});
  COMPARE_EXIT(said, 5);
  const rod::Said words = rod::conoid(scratch.path(), {"verify", "heat-rod", "--only", "observed beyond all orders"});
  QVERIFY2(words.out.find("FAILED") != std::string::npos && words.out.find("0 of 1 passed") != std::string::npos,
           words.out.c_str());
  const Json rows = said.json()["rows"];
  QCOMPARE(rows.size(), std::size_t{1});
  QVERIFY(!rows[0]["passed"].get<bool>());
  // Rows that pass do not make up for it, and without it all is well.
  COMPARE_EXIT(rod::conoid(scratch.path(), {"verify", "heat-rod", "--only", "observed order"}), 0);
}

void TestExitCodes::lack_of_memory_is_6() {
  const rod::Scratch scratch;
  rod::Said said = run(scratch, faulty("memory"));
  COMPARE_EXIT(said, 6);
  QVERIFY(rod::summary_of(scratch / "run")["steps"].get<int>() == 4);
  said = rod::conoid(scratch.path(), {"run", "case.json", "--set", "rod.cells=100000000", "--memory", "host=100MiB"});
  COMPARE_EXIT(said, 6);
  QVERIFY2(said.says("memory"), said.err.c_str());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Told it may take it, but the system does not give it.
  said = rod::limited(scratch.path(), "ulimit -v 1500000",
                      {"run", "case.json", "--set", "rod.cells=100000000", "--memory", "host=64GiB"});
  COMPARE_EXIT(said, 6);
#endif
}

void TestExitCodes::a_missing_device_is_6() {
  const rod::Scratch scratch;
  const rod::Said said = run(scratch, rod::json(20), {"--workers", "cuda:7"});
  COMPARE_EXIT(said, 6);
}

void TestExitCodes::a_remote_failure_is_7() {
  const rod::Scratch scratch;
  COMPARE_EXIT(run(scratch, faulty("remote")), 7);
}

QTEST_APPLESS_MAIN(TestExitCodes)
#include "test_exit_codes.moc"
