// SPDX-License-Identifier: BSD-3-Clause
// hydro-fem on two and four ranks: tables, numbers and frames of one rank, bit for bit, in every dimension; checkpoints of any number of
// ranks go on on any other. On the device of each rank the same within round-off, and a device that is lost on one rank leaves a run
// that resumes.
// labels: cli mpi emulated long timeout1200
#include <QProcess>
#include <QTest>

#include <cstring>
#include <fstream>
#include <string>

#include "conoid/config.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

namespace {

const Json gas = Json::parse(R"j({"air": {"kind": "ideal-gas", "gamma": 1.4}})j");

/// A case with tight mass solves.
Json case_of(const char* body) {
  Json out = Json::parse(body);
  out["title"] = "On ranks";
  out["conoid"] = 1;
  out["solver"] = "hydro-fem";
  if (!out.contains("materials")) out["materials"] = gas;
  out["parameters"]["mass_tolerance"] = 1e-14;
  out["output"]["frames"] = {{"count", 3}};
  return out;
}

constexpr const char* tube = R"j({"grid": {"lower": [0], "upper": [1], "zones": [40]},
  "regions": [{"material": "air", "density": 1, "pressure": 1},
              {"material": "air", "lower": [0.5], "upper": [1], "density": 0.125, "pressure": 0.1}],
  "parameters": {"order": 3, "end_time": 0.01},
  "output": {"tracers": [{"name": "left", "position": [0.45]}],
             "lines": [{"name": "tube", "from": [0], "to": [1], "points": 50}]}})j";
/// Too few for two ranks with vectors of four or eight zones, and for four with any.
constexpr const char* few = R"j({"grid": {"lower": [0], "upper": [1], "zones": [3]},
  "regions": [{"material": "air", "density": 1, "pressure": 1, "velocity_formula": ["sin(3.141592653589793*x)"]}],
  "parameters": {"order": 2, "end_time": 0.05}})j";
constexpr const char* blast = R"j({"grid": {"lower": [0, 0], "upper": [1.2, 1.2], "zones": [16, 16]},
  "regions": [{"material": "air", "density": 1, "pressure": 0}],
  "excitation": {"blast": {"energy": 0.25, "position": [0, 0]}},
  "parameters": {"order": 2, "end_time": 0.004}, "output": {"exact": "sedov"}})j";
constexpr const char* three_gases = R"j({"grid": {"lower": [0, 0], "upper": [7, 3], "zones": [14, 6]},
  "materials": {"driver": {"kind": "ideal-gas", "gamma": 1.5}, "heavy": {"kind": "ideal-gas", "gamma": 1.4}},
  "regions": [{"material": "driver", "density": 1, "pressure": 1},
              {"material": "heavy", "lower": [1, 0], "upper": [7, 1.5], "density": 1, "pressure": 0.1},
              {"material": "driver", "lower": [1, 1.5], "upper": [7, 3], "density": 0.125, "pressure": 0.1}],
  "parameters": {"order": 3, "end_time": 0.015}, "output": {"tracers": [{"name": "triple", "position": [1, 1.5]}]}})j";
/// Two long rows of zones: a rank's part is less than a row, so that ranks meet that do not follow one another.
constexpr const char* rows = R"j({"grid": {"lower": [0, 0], "upper": [8, 0.5], "zones": [64, 4]},
  "regions": [{"material": "air", "density": 1, "pressure": 1, "velocity_formula": ["sin(0.39269908169872414*x)", "0"]}],
  "parameters": {"order": 2, "end_time": 0.02, "integrator": "rk4"}})j";
/// Pressure, a body force and power from outside.
constexpr const char* turned =
    R"j({"grid": {"lower": [0, 0], "upper": [1, 1], "zones": [12, 12], "coordinates": "axisymmetric"},
  "regions": [{"name": "gas", "material": "air", "density": 1, "pressure": 1}],
  "boundaries": {"x_max": {"kind": "pressure", "pressure": 2}, "y_max": {"kind": "pressure", "pressure": 1.5}},
  "excitation": {"gravity": [-1, 0], "sources": [{"region": "gas", "power": 0.5}]},
  "parameters": {"order": 2, "end_time": 0.01}})j";
