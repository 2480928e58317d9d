// SPDX-License-Identifier: BSD-3-Clause
// elastic-bem on two and four ranks, which share the frequencies: tables, numbers and frames of one rank, on processors and on an
// emulated device; checkpoints of any number of ranks go on on any other; ranks without a frequency are told. Groups of ranks share
// compressed matrices: of the ground, of several regions, of bodies with planes of symmetry.
// labels: cli mpi emulated long timeout1200
#include <QTest>

#include <array>
#include <fstream>
#include <string>

#include "engine/mesh/generators.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "tests/engine/cli/solver_safety.hpp"

using conoid::Json;

namespace {

/// Five frequencies: rounds of two and of four leave one over. Foundation, trench, wave, everything that is kept.
Json case_of_five() {
  return Json::parse(R"j({
    "conoid": 1, "title": "On ranks", "solver": "elastic-bem",
    "ground": {"kind": "rectangle", "low": [-2, -1.5], "high": [4, 1.5], "element": 1, "growth": 1.5,
               "patches": [{"name": "base", "low": [-1, -1], "high": [1, 1]}],
               "trenches": [{"low": [2, -1], "high": [3, 1], "depth": 1}]},
    "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
    "foundations": [{"group": "base", "mass": 2, "inertia": [1, 1, 1]}],
    "excitation": {"loads": [{"kind": "machine", "foundation": "base", "force": [0, 0, 1]},
                             {"kind": "wave", "name": "R", "wave": "rayleigh", "direction": [1, 0, 0]}]},
    "parameters": {"tolerance": 1e-12, "frequencies": {"from": 0.04, "to": 0.07, "count": 5}},
    "output": {"frames": {"count": 5},
               "receivers": [{"name": "top", "position": [3.5, 0.2, 0]}, {"name": "deep", "position": [1, 0, -2]}],
               "lines": [{"from": [-1.5, 1.2, 0], "to": [3.5, 1.2, 0], "count": 5}],
               "planes": [{"name": "cut", "normal": "y", "low": [-2, 0, -4], "high": [4, 0, -1.5], "points": [4, 3]}],
               "insertion_loss": true, "third_octaves": true, "stresses": true}})j");
}

QStringList on(int ranks) {
  if (ranks == 1) return {};
  return {"--launcher",
          QString("mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n %1").arg(ranks)};
}

/// Threads of one rank, and of two, split products in another way.
const safety::Limits close_enough{{"largest_residual", "smallest_reciprocal_condition"}, 1e-10};

/// Compressed to 1e-6, solved to 1e-12.
Json compressed_case(const std::string& what) {
  Json out = case_of_five();
  out["parameters"] = Json::parse(
      R"j({"solution": "compressed", "compression": 1e-6, "tolerance": 1e-12, "frequencies": {"values": [0.04, 0.06]}})j");
  out["ground"]["element"] = 0.5;
  out["ground"]["growth"] = 1;
  // Across the wave's direction nothing moves but what iterations leave: its decibels are none.
  out["output"].erase("insertion_loss");
  out["output"].erase("third_octaves");
  if (what != "ground") {
    out = Json::parse(R"j({
      "conoid": 1, "title": "Cavity", "solver": "elastic-bem",
      "mesh": {"file": "ball.obj", "unit": "m"},
      "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.02},
      "excitation": {"loads": [{"kind": "pressure", "group": "wall", "value": 1},
                               {"kind": "wave", "name": "P", "wave": "p", "direction": [1, 0, 0]}]},
      "parameters": {"solution": "compressed", "compression": 1e-6, "tolerance": 1e-12, "elements": "constant",
                     "frequencies": {"values": [0.2, 0.3]}},
      "output": {"receivers": [{"name": "beside", "position": [2, 0.3, 0]}]}})j");
    if (what == "mirrored") out["parameters"]["symmetry"] = "xz";
  }
  return out;
}

double bytes_of(const Json& check) {
  return check["estimate"]["host_memory"].get<double>();
}

}  // namespace

class TestElasticRanks : public QObject {
  Q_OBJECT
  rod::Scratch scratch_;
  rod::Said run(const QString& out, int ranks, const QStringList& more = {}) {
    return safety::conoid(scratch_.path(),
                          QStringList{"run", "case.json", "--out", out, "--progress", "none"} + more + on(ranks));
  }
  rod::Said resume(const QString& out, int ranks) {
    return safety::conoid(scratch_.path(), QStringList{"resume", out, "--progress", "none"} + on(ranks));
  }
  [[nodiscard]] safety::Left left(const QString& out) const { return safety::left_by(scratch_ / out.toStdString()); }

