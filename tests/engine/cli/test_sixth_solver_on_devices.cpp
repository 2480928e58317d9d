// SPDX-License-Identifier: BSD-3-Clause
// The sixth solver's implicit steps have the same bits on processors, on two emulated devices beside them and on two ranks, with vectors
// that pass between disk, memory and device; what `check` says of it is what the run takes.
// labels: cli mpi emulated timeout300
#include <QTest>

#include <set>

#include "engine/io/run_folder.hpp"
#include "tests/engine/cli/program.hpp"

using conoid::Json;

namespace {

constexpr const char* everybody = "emulated:0,emulated:1,cpu:1";

}  // namespace

class TestSixthSolverOnDevices : public QObject {
  Q_OBJECT
  rod::Scratch scratch_;
  std::string rows_, numbers_;

  void compare(const std::string& out) {
    QCOMPARE(rod::rows_of(scratch_ / (out + "/charts/heat.csv")), rows_);
    QCOMPARE(rod::summary_text(scratch_ / out, "numbers"), numbers_);
  }

 private slots:
  void initTestCase() {
    qputenv("CONOID_EMULATED", "devices=2,memory=64MiB");
    Json json = rod::json(2, 0, 40002);  // five vectors of 0.3 MB, the rod itself twice
    json["parameters"]["scheme"] = "implicit";
    json["parameters"]["fourier"] = 25;
    rod::write_case(scratch_ / "case.json", json);
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "case.json", "--out", "one", "--workers", "cpu:1"}), 0);
    const Json numbers = rod::summary_of(scratch_ / "one")["numbers"];
    QVERIFY2(numbers["rounding"]["value"].get<double>() < 1e-11, conoid::compact_json(numbers).c_str());
    QVERIFY(numbers["iterations"]["value"].get<double>() > 3);
    rows_ = rod::rows_of(scratch_ / "one/charts/heat.csv");
    numbers_ = rod::summary_text(scratch_ / "one", "numbers");
  }
  void cleanupTestCase() { qunsetenv("CONOID_EMULATED"); }

  void bits_are_those_of_one_processor_data() {
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QString>("streams");
    const QString nowhere, device = "vectors of the iterations, between memory and device",
                           disk = "vectors of the iterations, between disk and memory";
    const QStringList team = {"--workers", everybody};
    QTest::newRow("two processors") << QStringList{"--workers", "cpu:2,cpu:1"} << nowhere;
    QTest::newRow("a device") << QStringList{"--workers", "emulated:0"} << nowhere;
    QTest::newRow("the checked device") << QStringList{"--workers", "emulated-checked:0"} << nowhere;
    QTest::newRow("all") << team << nowhere;
    QTest::newRow("small devices") << team + QStringList{"--memory", "host=1GiB,device=1MiB"} << device;
    QTest::newRow("disk") << QStringList{"--workers", "cpu:1", "--memory", "host=1500KiB"} << disk;
    QTest::newRow("disk and small devices") << team + QStringList{"--memory", "host=1500KiB,device=1MiB"} << disk;
  }
  void bits_are_those_of_one_processor() {
    QFETCH(QStringList, flags);
    QFETCH(QString, streams);
    const std::string out = QTest::currentDataTag();
    COMPARE_EXIT(rod::conoid(scratch_.path(), QStringList{"run", "case.json", "--out", out.c_str()} + flags), 0);
    compare(out);
    // What check says, number for number.
    const rod::Said check = rod::conoid(scratch_.path(), QStringList{"check", "case.json", "--json"} + flags);
    COMPARE_EXIT(check, 0);
    const Json foreseen = check.json()["resources"], summary = rod::summary_of(scratch_ / out);
    for (const char* key : {"workers", "threads", "device_memory"})
      QVERIFY2(foreseen[key] == summary["resources"][key], (foreseen.dump() + summary["resources"].dump()).c_str());
    QCOMPARE(foreseen["needs"], summary["resources"]["needs"]);
    QCOMPARE(foreseen["needs"]["streams"].get<std::string>(), streams.toStdString());
    QCOMPARE(summary["streamed"].get<double>() > 0, !streams.isEmpty());
    const auto held = summary["peak_memory"]["device"].get<double>();
    QVERIFY2(held <= foreseen["needs"]["device_memory"].get<double>(), std::to_string(held).c_str());
    // All workers have taken part in the one phase.
    std::set<int> took;
    const auto telemetry = conoid::read_telemetry(scratch_ / (out + "/telemetry.csv"), 1000000);
    QVERIFY(telemetry.ok());
    for (const conoid::TelemetryRow& row : *telemetry)
      if (row.phase == "conjugate gradients" && !row.items.empty()) took.insert(row.worker);
    QCOMPARE(took.size(), foreseen["workers"]["value"].size());
  }

  void ranks_with_devices_and_windows_data() {
    QTest::addColumn<QString>("memory");
    QTest::newRow("in memory") << "host=1GiB";
    QTest::newRow("from the disk") << "host=1MiB,device=1MiB";
  }
  void ranks_with_devices_and_windows() {
    QFETCH(QString, memory);
    QProcess process;
    const std::string out = std::string("ranks ") + QTest::currentDataTag();
    rod::prepare(process, scratch_.path())
        .start("mpirun", {"--allow-run-as-root", "--oversubscribe", "-n", "2", CONOID_WITH_HEAT_ROD, "run", "case.json",
                          "--workers", "emulated,cpu:1", "--threads", "2", "--memory", memory, "--progress", "none",
                          "--out", QString::fromStdString(out)});
    COMPARE_EXIT(rod::collect(process, 120000), 0);
    compare(out);
    const Json summary = rod::summary_of(scratch_ / out);
    QCOMPARE(summary["ranks"].get<int>(), 2);
    QCOMPARE(summary["resources"]["workers"]["value"].size(), std::size_t(2));  // a device and a processor each
    QCOMPARE(summary["streamed"].get<double>() > 0, memory.contains("device"));
  }

  void it_goes_on_with_other_workers() {
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "case.json", "--out", "half", "--workers", "cpu:1", "--set",
                                               "parameters.steps=1"}),
                 0);
    COMPARE_EXIT(
        rod::conoid(scratch_.path(), {"resume", "half", "--set", "parameters.steps=2", "--workers", everybody}), 0);
    compare("half");
  }

  void its_table_is_computed_by_devices() {
    const rod::Said said = rod::conoid(
        scratch_.path(), {"verify", "heat-rod", "--only", "discrete solution, 40", "--workers", everybody, "--json"});
    COMPARE_EXIT(said, 0);
    QCOMPARE(said.json()["rows"].size(), std::size_t(1));
  }
};

QTEST_APPLESS_MAIN(TestSixthSolverOnDevices)
#include "test_sixth_solver_on_devices.moc"