/// A piston and an outside pressure that change with time.
constexpr const char* driven = R"j({"grid": {"lower": [0, 0], "upper": [1, 1], "zones": [12, 12]},
  "regions": [{"material": "air", "density": 1, "pressure": 1}],
  "boundaries": {"x_min": {"kind": "piston", "speed_formula": "sin(20*t)"},
                 "y_max": {"kind": "pressure", "pressure_formula": "1 + 5*t"}},
  "parameters": {"order": 2, "end_time": 0.02}})j";
/// A charge lit at its middle, beside air.
constexpr const char* charge =
    R"j({"grid": {"lower": [0, 0], "upper": [0.1, 0.1], "zones": [12, 12], "coordinates": "axisymmetric"},
  "materials": {"air": {"gamma": 1.4}, "TNT": {"kind": "jwl", "detonation_velocity": 6930}},
  "regions": [{"material": "air", "density": 1.2, "pressure": "101 kPa"},
              {"material": "TNT", "lower": [0, 0], "upper": [0.05, 0.05], "density": 1630}],
  "excitation": {"detonation": [{"position": [0, 0]}]},
  "parameters": {"order": 2, "end_time": "2 us"},
  "output": {"tracers": [{"name": "charge", "position": [0.01, 0.01]}],
             "gauges": [{"name": "fixed", "position": [0.012, 0.003]}, {"position": [0.009, 0.004], "moves": true}]}})j";
constexpr const char* octant = R"j({"grid": {"lower": [0, 0, 0], "upper": [1.2, 1.2, 1.2], "zones": [6, 6, 6]},
  "regions": [{"material": "air", "density": 1, "pressure": 0}],
  "excitation": {"blast": {"energy": 0.25, "position": [0, 0, 0]}},
  "parameters": {"order": 2, "end_time": 0.003}})j";

/// Its products burn on, all of one region and for a part of the run.
QString burning_on() {
  Json out = Json::parse(charge);
  out["materials"]["TNT"]["afterburn"] = Json::parse(R"j({"energy": 1e6, "begin": "0.4 us", "end": "1.3 us"})j");
  return QString::fromStdString(out.dump());
}

/// Two and four in turns, so that both meet one, two and three dimensions.
int ranks_in_turn() {
  static int turn = 0;
  return turn++ % 2 == 0 ? 4 : 2;
}

QStringList on_ranks(int ranks) {
  if (ranks == 1) return {};
  return {"--launcher",
          QString("mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n %1").arg(ranks)};
}

}  // namespace

class TestHydroRanks : public QObject {
  Q_OBJECT
  rod::Scratch scratch_;
  rod::Said run(const QString& out, int ranks, const QStringList& more = {}) {
    return safety::conoid(scratch_.path(), QStringList{"run", "case.json", "--out", out, "--threads",
                                                       ranks == 2 ? "2" : "1", "--progress", "none"} +
                                               more + on_ranks(ranks));
  }

 private slots:
  void ranks_leave_what_one_leaves_data();
  void ranks_leave_what_one_leaves();
  void a_rank_without_zones_is_told();
  void memory_of_a_rank_falls_with_ranks();
  void checkpoints_of_four_go_on_on_one_and_of_one_on_two();
  void a_collapse_on_ranks_names_the_same_zone();
  void a_run_along_the_radius_begins_one_in_the_plane();
  void devices_of_ranks_leave_what_processors_leave_data();
  void devices_of_ranks_leave_what_processors_leave();
  void a_device_lost_on_one_rank_leaves_a_run_that_resumes_data();
  void a_device_lost_on_one_rank_leaves_a_run_that_resumes();
};

void TestHydroRanks::ranks_leave_what_one_leaves_data() {
  QTest::addColumn<QString>("input");
  QTest::addColumn<bool>("closed");
  QTest::newRow("tube") << tube << true;
  QTest::newRow("blast in a quadrant") << blast << true;
  QTest::newRow("triple point") << three_gases << true;
  QTest::newRow("long rows, RK4") << rows << false;
  QTest::newRow("axisymmetric, loads") << turned << false;
  QTest::newRow("driven walls") << driven << false;
  QTest::newRow("detonation") << charge << true;
  QTest::newRow("afterburn") << burning_on() << false;
  QTest::newRow("blast in an octant") << octant << true;
}

