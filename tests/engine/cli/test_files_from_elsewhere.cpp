// SPDX-License-Identifier: BSD-3-Clause
// Files from elsewhere do nothing unasked and never hold the program; ends of a terminal are stops; a run goes on with its own case.
// labels: cli long
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "engine/io/run_folder.hpp"
#include "engine/mesh/gmsh.hpp"
#include "tests/engine/cli/program.hpp"

namespace {

using rod::fs::path;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write(const path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

rod::Said in_shell(const path& folder, const QString& line) {
  QProcess process;
  rod::prepare(process, folder).start("sh", {"-c", line, CONOID_WITH_HEAT_ROD});
  return rod::collect(process);
}

}  // namespace

class TestFilesFromElsewhere : public QObject {
  Q_OBJECT
  /// With the solvers of this build and the programs beside it.
  rod::Said whole_program(const QStringList& words) const {
    QProcess process;
    rod::prepare(process, scratch_.path()).start(CONOID_BIN_DIR "/conoid", words);
    return rod::collect(process);
  }

 private slots:
  void initTestCase() {
    qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((scratch_ / "cache").string()));
    rod::write_case(scratch_ / "case.json", rod::json(60));
    rod::write_case(scratch_ / "long.json", rod::json(120));
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "case.json", "--out", "short"}), 0);
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "long.json", "--out", "long"}), 0);
  }

  void a_geometry_script_asks_first() {
    write(scratch_ / "evil.geo",
          "SystemCall \"id > ran.txt\";\nSetFactory(\"OpenCASCADE\");\nSphere(1)={0,0,0,1};\n"
          "Physical Surface(\"surface\")={1};\nMesh.CharacteristicLengthMax=0.6;\n");
    for (const QStringList& words : {QStringList{"mesh", "evil.geo"}, QStringList{"mesh", "--json", "evil.geo"}}) {
      const rod::Said said = rod::conoid(scratch_.path(), words);
      COMPARE_EXIT(said, 3);
      QVERIFY2(said.says("SystemCall") && said.says("--trust"), said.err.c_str());
    }
    QVERIFY(!rod::fs::exists(scratch_ / "ran.txt"));
  }

  void names_that_begin_with_a_dash_are_files() {
    rod::fs::copy_file(CONOID_TEST_DATA "/mesh/tet_order1_22ascii.msh", scratch_ / "-x.msh");
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"mesh", "--", "-x.msh"}), 0);
    if (!rod::fs::exists(CONOID_BIN_DIR "/conoid-render")) return;
    const rod::Said said = whole_program({"render", "--", "-r"});
    QVERIFY2(said.says("-r") && !said.says("not expected"), (said.out + said.err).c_str());
    COMPARE_EXIT(said, 4);
  }

  void pipes_and_devices_are_refused_at_once() {
    QCOMPARE(::mkfifo((scratch_ / "pipe.msh").c_str(), 0600), 0);
    QCOMPARE(::mkfifo((scratch_ / "pipe.json").c_str(), 0600), 0);
    const auto begin = std::chrono::steady_clock::now();
    for (const QStringList& words : {QStringList{"mesh", "pipe.msh"}, QStringList{"check", "pipe.json"},
                                     QStringList{"mesh", "/dev/zero"}, QStringList{"resample", "pipe.msh"}}) {
      const rod::Said said = rod::conoid(scratch_.path(), words);
      QVERIFY2(said.exit == 3 || said.exit == 4 || said.exit == 2, (said.out + said.err).c_str());
    }
    QVERIFY(seconds_since(begin) < 60);
  }

  void a_case_may_come_on_standard_input() {
    COMPARE_EXIT(in_shell(scratch_.path(), "\"$0\" check - < case.json"), 0);
    COMPARE_EXIT(in_shell(scratch_.path(), "\"$0\" check - < /dev/null"), 4);
  }

  void a_vtu_that_never_ends_or_unpacks_without_end_is_refused() {
    if (!rod::fs::exists(CONOID_BIN_DIR "/conoid-probe")) QSKIP("this build has no VTK");
    const rod::Said said = whole_program({"mesh", CONOID_TEST_DATA "/safety/endless.vtu"});
    COMPARE_EXIT(said, 6);
    QVERIFY2(said.says("took longer"), said.err.c_str());
  }

  void links_in_a_run_folder_are_not_followed() {
    write(scratch_ / "victim.txt", "mine");
    for (const char* name : {"log.jsonl", "summary.json", "telemetry.csv", "charts/heat.csv", "charts/new.csv",
                             "results.vtkhdf", ".lock", "case.json", "run.json"}) {
      const path run = stopped_copy();
      std::error_code ignored;
      rod::fs::remove(run / name, ignored);
      rod::fs::create_symlink(scratch_ / "victim.txt", run / name);
      const rod::Said said = rod::conoid(scratch_.path(), {"resume", QString::fromStdString(run.string())});
      QVERIFY2(said.exit == 4 || said.exit == 3, (name + said.out + said.err).c_str());
      QCOMPARE(rod::text_of(scratch_ / "victim.txt"), std::string("mine"));
    }
    for (const char* name : {"charts", "checkpoints"}) {
      const path run = stopped_copy();
      rod::fs::create_directory(scratch_ / "theirs");
      write(scratch_ / "theirs/kept.csv", "kept");
      rod::fs::remove_all(run / name);
      rod::fs::create_directory_symlink(scratch_ / "theirs", run / name);
      COMPARE_EXIT(rod::conoid(scratch_.path(), {"resume", QString::fromStdString(run.string())}), 4);
      QCOMPARE(rod::text_of(scratch_ / "theirs/kept.csv"), std::string("kept"));
    }
    const path run = stopped_copy();
    rod::fs::remove(run / "log.jsonl");
    rod::fs::create_hard_link(scratch_ / "victim.txt", run / "log.jsonl");
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"resume", QString::fromStdString(run.string())}), 4);
    QCOMPARE(rod::text_of(scratch_ / "victim.txt"), std::string("mine"));
  }

  void links_planted_while_a_run_goes_on_are_not_followed() {
    for (const char* name : {"charts", "checkpoints"}) {
      const QString out = QString("planted-%1").arg(name);
      const path run = scratch_ / out.toStdString(), theirs = scratch_ / (out.toStdString() + "-theirs");
      QProcess process;
      rod::prepare(process, scratch_.path())
          .start(CONOID_WITH_HEAT_ROD, {"run", "long.json", "--out", out, "--progress", "none", "--set",
                                        "parameters.pace=0.1", "--set", "output.checkpoints.every_seconds=0.2"});
      QVERIFY(rod::eventually(
          [&] { return rod::fs::exists(run / "charts/heat.csv") && conoid::RunFolder::has_checkpoint(run); }));
      rod::fs::create_directory(theirs);
      rod::fs::create_directory(theirs / "step-000000000001");
      write(theirs / "step-000000000001/manifest.json", "theirs");
      write(theirs / "heat.csv", "theirs");
      // At once: the run makes a folder that is missing.
      rod::fs::create_directory_symlink(theirs, run / "aside");
      QCOMPARE(::renameat2(AT_FDCWD, (run / "aside").c_str(), AT_FDCWD, (run / name).c_str(), RENAME_EXCHANGE), 0);
      const rod::Said said = rod::collect(process);
      COMPARE_EXIT(said, 4);
      QVERIFY2(said.says(name) && said.says("has become a link"), said.err.c_str());
      int files = 0;
      for (const auto& entry : rod::fs::recursive_directory_iterator(theirs)) files += entry.is_regular_file() ? 1 : 10;
      QCOMPARE(files, 12);
      QCOMPARE(rod::text_of(theirs / "heat.csv"), std::string("theirs"));
      // As the message advises.
      rod::fs::remove(run / name);
      rod::fs::rename(run / "aside", run / name);
      COMPARE_EXIT(rod::conoid(scratch_.path(), {"resume", out, "--progress", "none"}), 0);
      QCOMPARE(rod::rows_of(run / "charts/heat.csv"), rod::rows_of(scratch_ / "long/charts/heat.csv"));
    }
  }

  void an_edited_run_is_not_resumed() {
    const path run = stopped_copy();
    std::string text = rod::text_of(run / "case.json");
    const auto at = text.find("\"fourier\"");
    if (at == std::string::npos) {
      const auto steps = text.find("\"steps\"");
      QVERIFY2(steps != std::string::npos, text.c_str());
      text.insert(steps, "\"fourier\": 0.3, ");
    }
    write(run / "case.json", text);
    const rod::Said said = rod::conoid(scratch_.path(), {"resume", QString::fromStdString(run.string())});
    COMPARE_EXIT(said, 3);
    QVERIFY2(said.says("parameters.fourier"), said.err.c_str());
  }

  void a_finished_run_is_prolonged_bit_for_bit() {
    const rod::Said refused = rod::conoid(scratch_.path(), {"resume", "short", "--set", "parameters.fourier=0.3"});
    COMPARE_EXIT(refused, 2);
    QVERIFY2(refused.says("parameters.steps"), refused.err.c_str());
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"resume", "short", "--set", "parameters.steps=120"}), 0);
    QCOMPARE(rod::rows_of(scratch_ / "short/charts/heat.csv"), rod::rows_of(scratch_ / "long/charts/heat.csv"));
    QCOMPARE(rod::summary_text(scratch_ / "short", "numbers"), rod::summary_text(scratch_ / "long", "numbers"));
    QCOMPARE(rod::summary_text(scratch_ / "short", "resumed"), std::string("1"));
    // A run that was changed is its own from then on.
    const rod::Said again = rod::conoid(scratch_.path(), {"resume", "short"});
    COMPARE_EXIT(again, 0);
    COMPARE_EXIT(rod::conoid(scratch_.path(), {"resume", "short", "--set", "parameters.steps=130"}), 0);
    // A section that the case does not have is made by what may be set in it.
    COMPARE_EXIT(rod::conoid(scratch_.path(),
                             {"resume", "long", "--set", "parameters.steps=130", "--set", "output.frames.every=10"}),
                 0);
  }

  void waves_are_prolonged_bit_for_bit() {
    // Without a Courant number, so that the program chooses the step.
    write(scratch_ / "waves.json",
          R"({"conoid": 1, "solver": "acoustic-fd", "grid": {"points": [31, 33, 35], "spacing": "10 m"},
              "medium": {"velocity": {"kind": "constant", "speed": "2 km/s"}},
              "boundaries": {"x_min": {"kind": "free"}, "x_max": {"kind": "free"},
                             "y_min": {"kind": "free"}, "y_max": {"kind": "free"}, "z_min": {"kind": "free"}, "z_max": {"kind": "free"}},
              "excitation": {"sources": [{"position": ["150 m", "160 m", "170 m"],
                                          "signal": {"kind": "ricker", "frequency": "20 Hz"}}]},
              "parameters": {"order": 4, "end_time": "0.05 s"},
              "output": {"frames": {"count": 2}, "receivers": [{"name": "a", "position": [100, 100, 100]}]}})");
    const QStringList longer = {"--set", "parameters.end_time=0.11 s"};
    COMPARE_EXIT(whole_program({"run", "waves.json", "--out", "half"}), 0);
    COMPARE_EXIT(whole_program(QStringList{"run", "waves.json", "--out", "full"} + longer), 0);
    COMPARE_EXIT(whole_program(QStringList{"resume", "half"} + longer), 0);
    for (const auto& entry : rod::fs::directory_iterator(scratch_ / "full/charts")) {
      const std::string name = entry.path().filename().string();
      QVERIFY2(rod::rows_of(entry.path()) == rod::rows_of(scratch_ / ("half/charts/" + name)), name.c_str());
    }
    const rod::Said back = whole_program({"resume", "half", "--set", "parameters.end_time=0.02 s"});
    COMPARE_EXIT(back, 3);
    QVERIFY2(back.says("already"), back.err.c_str());
  }

  void hangups_and_lost_readers_are_stops() {
    for (const int number : {SIGHUP, SIGPIPE}) {
      const QString out = QString("signal%1").arg(number);
      QProcess process;
      rod::prepare(process, scratch_.path())
          .start(CONOID_WITH_HEAT_ROD, {"run", "long.json", "--out", out, "--progress", "none", "--set",
                                        "parameters.pace=0.05", "--set", "output.checkpoints.every_seconds=0.1"});
      QVERIFY(rod::eventually([&] { return rod::fs::exists(scratch_ / (out.toStdString() + "/charts/heat.csv")); }));
      ::kill(static_cast<pid_t>(process.processId()), number);
      COMPARE_EXIT(rod::collect(process), 75);
    }
    const rod::Said piped =
        in_shell(scratch_.path(),
                 "(\"$0\" run long.json --out piped --progress plain --set parameters.pace=0.05 2>&1; echo $? > "
                 "code.txt) | head -n 1");
    COMPARE_EXIT(piped, 0);
    QVERIFY(rod::eventually(
        [&] { return rod::fs::exists(scratch_ / "code.txt") && !rod::text_of(scratch_ / "code.txt").empty(); }));
    QCOMPARE(rod::text_of(scratch_ / "code.txt"), std::string("75\n"));
  }

  void a_missing_folder_for_temporary_files_is_told() {
    if (!conoid::find_gmsh()) QSKIP("gmsh is not installed");
    const rod::Said said = in_shell(scratch_.path(), "TMPDIR=/no/such exec \"$0\" mesh '" CONOID_TEST_DATA
                                                     "/mesh/surface_ascii.ply' --unit m --size 0.5");
    COMPARE_EXIT(said, 4);
    QVERIFY2(said.says("TMPDIR"), said.err.c_str());
  }

  void geometry_without_gmsh_says_what_to_install() {
    const QString airplane = CONOID_SOURCE_DIR "/resources/cases/airplane", conoid = CONOID_BIN_DIR "/conoid";
    for (const auto& [words, code] :
         {std::pair("check " + airplane, 0), std::pair("run " + airplane + " --out none", 6),
          std::pair("mesh " + airplane + "/airplane.geo", 6)}) {
      const rod::Said said = in_shell(scratch_.path(), "PATH=/nowhere CONOID_GMSH= exec '" + conoid + "' " + words);
      COMPARE_EXIT(said, code);
      QVERIFY2(said.says("gmsh, which was not found on PATH") && said.says("apt install gmsh"), said.err.c_str());
    }
  }

  void a_full_device_is_a_file_error() {
    for (const QString line : {"\"$0\" list > /dev/full", "\"$0\" check case.json > /dev/full",
                               "\"$0\" check case.json --json > /dev/full", "\"$0\" --version > /dev/full"})
      COMPARE_EXIT(in_shell(scratch_.path(), line), 4);
  }

 private:
  /// A copy of the finished short run that says of itself that it was stopped.
  path stopped_copy() {
    const path run = scratch_ / ("copy" + std::to_string(copies_++));
    rod::fs::copy(scratch_ / "long", run, rod::fs::copy_options::recursive);
    rod::fs::remove(run / "summary.json");
    return run;
  }
  rod::Scratch scratch_;
  int copies_ = 0;
};

QTEST_APPLESS_MAIN(TestFilesFromElsewhere)
#include "test_files_from_elsewhere.moc"
