// SPDX-License-Identifier: BSD-3-Clause
// `conoid check` with the flags of `conoid run` says number for number what the run then takes: of each solver's small case, on
// processors, with one and two emulated devices, and with little memory.
// labels: cli emulated timeout300
#include "tests/engine/cli/solver_safety.hpp"

#include "conoid/config.hpp"
#include "engine/io/run_folder.hpp"

using conoid::Json;

namespace {

struct Offered {
  const char* name;
  QStringList flags;
};

/// With 3 MiB of a device a grid is streamed from the host; with 2 MiB of the host (acoustic-fd alone) from the disk.
std::vector<Offered> lists() {
  return {{"cpu", {"--workers", "cpu", "--threads", "2"}},
          {"a device", {"--workers", "emulated:0,cpu:1", "--threads", "2", "--memory", "host=2GiB,device=40MiB"}},
          {"two devices", {"--workers", "emulated:0,emulated:1", "--threads", "3", "--deterministic"}},
          {"little memory", {"--workers", "emulated:0", "--threads", "1", "--memory", "device=3MiB,host=300MiB"}}};
}

}  // namespace

class TestCheckSaysWhatRunDoes : public QObject {
  Q_OBJECT
 private slots:
  void numbers_agree_data() {
    QTest::addColumn<QString>("solver");
    QTest::addColumn<QStringList>("flags");
    for (const QString& solver : safety::solvers())
      for (const Offered& list : lists()) QTest::newRow(qPrintable(solver + ", " + list.name)) << solver << list.flags;
  }

  void numbers_agree() {
    QFETCH(QString, solver);
    QFETCH(QStringList, flags);
    const rod::Scratch scratch;
    const safety::Variables machine = {{"CONOID_EMULATED", "devices=2,memory=96MiB"}};
    QStringList set = flags;
    if (solver == "acoustic-bem")
      set << "--set"
          << "mesh.size=\"0.45 m\"";  // rows enough for a device
    if (solver == "hydro-fem")
      set << "--set"
          << "parameters.end_time=0.01";  // the first of some hundred steps
    // Looking at a case meshes nothing: the run goes first, and check then finds its mesh.
    const rod::Said run = safety::conoid(
        scratch.path(), QStringList{"run", safety::case_of(solver), "--out", "run", "--progress", "none"} + set,
        machine);
    const rod::Said check =
        safety::conoid(scratch.path(), QStringList{"check", safety::case_of(solver), "--json"} + set, machine);
    QCOMPARE(check.exit, run.exit);
    COMPARE_EXIT(run, 0);
    const Json foreseen = check.json(), summary = rod::summary_of(scratch / "run");
    QVERIFY2(foreseen["resources"].is_object(), check.out.c_str());

    // One structure is printed by both ...
    const auto same = [&](const Json& a, const Json& b, const char* what) {
      QVERIFY2(a == b, (std::string(what) + "\ncheck " + a.dump() + "\nrun   " + b.dump()).c_str());
    };
    Json here = foreseen["resources"], there = summary["resources"];
    same(here["workers"], there["workers"], "workers");
    same(here["threads"], there["threads"], "threads");
    same(here["device_memory"], there["device_memory"], "device memory");
    same(here["deterministic"], there["deterministic"], "deterministic");
    // (What is free changes from moment to moment.)
    if (here["host_memory"]["source"] != "default") same(here["host_memory"], there["host_memory"], "host memory");
    // (How much slower hangs on a rate that is measured anew where the machine was busy.)
    for (const char* need : {"device_memory", "streams", "streamed", "steps"})
      same(here["needs"][need], there["needs"][need], need);
    const Json record = conoid::read_json(rod::text_of(scratch / "run/run.json"));
    same(foreseen["options"]["workers"], record["options"]["workers"], "options of run.json");
    const std::string log = rod::text_of(scratch / "run/log.jsonl");
    QVERIFY(log.find("workers = " + record["options"]["workers"]["value"].get<std::string>()) != std::string::npos);

    // ... and is what happens: by the telemetry of the team, which is asked after the run.
    // (Where devices are alone and idle, the threads that feed them compute, and no worker has a row.)
    const auto rows = conoid::read_telemetry(scratch / "run/telemetry.csv", 1000000);
    std::map<std::string, std::set<int>> workers;
    if (rows.ok())
      for (const conoid::TelemetryRow& row : *rows) {
        QVERIFY2(row.worker < static_cast<int>(here["workers"]["value"].size()), "a worker that check did not name");
        workers[row.phase].insert(row.worker);
      }
    std::set<int> devices, took;
    const Json& team = here["workers"]["value"];
    for (int k = 0; k < static_cast<int>(team.size()); ++k)
      if (team[static_cast<std::size_t>(k)]["name"].get<std::string>().starts_with("emulated")) devices.insert(k);
    for (const auto& [phase, who] : workers)
      std::ranges::set_intersection(who, devices, std::inserter(took, took.begin()));
    // A device that check takes without a warning computes; one that it calls idle was named for nothing.
    bool idle = false;
    for (const Json& d : foreseen["diagnostics"]) {
      const auto text = d.at("text").get<std::string>();
      idle = idle || text.find("runs on devices") != std::string::npos ||
             text.find("do not make this case faster") != std::string::npos;
    }
    if (!idle) QCOMPARE(took, devices);
    QCOMPARE(here["needs"]["device_memory"].get<double>() > 0, !took.empty());
    const auto budget = here["device_memory"]["value"].get<double>(),
               held = summary["peak_memory"]["device"].get<double>();
    QVERIFY2(held <= budget, ("held " + std::to_string(held) + " of " + std::to_string(budget)).c_str());
    QVERIFY2(held <= here["needs"]["device_memory"].get<double>(), std::to_string(held).c_str());
    QCOMPARE(summary["streamed"].get<double>() > 0, !here["needs"]["streams"].get<std::string>().empty());
  }