void TestHydroRanks::ranks_leave_what_one_leaves() {
  QFETCH(QString, input);
  QFETCH(bool, closed);
  rod::write_case(scratch_ / "case.json", case_of(input.toUtf8().constData()));
  const QString name = QString(QTest::currentDataTag()).replace(' ', '-').remove(',');
  COMPARE_EXIT(run(name, 1), 0);
  const safety::Left one = safety::left_by(scratch_ / name.toStdString());
  if (closed)  // to what mass solves to 1e-14 leave of it in some hundred steps
    QVERIFY(std::abs(one.numbers["energy_change_largest"]["value"].get<double>()) < 1e-12);
  const int ranks = ranks_in_turn();
  const QString out = name + QString::number(ranks);
  COMPARE_EXIT(run(out, ranks), 0);
  QCOMPARE(rod::summary_of(scratch_ / out.toStdString())["ranks"].get<int>(), ranks);
  const std::string wrong = safety::difference(one, safety::left_by(scratch_ / out.toStdString()));
  QVERIFY2(wrong.empty(), (std::to_string(ranks) + " ranks: " + wrong).c_str());
}

void TestHydroRanks::a_rank_without_zones_is_told() {
  rod::write_case(scratch_ / "case.json", case_of(few));
  const rod::Said check =
      safety::conoid(scratch_.path(), {"check", "case.json", "--json", "--threads", "1", "--ranks", "4"});
  COMPARE_EXIT(check, 6);
  const rod::Said said = run("without", 4);
  COMPARE_EXIT(said, 6);
  for (const rod::Said* each : {&check, &said}) {
    const std::string words = each->out + each->err;
    const auto advice = words.find("(mpirun -n ");
    QVERIFY2(words.find("4 ranks") != std::string::npos && advice != std::string::npos, words.c_str());
    // What is advised can be done.
    COMPARE_EXIT(run("advised", std::stoi(words.substr(advice + std::strlen("(mpirun -n ")))), 0);
    std::error_code none;
    rod::fs::remove_all(scratch_ / "advised", none);
  }
}

/// What lies at the quadrature points is the most of it: as check foresees of each, and less on each of more.
void TestHydroRanks::memory_of_a_rank_falls_with_ranks() {
  Json input = case_of(octant);
  input["grid"]["zones"] = {18, 18, 18};
  input["parameters"]["end_time"] = 1e-5;
  input["output"]["frames"] = {{"count", 1}};
  rod::write_case(scratch_ / "case.json", input);
  std::vector<double> taken, foreseen;
  for (const int ranks : {1, 2, 4}) {
    const QString out = "memory" + QString::number(ranks);
    const rod::Said check = safety::conoid(
        scratch_.path(), {"check", "case.json", "--json", "--threads", "1", "--ranks", QString::number(ranks)});
    COMPARE_EXIT(check, 0);
    foreseen.push_back(check.json()["estimate"]["host_memory"].get<double>());
    COMPARE_EXIT(run(out, ranks), 0);
    taken.push_back(rod::summary_of(scratch_ / out.toStdString())["peak_memory"]["host"].get<double>());
  }
  const QString all = QString("taken %1 %2 %3, foreseen %4 %5 %6")
                          .arg(taken[0] / 1e6)
                          .arg(taken[1] / 1e6)
                          .arg(taken[2] / 1e6)
                          .arg(foreseen[0] / 1e6)
                          .arg(foreseen[1] / 1e6)
                          .arg(foreseen[2] / 1e6);
  qInfo("%s", qPrintable(all));
  for (std::size_t i = 1; i < 3; ++i) {
    QVERIFY2(foreseen[i] < foreseen[i - 1] && taken[i] < taken[i - 1], qPrintable(all));
    // Of what is saved; MPI keeps some memory of its own.
    const double saved = taken[i - 1] - taken[i], told = foreseen[i - 1] - foreseen[i];
    QVERIFY2(saved > 0.6 * told && saved < 1.5 * told, qPrintable(all));
  }
  // All but a frame of the leading rank falls with the ranks: of what is held beside a frame (6.5 × 27 + 73 numbers a zone) and the
  // program's 28 MiB a quarter and little more is foreseen on four.
  const double frame = 8 * (6.5 * 27 + 73) * 5832 + 28 * 1048576.0;
  const double quarter = (foreseen[2] - frame) / (foreseen[0] - frame);
  QVERIFY2(quarter > 0.25 && quarter < 0.26, qPrintable(all));
}