 private slots:
  void init() {
    rod::write_case(scratch_ / "case.json", case_of_five());
    // Its own image in x = 0, y = 0 and z = 0.
    conoid::write_mesh(conoid::cube_sphere({.divisions = 7, .group = "wall"}).value(), scratch_ / "ball.obj")
        .or_throw();
  }
  void ranks_leave_what_one_leaves_data();
  void ranks_leave_what_one_leaves();
  void deterministic_ranks_leave_the_same_bits();
  void a_killed_run_of_four_goes_on_on_two();
  void layered_ground_on_ranks_leaves_what_one_rank_leaves();
  void ranks_without_a_frequency_are_told();
  void groups_share_compressed_matrices_data();
  void groups_share_compressed_matrices();
  void groups_that_do_not_fit_are_refused();
  void a_killed_group_goes_on_on_one_rank();
  void the_error_of_one_frequency_ends_all();
};

void TestElasticRanks::ranks_leave_what_one_leaves_data() {
  QTest::addColumn<QString>("workers");
  QTest::addColumn<int>("ranks");
  QTest::newRow("processors, 4 ranks") << "cpu:1" << 4;  // two: the deterministic ones
  QTest::newRow("devices, 2 ranks") << "emulated" << 2;
}

void TestElasticRanks::ranks_leave_what_one_leaves() {
  QFETCH(QString, workers);
  QFETCH(int, ranks);
  if (!rod::fs::exists(scratch_ / "one")) COMPARE_EXIT(run("one", 1, {"--threads", "2"}), 0);
  const safety::Left one = left("one");
  QVERIFY(one.tables.size() > 8 && one.frames.size() == 5);
  const QString out = workers.left(3) + QString::number(ranks);
  COMPARE_EXIT(run(out, ranks, {"--workers", workers}), 0);
  QCOMPARE(rod::summary_of(scratch_ / out.toStdString())["ranks"].get<int>(), ranks);
  // How a device solves is another way to the same: its products of ten bits take more corrections.
  safety::Limits limits = close_enough;
  if (workers == "emulated") limits.histories.insert("solution.csv");
  const std::string wrong = safety::difference(one, left(out), limits);
  QVERIFY2(wrong.empty(), (std::to_string(ranks) + " ranks: " + wrong).c_str());
}

void TestElasticRanks::deterministic_ranks_leave_the_same_bits() {
  const QStringList same{"--set", "compute.deterministic=true", "--threads"};
  if (!rod::fs::exists(scratch_ / "bits1")) COMPARE_EXIT(run("bits1", 1, same + QStringList{"2"}), 0);
  COMPARE_EXIT(run("bits2", 2, same + QStringList{"1"}), 0);
  const std::string wrong = safety::difference(left("bits1"), left("bits2"));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

/// It dies in a checkpoint in the middle of a round, whose other answers the checkpoint before holds. From one to more: test_ranks; to one:
/// layered ground.
void TestElasticRanks::a_killed_run_of_four_goes_on_on_two() {
  const QStringList same{"--set", "compute.deterministic=true", "--threads"};
  if (!rod::fs::exists(scratch_ / "bits1")) COMPARE_EXIT(run("bits1", 1, same + QStringList{"2"}), 0);
  QProcess process;
  safety::start(process, scratch_.path(),
                QStringList{"run", "case.json", "--out", "part", "--progress", "none"} + same + QStringList{"1"} +
                    safety::often + on(4),
                safety::dies_in_checkpoint(3));
  const rod::Said said = rod::collect(process, 100000);
  QVERIFY2(said.exit != 0, said.err.c_str());
  COMPARE_EXIT(resume("part", 2), 0);
  QCOMPARE(rod::summary_of(scratch_ / "part")["ranks"].get<int>(), 2);
  const std::string wrong = safety::difference(left("bits1"), left("part"));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Ground without a mesh: no term of a sum depends on ranks or threads in deterministic runs; a killed run goes on.
void TestElasticRanks::layered_ground_on_ranks_leaves_what_one_rank_leaves() {
  Json input = case_of_five();
  input["ground"].erase("trenches");
  input["profile"] = Json::parse(R"j({"thickness": 1.5, "layers": [
    {"thickness": 1, "shear_modulus": 0.5, "density": 1, "pressure_speed": 6, "damping": 0.05},
    {"shear_modulus": 4, "density": 1.2, "damping": 0.02}]})j");
  input["excitation"]["loads"][1] =
      Json::parse(R"j({"kind": "point", "name": "P", "position": [3.5, 0, 0], "force": [0, 0, 1]})j");
  input["output"]["receivers"][1]["position"] = {1.5, 0, 0};
  input["output"]["planes"][0] =
      Json::parse(R"j({"name": "top", "normal": "z", "low": [-2, -1, 0], "high": [4, 1, 0], "points": [4, 3]})j");
  input["output"]["insertion_loss"] = input["output"]["stresses"] = false;
  rod::write_case(scratch_ / "case.json", input);
  const QStringList same{"--set", "compute.deterministic=true", "--threads"};
  COMPARE_EXIT(run("layers1", 1, same + QStringList{"2"}), 0);
  COMPARE_EXIT(run("layers2", 2, same + QStringList{"1"}), 0);
  const safety::Left one = left("layers1");
  QVERIFY(one.tables.size() > 6 && one.frames.size() == 5);
  const std::string wrong = safety::difference(one, left("layers2"));
  QVERIFY2(wrong.empty(), wrong.c_str());
  QProcess process;
  safety::start(process, scratch_.path(),
                QStringList{"run", "case.json", "--out", "layers3", "--progress", "none"} + same + QStringList{"1"} +
                    safety::often + on(2),
                safety::dies_in_checkpoint(3));
  QVERIFY(rod::collect(process, 100000).exit != 0);
  COMPARE_EXIT(resume("layers3", 1), 0);
  const std::string other = safety::difference(one, left("layers3"));
  QVERIFY2(other.empty(), other.c_str());
}

