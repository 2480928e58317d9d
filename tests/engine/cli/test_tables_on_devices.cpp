// SPDX-License-Identifier: BSD-3-Clause
// `verify` and `bench` take the same words as `run`: tables are computed by the workers that are named, and who names a device that
// computes nothing is told so.
// labels: cli emulated long timeout300
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

namespace {

constexpr const char* device_and_processor = "emulated:0,cpu:1";

rod::Said table(const QStringList& words) {
  const rod::Scratch scratch;
  return safety::conoid(scratch.path(), words + QStringList{"--quick", "--json"});
}

std::map<std::string, Json> by_name(const Json& said) {
  std::map<std::string, Json> out;
  for (const Json& row : said["rows"]) out[row["name"].get<std::string>()] = row;
  return out;
}

}  // namespace

class TestTablesOnDevices : public QObject {
  Q_OBJECT
 private slots:
  void rows_of_verify_are_those_of_the_processors_on_a_device_data();
  void rows_of_verify_are_those_of_the_processors_on_a_device();
  void a_device_that_computes_nothing_is_told();
  void what_is_not_here_is_refused_as_by_run();
  void threads_and_memory_are_those_that_are_named();
  void bench_says_of_what_runs_on_no_device();
};

void TestTablesOnDevices::rows_of_verify_are_those_of_the_processors_on_a_device_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("rows");
  QTest::newRow("acoustic-fd") << "acoustic-fd"
                               << "monopole between nodes";
  QTest::newRow("hydro-fem") << "hydro-fem"
                             << "piston isentrope on graded";
  QTest::newRow("maxwell-fem") << "maxwell-fem"
                               << "scattered-field form";
}

void TestTablesOnDevices::rows_of_verify_are_those_of_the_processors_on_a_device() {
  QFETCH(QString, solver);
  QFETCH(QString, rows);
  const rod::Said said = table({"verify", solver, "--only", rows, "--workers", device_and_processor});
  QVERIFY2(said.exit == 0, said.err.c_str());
  const Json json = said.json();
  QVERIFY(!json["rows"].empty());
  QVERIFY2(json["diagnostics"].empty(), json["diagnostics"].dump().c_str());
  // The same numbers but for rounding: sums of a device have another order, and errors are differences of what is summed.
  const auto processors = by_name(table({"verify", solver, "--only", rows}).json());
  for (const auto& [name, row] : by_name(json)) {
    QVERIFY2(processors.contains(name), name.c_str());
    const double here = row["value"], there = processors.at(name)["value"], limit = row["limit"];
    QVERIFY2(std::abs(here - there) <= 1e-3 * std::max(std::abs(limit), std::abs(there)), name.c_str());
  }
}

void TestTablesOnDevices::a_device_that_computes_nothing_is_told() {
  // Its nine rows are too few for a device.
  const QStringList words{"verify", "acoustic-fd", "--only", "plane wave"};
  const rod::Said said = table(words + QStringList{"--workers", device_and_processor});
  QVERIFY2(said.exit == 0, said.err.c_str());
  const Json notes = said.json()["diagnostics"];
  QCOMPARE(notes.size(), std::size_t{1});
  const std::string text = notes[0].dump();
  QVERIFY2(text.find("'emulated:0,cpu:1' names a device, but it computed nothing in these rows of acoustic-fd") !=
               std::string::npos,
           text.c_str());
  QVERIFY(table(words).json()["diagnostics"].empty());
}

void TestTablesOnDevices::what_is_not_here_is_refused_as_by_run() {
  for (const char* verb : {"verify", "bench"}) {
    const rod::Said missing = table({verb, "acoustic-fd", "--workers", "emulated:77"});
    QCOMPARE(missing.exit, static_cast<int>(conoid::ErrorCode::resources));
    QVERIFY2(missing.says("emulated:77"), missing.err.c_str());
    QCOMPARE(table({verb, "acoustic-fd", "--memory", "host=much"}).exit,
             static_cast<int>(conoid::ErrorCode::command_line));
  }
}

void TestTablesOnDevices::threads_and_memory_are_those_that_are_named() {
  const QStringList words{"verify", "acoustic-fd", "--only", "plane wave"};
  QCOMPARE(table(words + QStringList{"--threads", "1"}).json()["machine"]["threads"].get<int>(), 1);
  QCOMPARE(table(words + QStringList{"--workers", "cpu:1,cpu:2"}).json()["machine"]["threads"].get<int>(), 3);
  QCOMPARE(table(words + QStringList{"--memory", "64MiB", "--deterministic"}).exit, 0);
}

void TestTablesOnDevices::bench_says_of_what_runs_on_no_device() {
  const QStringList words{"bench", "balance", "--only", "greedy"};
  const rod::Said said = table(words + QStringList{"--workers", device_and_processor});
  QVERIFY2(said.exit == 0, said.err.c_str());
  const std::string notes = said.json()["diagnostics"].dump();
  QVERIFY2(notes.find("no part of balance runs on devices") != std::string::npos, notes.c_str());
  QVERIFY(table(words).json()["diagnostics"].empty());
}

QTEST_GUILESS_MAIN(TestTablesOnDevices)
#include "test_tables_on_devices.moc"