void TestHydroRanks::checkpoints_of_four_go_on_on_one_and_of_one_on_two() {
  Json input = case_of(three_gases);
  input["output"]["frames"] = {{"interval", 0.005}};
  rod::write_case(scratch_ / "case.json", input);
  const auto end = [](const char* at) { return QStringList{"--set", QString("parameters.end_time=") + at}; };
  COMPARE_EXIT(run("whole", 1, end("0.015 s")), 0);
  const safety::Left whole = safety::left_by(scratch_ / "whole");
  COMPARE_EXIT(run("part", 4, end("0.005 s") + safety::often), 0);
  const auto resume = [&](const char* at, int ranks) {
    return safety::conoid(scratch_.path(),
                          QStringList{"resume", "part", "--progress", "none"} + end(at) + on_ranks(ranks));
  };
  COMPARE_EXIT(resume("0.01 s", 1), 0);
  COMPARE_EXIT(resume("0.015 s", 2), 0);
  QCOMPARE(rod::summary_of(scratch_ / "part")["ranks"].get<int>(), 2);
  const std::string wrong = safety::difference(whole, safety::left_by(scratch_ / "part"));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Without viscosity a blast tangles its zones: the step collapses on all ranks at once, and the message is that of one.
void TestHydroRanks::a_collapse_on_ranks_names_the_same_zone() {
  Json input = case_of(blast);
  input["grid"]["zones"] = {6, 6};
  input["parameters"]["mass_tolerance"] = 1e-6;  // each solve is a row of meetings, and steps are halved twenty times
  input["parameters"]["viscosity"] = false;
  input["parameters"]["end_time"] = 0.5;
  input["output"].erase("exact");
  rod::write_case(scratch_ / "case.json", input);
  const rod::Said one = run("collapsed", 1), two = run("collapsed2", 2);
  COMPARE_EXIT(one, 5);
  COMPARE_EXIT(two, 5);
  const auto sentence = [](const rod::Said& said) {
    const auto at = said.err.find("the time step collapsed");
    return at == std::string::npos ? std::string("none") : said.err.substr(at, said.err.find('\n', at) - at);
  };
  QVERIFY2(sentence(one) != "none", one.err.c_str());
  QCOMPARE(sentence(two), sentence(one));
}

/// A blast in spheres carried into axisymmetric flow: as much mass and energy, the shock of the exact solution, and the same on two ranks.
void TestHydroRanks::a_run_along_the_radius_begins_one_in_the_plane() {
  Json spheres = case_of(R"j({"grid": {"coordinates": "spherical", "lower": [0], "upper": [1.2], "zones": [40]},
    "regions": [{"material": "air", "density": 1, "pressure": 0}], "excitation": {"blast": {"energy": 2, "position": [0]}},
    "parameters": {"order": 2, "end_time": 0.2}})j");
  rod::write_case(scratch_ / "case.json", spheres);
  COMPARE_EXIT(run("spheres", 1), 0);
  Json plane =
      case_of(R"j({"grid": {"coordinates": "axisymmetric", "lower": [0, 0], "upper": [1.2, 1.2], "zones": [12, 12]},
    "regions": [{"material": "air", "density": 1, "pressure": 0}], "initial": {"from": {"run": "spheres", "frame": "last"}},
    "parameters": {"order": 2, "end_time": 0.0003}})j");
  rod::write_case(scratch_ / "case.json", plane);
  COMPARE_EXIT(run("plane", 1), 0);
  const safety::Left one = safety::left_by(scratch_ / "plane");
  const auto number = [&](const char* name) { return one.numbers.at(name)["value"].get<double>(); };
  QVERIFY(std::abs(number("start_mass_difference")) < 0.01);
  QVERIFY(std::abs(number("start_energy_difference")) < 0.03);
  QVERIFY(std::abs(number("total_energy") - 1) < 0.04);  // a half of the 2 J
  const double off = number("start_pressure_difference");
  // Where energy swings below zero beside the shock a frame has no pressure, and a line between two of its points has.
  QVERIFY2(off < 1e-3, qPrintable(QString::number(off)));
  COMPARE_EXIT(run("plane2", 2), 0);
  // In another material, of γ = 2 for 1.4, the same states have 1 / 0.4 of the pressure, which is told.
  const rod::Said other = run("other", 2, {"--set", "materials.air.gamma=2"});
  COMPARE_EXIT(other, 0);
  QVERIFY2(other.says("150 % off on average"), other.err.c_str());
  QVERIFY(std::abs(safety::left_by(scratch_ / "other").numbers.at("start_pressure_difference")["value"].get<double>() -
                   1.5) < 2.5e-3);
  const std::string wrong = safety::difference(one, safety::left_by(scratch_ / "plane2"));
  QVERIFY2(wrong.empty(), wrong.c_str());
  // Zones that are thin in their corner must not be squeezed flat by it (62,000 steps on 16 × 16 zones to t = 0.4, 9,600 now), and the
  // trial before the run sees the start that the run has.
  plane["grid"]["zones"] = {8, 8};
  plane["parameters"]["end_time"] = 0.4;
  rod::write_case(scratch_ / "case.json", plane);
  const rod::Said check = safety::conoid(scratch_.path(), {"check", "case.json", "--json", "--threads", "1"});
  COMPARE_EXIT(check, 0);
  const double foreseen = std::stod(
      Json::parse(check.out)["estimate"]["details"]["time steps"].get<std::string>().substr(std::strlen("about ")));
  COMPARE_EXIT(run("coarse", 1), 0);
  const double steps = safety::left_by(scratch_ / "coarse").numbers.at("steps_accepted")["value"].get<double>();
  QVERIFY2(steps < 6000 && foreseen > 0.5 * steps && foreseen < 2 * steps,
           qPrintable(QString("%1 for %2").arg(foreseen).arg(steps)));
  // The flow in the plane, around its axis, in space: the wall of the octant cuts it in four.
  Json space = plane;
  space["grid"] = Json::parse(R"j({"lower": [0, 0, 0], "upper": [1.2, 1.2, 1.2], "zones": [5, 5, 5]})j");
  space["initial"]["from"]["run"] = "plane";
  space["parameters"]["end_time"] = 0.0003;
  rod::write_case(scratch_ / "case.json", space);
  COMPARE_EXIT(run("space", 1), 0);
  const safety::Left octant = safety::left_by(scratch_ / "space");
  QVERIFY(std::abs(octant.numbers.at("start_mass_difference")["value"].get<double>()) < 0.02);
  QVERIFY(std::abs(octant.numbers.at("start_energy_difference")["value"].get<double>()) < 0.05);
  QVERIFY(std::abs(octant.numbers.at("total_energy")["value"].get<double>() - 0.25) < 0.015);
  COMPARE_EXIT(run("space2", 2), 0);
  const std::string apart = safety::difference(octant, safety::left_by(scratch_ / "space2"));
  QVERIFY2(apart.empty(), apart.c_str());
  plane["grid"]["coordinates"] = "planar";
  rod::write_case(scratch_ / "case.json", plane);
  const rod::Said misfit = run("misfit", 1);
  COMPARE_EXIT(misfit, 3);
  QVERIFY2(misfit.says("spherical flow goes into spherical, axisymmetric or three-dimensional flow"),
           misfit.err.c_str());
}