  /// Nobody says how many threads: ranks that are started together share the processors, as far as they are not bound to some.
  void ranks_are_those_that_are_started() {
#if !CONOID_HAVE_MPI
    QSKIP("built without MPI");
#endif
    const rod::Scratch scratch;
    const auto said = [&](const QStringList& words) {
      QProcess process;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      for (const char* name : {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"}) environment.remove(name);
      process.setProcessEnvironment(environment);
      rod::prepare(process, scratch.path()).start(words.front(), words.mid(1));
      return rod::collect(process, 60000);
    };
    const QStringList two{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"};
    const QStringList sound{safety::case_of("acoustic-fd"), "--set", "compute.threads=0", "--workers", "cpu"};
    const QStringList check = QStringList{safety::program, "check", "--json"} + sound;
    COMPARE_EXIT(said(two + QStringList{safety::program, "run", "--out", "run", "--progress", "none"} + sound), 0);
    const Json run = rod::summary_of(scratch / "run")["resources"], started = said(two + check).json()["resources"];
    for (const char* what : {"workers", "threads", "ranks", "local_ranks", "needs"})
      QVERIFY2(run[what] == started[what], (started[what].dump() + " and " + run[what].dump()).c_str());
    const Json one = said(check).json()["resources"],
               asked = said(check + QStringList{"--ranks", "2"}).json()["resources"];
    QCOMPARE(asked["threads"]["value"].get<int>(), std::max(1, one["threads"]["value"].get<int>() / 2));
  }

  void the_flags_are_those_of_run() {
    const rod::Scratch scratch;
    for (const char* verb : {"check", "run", "resume", "sweep"}) {
      const rod::Said help = safety::conoid(scratch.path(), {verb, "--help"});
      for (const char* flag : {"--workers", "--threads", "--memory", "--deterministic"})
        QVERIFY2(help.out.find(flag) != std::string::npos, (std::string(verb) + flag).c_str());
    }
    const QString file = safety::case_of("acoustic-fd");
    for (const char* verb : {"check", "run"})
      COMPARE_EXIT(safety::conoid(scratch.path(), {verb, file, "--memory", "disk=1GiB"}), 2);
  }

  void flags_leave_the_case_of_a_run_alone() {
    const rod::Scratch scratch;
    COMPARE_EXIT(safety::conoid(scratch.path(), {"run", safety::case_of("acoustic-fd"), "--out", "run", "--progress",
                                                 "none", "--memory", "host=1GiB", "--workers", "cpu"}),
                 0);
    const Json kept = conoid::read_json(rod::text_of(scratch / "run/case.json"));
    QVERIFY2(!kept.contains("compute") || !kept["compute"].contains("memory"), kept.dump().c_str());
  }
};

QTEST_GUILESS_MAIN(TestCheckSaysWhatRunDoes)
#include "test_check_says_what_run_does.moc"
