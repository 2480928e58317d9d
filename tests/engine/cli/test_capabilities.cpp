// SPDX-License-Identifier: BSD-3-Clause
// What each solver says of who computes its phases is what computes them: on processors, on two emulated devices and on two ranks;
// README's table says the same.
// labels: cli mpi emulated timeout300
#include "tests/engine/cli/solver_safety.hpp"

#include "engine/io/run_folder.hpp"

using conoid::Json;

namespace {

/// The phases of all solvers as `conoid list --json` tells them.
Json listed() {
  const rod::Scratch scratch;
  const rod::Said said = safety::conoid(scratch.path(), {"list", "--json"});
  return said.exit == 0 ? said.json()["solvers"] : Json::array();
}

Json phases_of(const QString& solver) {
  for (const Json& s : listed())
    if (s["id"] == solver.toStdString()) return s["phases"];
  return Json::array();
}

/// The phases that have a property, as README names them: all, all but some, or these.
template <typename Has>
std::string named(const Json& phases, Has has) {
  std::string with;
  std::string without;
  std::size_t count = 0;
  for (const Json& phase : phases) {
    const bool does = has(phase);
    count += does ? 1 : 0;
    std::string& list = does ? with : without;
    list += (list.empty() ? "" : ", ") + phase["phase"].get<std::string>();
  }
  if (count == 0) return "none";
  if (count == phases.size()) return "all";
  return 2 * count > phases.size() ? "all but " + without : with;
}

/// The row of a solver in README's table.
std::string row_of(const Json& solver) {
  const Json& phases = solver["phases"];
  std::string out = "| `" + solver["id"].get<std::string>() + "` | ";
  for (const char* word : {"device", "devices", "ranks"})
    out += named(phases, [&](const Json& phase) { return phase[word].get<bool>(); }) + " | ";
  std::string windows;
  for (const Json& phase : phases)
    if (!phase["windows"].is_null())
      windows += (windows.empty() ? "" : "; ") + phase["phase"].get<std::string>() + " on " +
                 phase["windows"].get<std::string>();
  return out + (windows.empty() ? "none" : windows) + " |";
}

}  // namespace

class TestCapabilities : public QObject {
  Q_OBJECT
 private slots:
  void the_readme_says_the_same();
  void devices_compute_what_is_said_data() { rows(); }
  void devices_compute_what_is_said();
  void auto_takes_no_device_that_has_nothing_to_do();
  void ranks_are_taken_or_refused_as_is_said_data() { rows(); }
  void ranks_are_taken_or_refused_as_is_said();

 private:
  static void rows() {
    QTest::addColumn<QString>("solver");
    for (const QString& solver : safety::solvers()) QTest::newRow(qPrintable(solver)) << solver;
  }
};

void TestCapabilities::the_readme_says_the_same() {
  std::ifstream readme(CONOID_SOURCE_DIR "/README.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(readme, line);) lines.insert(line);
  const Json solvers = listed();
  QCOMPARE(solvers.size(), static_cast<std::size_t>(safety::solvers().size()));
  std::string missing;
  std::set<std::string> known;
  for (const Json& solver : solvers) {
    const std::string row = row_of(solver);
    known.insert(row);
    if (!lines.contains(row)) missing += row + "\n";
  }
  QVERIFY2(missing.empty(), ("README.md lacks\n" + missing).c_str());
  for (const std::string& line : lines)
    QVERIFY2(!line.starts_with("| `") || std::ranges::count(line, '|') != 6 || known.contains(line),
             ("README.md says of a solver what is not so: " + line).c_str());
}

/// The small case of each solver, of acoustic-bem with enough rows for a device, of hydro-fem its beginning; of elastic-bem solved by
/// one device and by iterations, whose matrix all workers share, and with ground. A worker that did something in a phase has a row.
void TestCapabilities::devices_compute_what_is_said() {
  QFETCH(QString, solver);
  const rod::Scratch scratch;
  QStringList words = {"run",       safety::case_of(solver),      "--out", "run", "--progress", "none",
                       "--workers", "cpu:1,emulated:0,emulated:1"};
  if (solver == "acoustic-bem")
    words << "--set"
          << "mesh.size=\"0.45 m\"";
  if (solver == "hydro-fem")  // the first of some hundred steps
    words << "--set"
          << "parameters.end_time=0.01";
  std::vector<QStringList> runs = {words};
  if (solver == "elastic-bem") {
    runs.push_back(words + QStringList{"--set", "parameters.solution=gmres"});
    runs.push_back(words);  // ground that goes on beyond its mesh
    runs.back()[1] = CONOID_TEST_DATA "/elastic-bem-ground.json";
  }
  std::map<std::string, std::set<int>> workers;
  bool warned = false;
  for (const QStringList& line : runs) {
    rod::fs::remove_all(scratch / "run");
    QProcess process;
    safety::start(process, scratch.path(), line, {{"CONOID_EMULATED", "devices=2"}});
    const rod::Said said = rod::collect(process, 200000);
    COMPARE_EXIT(said, 0);
    warned = warned || said.says("runs on devices");
    const auto rows = conoid::read_telemetry(scratch / "run/telemetry.csv", 1000000);
    QVERIFY(rows.ok());
    for (const conoid::TelemetryRow& row : *rows) workers[row.phase].insert(row.worker);
  }
  const Json phases = phases_of(solver);
  QVERIFY(!phases.empty());
  bool any = false;
  for (const Json& phase : phases) {
    any = any || phase["device"].get<bool>();
    if (!phase["device"].get<bool>()) continue;
    const std::set<int> took = workers[phase["phase"].get<std::string>()];
    QVERIFY2(took.contains(1), ("no device took part in " + phase["phase"].get<std::string>()).c_str());
    QCOMPARE(took.contains(2), phase["devices"].get<bool>());
  }
  for (const auto& [name, took] : workers) {
    const auto known = std::ranges::find_if(phases, [&](const Json& p) { return p["phase"] == name; });
    QVERIFY2(known != phases.end(), ("the solver does not list its phase " + name).c_str());
    QVERIFY2((*known)["device"].get<bool>() || (!took.contains(1) && !took.contains(2)), name.c_str());
  }
  QCOMPARE(warned, !any);  // a warning
}

/// With an idle device of "auto" a thread of the processors would be lost.
void TestCapabilities::auto_takes_no_device_that_has_nothing_to_do() {
  const rod::Scratch scratch;
  for (const QString& solver : safety::solvers()) {
    bool any = false;
    for (const Json& phase : phases_of(solver)) any = any || phase["device"].get<bool>();
    if (any) continue;
    const rod::Said said = safety::conoid(scratch.path(), {"check", safety::case_of(solver), "--json"});
    COMPARE_EXIT(said, 0);
    const Json devices = said.json().at("estimate").at("devices");
    QVERIFY2(devices.is_array() && devices.empty(), said.out.c_str());
  }
}

void TestCapabilities::ranks_are_taken_or_refused_as_is_said() {
  QFETCH(QString, solver);
  const rod::Scratch scratch;
  bool any = false;
  for (const Json& phase : phases_of(solver)) any = any || phase["ranks"].get<bool>();
  QProcess process;
  safety::start(process, scratch.path(),
                safety::run_line(solver, "run", {"--launcher", "mpirun --allow-run-as-root --oversubscribe -n 2"}));
  const rod::Said said = rod::collect(process, 100000);
  COMPARE_EXIT(said, any ? 0 : 3);
}

QTEST_APPLESS_MAIN(TestCapabilities)
#include "test_capabilities.moc"