namespace {

/// Sums are of other blocks on a device and of other parts on ranks: round-off, grown by a hundred steps.
const safety::Limits of_devices{{"mass_iterations"}, 1e-9};

/// Without the viscosity, whose linear part hangs on the sign of noise in gas at rest.
safety::Left steady_parts(const rod::fs::path& run) {
  safety::Left out = safety::left_by(run);
  for (conoid::Frame& frame : out.frames)
    for (conoid::FramePart& part : frame.parts)
      std::erase_if(part.fields, [](const conoid::Field& f) { return f.info.name == "viscosity"; });
  return out;
}

}  // namespace

void TestHydroRanks::devices_of_ranks_leave_what_processors_leave_data() {
  QTest::addColumn<QString>("input");
  QTest::addColumn<QString>("device");
  QTest::addColumn<bool>("closed");
  Json loads = Json::parse(turned);
  loads["excitation"].erase("sources");
  QTest::newRow("device: tube") << tube << "emulated-checked" << true;
  QTest::newRow("device: blast in a quadrant") << blast << "emulated" << true;
  QTest::newRow("device: axisymmetric, loads") << QString::fromStdString(loads.dump()) << "emulated" << false;
  QTest::newRow("device: detonation") << charge << "emulated" << true;
  QTest::newRow("device: afterburn") << burning_on() << "emulated" << false;
  QTest::newRow("device: blast in an octant") << octant << "emulated" << true;
  if (!conoid::all_rows()) return;
  QTest::newRow("device: long rows, RK4") << rows << "emulated" << false;
  QTest::newRow("device: driven walls") << driven << "emulated-checked" << false;
}