void TestElasticRanks::ranks_without_a_frequency_are_told() {
  Json input = case_of_five();
  input["parameters"]["frequencies"] = {{"from", 0.04}, {"to", 0.06}, {"count", 3}};
  rod::write_case(scratch_ / "case.json", input);
  COMPARE_EXIT(run("three", 1), 0);
  const rod::Said check = safety::conoid(scratch_.path(), {"check", "case.json", "--ranks", "4"});
  COMPARE_EXIT(check, 0);
  QVERIFY2(check.says("3 by 4 ranks, one each at a time, in 1 rounds") && check.says("by each rank") &&
               check.says("1 of 4 ranks have nothing to do"),
           (check.out + check.err).c_str());
  const Json alone = safety::conoid(scratch_.path(), {"check", "case.json", "--json"}).json(),
             three = safety::conoid(scratch_.path(), {"check", "case.json", "--json", "--ranks", "3"}).json();
  QCOMPARE(three["resources"]["ranks"].get<int>(), 3);
  QVERIFY(three["estimate"]["host_memory"].get<double>() >= alone["estimate"]["host_memory"].get<double>());
  QVERIFY(three["estimate"]["host_budget"].get<double>() < 0.5 * alone["estimate"]["host_budget"].get<double>());
  const rod::Said said = run("idle", 4, {"--threads", "1"});
  COMPARE_EXIT(said, 0);
  QVERIFY2(said.says("1 of 4 ranks have nothing to do"), (said.out + said.err).c_str());
  const std::string wrong = safety::difference(left("three"), left("idle"), close_enough);
  QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestElasticRanks::groups_share_compressed_matrices_data() {
  QTest::addColumn<int>("ranks");
  QTest::addColumn<int>("groups");
  QTest::newRow("ground, 4 ranks in 2 groups") << 4 << 2;
  QTest::newRow("mirrored, 4 ranks") << 4 << 1;
  QTest::newRow("body, 2 ranks") << 2 << 1;
}

/// Answers of one rank, whatever a matrix is cut into; each rank is foreseen to hold less.
void TestElasticRanks::groups_share_compressed_matrices() {
  QFETCH(int, ranks);
  QFETCH(int, groups);
  const QString what = QString(QTest::currentDataTag()).section(',', 0, 0);
  rod::write_case(scratch_ / "case.json", compressed_case(what.toStdString()));
  const QString alone = "alone " + what, out = QString("%1 %2").arg(what).arg(ranks);
  if (!rod::fs::exists(scratch_ / alone.toStdString())) COMPARE_EXIT(run(alone, 1, {"--threads", "2"}), 0);
  const QStringList grouped{"--set", QString("compute.groups=%1").arg(groups)};
  COMPARE_EXIT(run(out, ranks, grouped + QStringList{"--threads", "1"}), 0);
  const safety::Left one = left(alone);
  const std::string wrong = safety::difference(one, left(out), close_enough);
  QVERIFY2(wrong.empty(), wrong.c_str());
  const auto checked = [&](const QStringList& more) {
    return bytes_of(safety::conoid(scratch_.path(), QStringList{"check", "case.json", "--json"} + more).json());
  };
  const double whole = checked({}), shared = checked(QStringList{"--ranks", QString::number(ranks)} + grouped);
  QVERIFY2(shared < whole, qPrintable(QString("%1 of %2").arg(shared).arg(whole)));
}

/// Two frequencies: no three groups. Dense matrices are not shared: each rank is a group of its own.
void TestElasticRanks::groups_that_do_not_fit_are_refused() {
  rod::write_case(scratch_ / "case.json", compressed_case("body"));
  const auto checked = [&](const QStringList& more) {
    return safety::conoid(scratch_.path(), QStringList{"check", "case.json", "--ranks", "4"} + more);
  };
  const rod::Said three = checked({"--set", "compute.groups=3"});
  QVERIFY(three.exit == 3 && three.says("4 ranks cannot form 3 groups") && three.says("1, 2"));
  const rod::Said shared = checked({"--set", "compute.groups=1"});
  COMPARE_EXIT(shared, 0);
  QVERIFY(shared.says("2 by 4 ranks in 1 group, 4 share the matrices of one"));
  QVERIFY(!shared.says("have nothing to do"));
  const rod::Said dense = checked({"--set", "compute.groups=2", "--set", "parameters.solution=mixed"});
  QVERIFY(dense.exit == 3 && dense.says("cannot form 2 groups"));
}

/// In a checkpoint of a group lies what any number of ranks goes on from.
void TestElasticRanks::a_killed_group_goes_on_on_one_rank() {
  Json input = compressed_case("body");
  input["parameters"]["frequencies"]["values"] = {0.1, 0.2, 0.3};
  rod::write_case(scratch_ / "case.json", input);
  COMPARE_EXIT(run("killed whole", 1, {"--threads", "1"}), 0);
  QProcess process;
  safety::start(process, scratch_.path(),
                QStringList{"run", "case.json", "--out", "killed", "--progress", "none", "--threads", "1", "--set",
                            "compute.groups=1"} +
                    safety::often + on(2),
                safety::dies_in_checkpoint(2));
  QVERIFY(rod::collect(process, 100000).exit != 0);
  COMPARE_EXIT(resume("killed", 1), 0);
  const std::string wrong = safety::difference(left("killed whole"), left("killed"), close_enough);
  QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Two blocks on rollers slide freely: at rest their equations are singular, in motion they are not. The rank that has the first frequency
/// fails, and the other is well.
void TestElasticRanks::the_error_of_one_frequency_ends_all() {
  std::ofstream obj(scratch_ / "blocks.obj");
  for (const int x : {0, 3})
    for (int k = 0; k < 8; ++k) obj << "v " << x + (k & 1) << " " << (k >> 1 & 1) << " " << (k >> 2 & 1) << "\n";
  const auto faces = [&](std::initializer_list<std::array<int, 4>> list) {
    for (const int first : {1, 9})
      for (const auto& f : list)
        obj << "f " << first + f[0] << " " << first + f[1] << " " << first + f[2] << " " << first + f[3] << "\n";
  };
  obj << "g pads\n";
  faces({{0, 2, 3, 1}});
  obj << "g rest\n";
  faces({{4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}});
  obj.close();
  Json input = Json::parse(R"j({
    "conoid": 1, "title": "On rollers", "solver": "elastic-bem", "mesh": {"file": "blocks.obj", "unit": "m"},
    "medium": {"shear_modulus": 1, "density": 1},
    "boundaries": [{"group": "pads", "kind": "prescribed", "components": "z"}],
    "excitation": {"loads": [{"kind": "pressure", "group": "rest", "value": 1}]},
    "parameters": {"domain": "inside", "frequencies": {"values": [0, 0.02]}}})j");
  rod::write_case(scratch_ / "case.json", input);
  const rod::Said one = run("free1", 1), two = run("free2", 2, {"--threads", "1"});
  COMPARE_EXIT(one, 5);
  COMPARE_EXIT(two, 5);
  QVERIFY2(two.says("rank 0: the equations are singular"), two.err.c_str());
  QCOMPARE(rod::summary_of(scratch_ / "free2")["error"]["code"].get<int>(), 5);
}

QTEST_APPLESS_MAIN(TestElasticRanks)
#include "test_elastic_ranks.moc"