void TestHydroRanks::devices_of_ranks_leave_what_processors_leave() {
#if !CONOID_HAVE_EMULATED
  QSKIP("built without the emulated device");
#endif
  QFETCH(QString, input);
  QFETCH(QString, device);
  QFETCH(bool, closed);
  rod::write_case(scratch_ / "case.json", case_of(input.toUtf8().constData()));
  const QString name = QString(QTest::currentDataTag()).replace(' ', '-').remove(',').remove(':');
  COMPARE_EXIT(run(name, 1), 0);
  const safety::Left one = steady_parts(scratch_ / name.toStdString());
  const int ranks = closed ? ranks_in_turn() : 2;
  const QString out = name + QString::number(ranks);
  COMPARE_EXIT(run(out, ranks, {"--workers", device}), 0);
  QVERIFY(rod::text_of(scratch_ / out.toStdString() / "log.jsonl").find("each rank's on its own") != std::string::npos);
  const safety::Left left = steady_parts(scratch_ / out.toStdString());
  if (closed) QVERIFY(std::abs(left.numbers.at("energy_change_largest")["value"].get<double>()) < 1e-12);
  const std::string wrong = safety::difference(one, left, of_devices);
  QVERIFY2(wrong.empty(), (std::to_string(ranks) + " ranks: " + wrong).c_str());
}

void TestHydroRanks::a_device_lost_on_one_rank_leaves_a_run_that_resumes_data() {
  QTest::addColumn<bool>("launcher");
  QTest::newRow("with a launcher") << true;
  if (conoid::all_rows()) QTest::newRow("under mpirun") << false;
}

void TestHydroRanks::a_device_lost_on_one_rank_leaves_a_run_that_resumes() {
#if !CONOID_HAVE_EMULATED
  QSKIP("built without the emulated device");
#endif
  Json input = case_of(three_gases);
  input["parameters"]["end_time"] = 0.05;
  rod::write_case(scratch_ / "case.json", input);
  std::error_code none;
  rod::fs::remove_all(scratch_ / "lost", none);
  if (!rod::fs::exists(scratch_ / "kept")) COMPARE_EXIT(run("kept", 1), 0);
  std::ofstream(scratch_ / "one_fails.sh")
      << "#!/bin/sh\n"
         "test \"$OMPI_COMM_WORLD_RANK\" = 1 && export CONOID_EMULATED=fails_after=3500\n"
         "exec \"$@\"\n";
  // Under mpirun, and with mpirun as launcher: the same message and exit code.
  const QString mpirun = "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n 2 sh one_fails.sh";
  const QStringList words = QStringList{"run", "case.json",  "--out", "lost",      "--threads",
                                        "1",   "--progress", "none",  "--workers", "emulated"} +
                            safety::often;
  QFETCH(bool, launcher);
  QProcess process;
  process.setWorkingDirectory(QString::fromStdString(scratch_.path().string()));
  if (launcher) {
    process.start(CONOID_BIN_DIR "/conoid",
                  words + QStringList{"--launcher", mpirun + " " CONOID_BIN_DIR "/conoid-worker"});
  } else {
    QStringList all = mpirun.split(' ') + QStringList{CONOID_BIN_DIR "/conoid"} + words;
    const QString program = all.takeFirst();
    process.start(program, all);
  }
  const rod::Said lost = rod::collect(process, 120000);
  COMPARE_EXIT(lost, 6);
  QVERIFY2(lost.says("rank 1: emulated device 0: the device is lost"), lost.err.c_str());
  if (launcher) QVERIFY2(lost.says("can be resumed from its last checkpoint"), lost.err.c_str());
  COMPARE_EXIT(
      safety::conoid(scratch_.path(),
                     QStringList{"resume", "lost", "--progress", "none", "--workers", "emulated"} + on_ranks(2)),
      0);
  QCOMPARE(rod::summary_of(scratch_ / "lost")["resumed"].get<int>(), 1);
  const std::string wrong =
      safety::difference(steady_parts(scratch_ / "kept"), steady_parts(scratch_ / "lost"), of_devices);
  QVERIFY2(wrong.empty(), wrong.c_str());
}

QTEST_APPLESS_MAIN(TestHydroRanks)
#include "test_hydro_ranks.moc"
