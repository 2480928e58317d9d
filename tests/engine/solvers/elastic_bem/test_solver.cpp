// SPDX-License-Identifier: BSD-3-Clause
// Cases to tables, frames and numbers; ways to solve agree; split work equals whole work; a message for each bad case.
// labels: unit timeout300
#include <QTest>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/core/log.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/elastic_bem/case_run.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;
using conoid::elastic_bem::test::farthest;
using conoid::elastic_bem::test::resolved;
using conoid::elastic_bem::test::Run;

namespace {

Json foundation_case() {
  return read_json(R"({
    "solver": "elastic-bem",
    "ground": {"kind": "rectangle", "low": [-3, -3], "high": [6, 3], "element": 1, "growth": 1.3,
               "patches": [{"name": "base", "low": [-1, -1], "high": [1, 1]}],
               "trenches": [{"low": [2, -1], "high": [3, 1], "depth": 1}]},
    "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
    "foundations": [{"group": "base", "mass": 2, "inertia": [1, 1, 1]}],
    "excitation": {"loads": [{"kind": "machine", "foundation": "base", "force": [0, 0, 1]},
                             {"kind": "wave", "name": "R", "wave": "rayleigh", "direction": [1, 0, 0]}]},
    "parameters": {"frequencies": {"from": 0.05, "to": 0.1, "count": 2}},
    "output": {"receivers": [{"name": "top", "position": [4.5, 0.2, 0]}, {"name": "deep", "position": [1, 0, -2]}],
               "lines": [{"from": [-2, 2, 0], "to": [5, 2, 0], "count": 5}],
               "planes": [{"name": "cut", "normal": "y", "low": [-2, 0, -4], "high": [4, 0, -1.5], "points": [4, 3]}],
               "insertion_loss": true, "third_octaves": true, "stresses": true, "exact": "veletsos-verbic"}
  })");
}

/// What is solved several times and compared with itself: less ground, one frequency.
Json small_case() {
  Json out = foundation_case();
  out["ground"]["low"] = {-2, -1.5};
  out["ground"]["high"] = {4.75, 1.5};
  out["output"]["lines"][0]["from"] = {-1.5, 1.2, 0};
  out["output"]["lines"][0]["to"] = {4.5, 1.2, 0};
  out["parameters"]["frequencies"] = read_json(R"({"values": [0.1]})");
  return out;
}

using conoid::test::MemoryCheckpoint;

}  // namespace

class TestSolver : public QObject {
  Q_OBJECT

 private slots:
  void a_case_gives_tables_and_frames() {
    Json json = small_case();
    json["parameters"]["frequencies"] = read_json(R"({"values": [0.05, 0.1]})");
    Run run(json);
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    for (const char* id : {"receivers", "receivers_complex", "mobility", "insertion_loss", "stresses", "impedance",
                           "compliance", "compliance_rotation", "motion", "line_1", "solution"})
      QVERIFY2(run.results.find(id) != nullptr && !run.results.find(id)->rows.empty(), id);
    QCOMPARE(run.results.find("line_1")->rows.size(), std::size_t{5});
    FrameBuilder builder({}, 1);
    run.solver.fill(builder);
    const auto frame = builder.finish();
    QCOMPARE(frame->axis, FrameAxis::frequency);
    QCOMPARE(frame->parts.size(), std::size_t{2});
    QCOMPARE(frame->parts[0].fields.size() + frame->parts[1].fields.size(), run.solver.catalog().size());
    QCOMPARE(frame->parts[1].fields[0].values->size(), std::size_t{12 * 6});
    for (const FramePart& part : frame->parts)
      for (const Field& f : part.fields)
        for (float v : *f.values) QVERIFY(std::isfinite(v));
  }
  void ways_to_solve_and_workers_agree() {
    Json json = small_case();
    for (const char* more : {"planes", "lines", "insertion_loss", "third_octaves", "stresses"})
      json["output"].erase(more);
    Run mixed(json);
    mixed.go();
    const auto& want = mixed.results.find("receivers_complex")->rows;
    Run split(json, {{"cpu", 1, 1}, {"cpu", 1, 1}});
    split.go();
    QVERIFY(farthest(want, split.results.find("receivers_complex")->rows) < 1e-10);
    json["parameters"]["compression"] = 1e-7;
    for (const char* way : {"direct", "gmres", "compressed"}) {
      json["parameters"]["solution"] = way;
      Run run(json);
      run.go();
      const double d = farthest(want, run.results.find("receivers_complex")->rows);
      const bool compressed = run.results.find("compression") != nullptr;
      QVERIFY2(d < (compressed ? 1e-6 : 1e-7), qPrintable(QString("%1 %2").arg(way).arg(d)));
      QCOMPARE(compressed, std::string_view(way) == "compressed");
      if (!compressed) continue;
      json["compute"]["deterministic"] = true;
      Run one(json, {{"cpu", 1, 1}}), three(json, {{"cpu", 2, 1}, {"cpu", 1, 1}});
      one.go();
      three.go();
      QVERIFY(one.results.find("receivers_complex")->rows == three.results.find("receivers_complex")->rows);
      json["compute"].erase("deterministic");
    }
    json["parameters"]["solution"] = "mixed";
    json["compute"]["precision"] = "single";
    Run single(json);
    single.go();
    const double d = farthest(want, single.results.find("receivers_complex")->rows);
    QVERIFY2(d < 1e-3 && d > 0, qPrintable(QString::number(d)));
  }
  /// Single precision leaves 1e-7 and more: a smaller residual is missed by each way to solve, and each tells. Who asks for none hears nothing.
  void a_residual_that_is_not_reached_is_told() {
    Json json = small_case();
    json.erase("output");
    json["compute"]["precision"] = "single";
    for (const char* way : {"mixed", "gmres", "compressed"})
      for (const bool asked : {false, true}) {
        json["parameters"]["solution"] = way;
        json["parameters"].erase("tolerance");
        if (asked) json["parameters"]["tolerance"] = 1e-11;
        int told = 0;
        Run run(json);
        {
          const auto listening = log::subscribe([&](const LogEntry& e) {
            if (e.level == LogLevel::warning && e.text.find("was asked for") != std::string::npos) ++told;
          });
          run.go();
        }
        QVERIFY2(told == (asked ? 1 : 0), qPrintable(QString("%1: %2 times").arg(way).arg(told)));
        run.solver.finish(run.context).or_throw();
        std::map<std::string, double> numbers;
        for (const auto& n : run.results.numbers) numbers[n.name] = n.value;
        QCOMPARE(numbers["largest_residual"] > numbers["residual_asked"], asked);
        QCOMPARE(numbers["residual_asked"], asked ? 1e-11 : std::string_view(way) == "compressed" ? 1e-5 : 1e-4);
      }
  }
  void forces_in_the_medium_are_reciprocal() {
    Json json = Json::parse(R"j({
      "solver": "elastic-bem",
      "ground": {"kind": "rectangle", "low": [-8, -8], "high": [8, 8], "element": 1},
      "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
      "excitation": {"loads": [{"kind": "point", "position": [-0.5, 0, -1], "force": [0, 0, 1]},
                               {"kind": "point", "position": [1, 0.4, -1.7], "force": [0, 0, 1]}]},
      "parameters": {"frequencies": {"values": [0.1]}},
      "output": {"receivers": [{"position": [1, 0.4, -1.7001]}, {"position": [-0.5, 0, -1.0001]}]}})j");
    Run run(json);
    run.go();
    const auto& row = run.results.find("receivers_complex")->rows.front();
    // Frequency, then for each load the receivers' x, y, z, each with two parts.
    const auto value = [&](std::size_t load, std::size_t receiver, std::size_t c) {
      const std::size_t k = 1 + 2 * (6 * load + 3 * receiver + c);
      return Complex(row[k], row[k + 1]);
    };
    const Complex there = value(0, 0, 2), back = value(1, 1, 2);
    QVERIFY(std::abs(there) > 1e-3);
    QVERIFY2(
        std::abs(there - back) < 0.02 * std::abs(there),
        qPrintable(
            QString("%1 + %2 i, %3 + %4 i").arg(there.real()).arg(there.imag()).arg(back.real()).arg(back.imag())));
    const auto said_of = [](const Json& of) {
      const Case input = resolved(of).value();
      QString all;
      for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
        all += QString::fromStdString(d.render()) + "\n";
      return all;
    };
    json["excitation"]["loads"][0]["position"] = Json::parse("[0, 0, 1]");
    QVERIFY2(said_of(json).contains("is not in the medium"), qPrintable(said_of(json)));
    json["excitation"]["loads"][0]["position"] = Json::parse("[0, 0, -0.2]");
    QVERIFY2(said_of(json).contains("from an element of"), qPrintable(said_of(json)));
    json["excitation"]["loads"][0]["position"] = Json::parse("[1, 0.4, -1.7001]");
    QVERIFY2(said_of(json).contains("infinite"), qPrintable(said_of(json)));
  }
  void a_force_within_ground_that_ends_sees_no_end() {
    // At rest, Mindlin's half-space (1936): u_z, u_r at the depth z and the distance r of a force P down at the depth c.
    const double nu = 0.3, c = 1.5;
    const auto mindlin = [&](double r, double z) {
      const double r1 = std::hypot(r, z - c), r2 = std::hypot(r, z + c), n = 3 - 4 * nu,
                   all = 16 * std::numbers::pi * (1 - nu);
      return std::array{
          (n / r1 + (8 * (1 - nu) * (1 - nu) - n) / r2 + (z - c) * (z - c) / std::pow(r1, 3) +
           (n * (z + c) * (z + c) - 2 * c * z) / std::pow(r2, 3) + 6 * c * z * (z + c) * (z + c) / std::pow(r2, 5)) /
              all,
          r / all *
              ((z - c) / std::pow(r1, 3) + n * (z - c) / std::pow(r2, 3) -
               4 * (1 - nu) * (1 - 2 * nu) / (r2 * (r2 + z + c)) + 6 * c * z * (z + c) / std::pow(r2, 5))};
    };
    Json json = Json::parse(R"j({
      "solver": "elastic-bem",
      "ground": {"kind": "rectangle", "low": [-5, -5], "high": [5, 5], "element": 1},
      "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1},
      "excitation": {"loads": [{"kind": "point", "position": [0, 0, -1.5], "force": [0, 0, -1]}]},
      "parameters": {"frequencies": {"values": [0]}},
      "output": {"receivers": [{"position": [1.5, 0, 0]}, {"position": [4, 0, 0]}, {"position": [3, 0, -1]}]}})j");
    Run run(json);
    run.go();
    const auto& row = run.results.find("receivers_complex")->rows.front();
    const double places[3][2] = {{1.5, 0}, {4, 0}, {3, 1}};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto want = mindlin(places[k][0], places[k][1]);
      // On elements between their nodes the field is interpolated.
      const double got_r = row[1 + 6 * k], got_z = -row[1 + 6 * k + 4];
      const double off = std::hypot(got_r - want[1], got_z - want[0]) / std::hypot(want[0], want[1]);
      QVERIFY2(off < (k < 2 ? 0.01 : 1e-6), qPrintable(QString("%1: %2").arg(k).arg(off)));
    }
    const Case input = resolved(json).value();
    for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
      QVERIFY2(
          d.render().find("the ground ends") == std::string::npos && d.render().find("fades out") == std::string::npos,
          d.render().c_str());
    // Between layers the field of the missing ground is not known.
    json["ground"]["rock"] = 4;
    const Case layer = resolved(json).value();
    QString said;
    for (const Diagnostic& d : ElasticBem().check(layer, nullptr, make_offer(layer).value()))
      said += QString::fromStdString(d.render());
    QVERIFY2(said.contains("the ground ends"), qPrintable(said));
  }
  void a_layer_on_rock_is_stiffer_than_ground_without_end() {
    Json json = Json::parse(R"j({
      "solver": "elastic-bem",
      "ground": {"kind": "disc", "radius": 1, "extent": 5, "around": 2, "rings": 3, "rock": 2},
      "medium": {"shear_modulus": 1, "poisson": 0.3333333, "density": 1, "damping": 0.05},
      "foundations": [{"group": "foundation", "contact": "smooth"}],
      "parameters": {"frequencies": {"values": [0.0477464829]}}})j");
    Run run(json);
    run.go();
    const auto& row = run.results.find("impedance")->rows.front();
    QVERIFY2(std::abs(Complex(row[29], row[30]) - Complex(9.663, 0.990)) < 0.03 * 9.663,
             qPrintable(QString("K_v = %1 + %2 i").arg(row[29]).arg(row[30])));
    const auto said_of = [](const Json& of) {
      const Case input = resolved(of).value();
      QString all;
      for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
        all += QString::fromStdString(d.render()) + "\n";
      return all;
    };
    // Nothing below the rock, no waves through it.
    json["output"] = Json::parse(R"({"receivers": [{"position": [0.2, 0.3, -1]}, {"position": [0.2, 0.3, -7]}]})");
    QVERIFY2(said_of(json).contains("receiver"), qPrintable(said_of(json)));
    json["output"] = Json::parse(R"({"receivers": [{"position": [0.2, 0.3, -1]}]})");
    QVERIFY2(!said_of(json).contains("error"), qPrintable(said_of(json)));
    json["excitation"] = Json::parse(R"({"loads": [{"kind": "wave"}]})");
    QVERIFY2(said_of(json).contains("no wave comes through a rigid rock"), qPrintable(said_of(json)));
  }
  void ground_fades_out_beyond_its_foundations_only() {
    const auto stiffness = [](double fade) {
      Json json = Json::parse(R"j({
        "solver": "elastic-bem",
        "ground": {"kind": "rectangle", "low": [-3, -3], "high": [3, 3], "element": 1,
                   "patches": [{"name": "base", "low": [-1, -1], "high": [1, 1]}]},
        "medium": {"shear_modulus": 1, "poisson": 0.25, "density": 1, "damping": 0.05},
        "foundations": [{"group": "base", "contact": "smooth"}],
        "parameters": {"frequencies": {"values": [0.04]}}})j");
      json["parameters"]["fade"] = fade;
      Run run(json);
      run.go();
      const std::vector<double> row = run.rows("impedance").front();
      std::array<Complex, 3> out;  // up and down, rocking about x and y
      for (std::size_t d = 0; d < 3; ++d) out[d] = {row[1 + 14 * (d + 2)], row[2 + 14 * (d + 2)]};
      return out;
    };
    const auto want = stiffness(0);
    for (const double fade : {0.5, 0.8, 1.0}) {
      const auto got = stiffness(fade);
      for (std::size_t d = 0; d < 3; ++d)
        QVERIFY2(std::abs(got[d] - want[d]) < 5e-3 * std::abs(want[d]),
                 qPrintable(QString("%1: %2 of %3").arg(fade).arg(got[d].real()).arg(want[d].real())));
      QVERIFY(std::abs(got[1] - got[2]) < 1e-9 * std::abs(got[1]));
    }
  }
  void deterministic_runs_do_not_see_the_number_of_threads() {
    Json json = small_case();
    json["compute"]["deterministic"] = true;
    Run one(json, {{"cpu", 1, 1}});
    one.go();
    const std::vector<std::vector<WorkerSpec>> crews{{{"cpu", 3, 1}}, {{"cpu", 1, 1}, {"cpu", 2, 3}}};
    for (const auto& crew : crews) {
      Run other(json, crew);
      other.go();
      for (const char* table : {"receivers", "receivers_complex", "impedance", "stresses"})
        QVERIFY2(one.results.find(table)->rows == other.results.find(table)->rows, table);
    }
  }
  void the_estimate_counts_receivers_and_planes() {
    const auto seconds = [](Index points, bool receivers) {
      Json json = foundation_case();
      if (!receivers) json["output"].erase("receivers");
      if (points > 0)
        json["output"]["planes"][0]["points"] = {points, points};
      else
        json["output"].erase("planes");
      json["output"].erase("lines");
      for (const char* need : {"insertion_loss", "third_octaves", "stresses"}) json["output"][need] = false;
      const auto e = ElasticBem().estimate(resolved(json).value(), nullptr, make_offer(resolved(json).value()).value());
      if (!e.ok()) qFatal("%s", e.error().render().c_str());
      return e->seconds;
    };
    const double bare = seconds(0, false), few = seconds(5, false), many = seconds(50, false);
    QVERIFY(bare > 0);
    QVERIFY(seconds(0, true) > bare);
    // A hundred times the points, sampled: a hundred times the time but for the share of near ones.
    QVERIFY(few > bare);
    const double growth = (many - bare) / (few - bare);
    QVERIFY2(growth > 50 && growth < 200, qPrintable(QString::number(growth)));
  }

  void the_estimate_counts_fields_of_forces_at_points_in_the_ground() {
    // Of a force within flat ground the field at a point is an integral; that of a plane wave is a few exponentials.
    const auto seconds = [](bool force, Index points, bool stresses) {
      Json json = Json::parse(R"j({
        "solver": "elastic-bem",
        "ground": {"kind": "rectangle", "low": [-5, -5], "high": [5, 5], "element": 1},
        "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
        "excitation": {"loads": [{"kind": "wave", "wave": "sv", "direction": [0, 0, 1]}]},
        "parameters": {"frequencies": {"values": [0.1]}}, "compute": {"workers": "cpu:1", "threads": 1},
        "output": {"receivers": [{"position": [1, 0, -2]}],
                   "planes": [{"normal": "y", "low": [-4, 0, -4], "high": [4, 0, -2], "points": [2, 2]}]}})j");
      if (force)
        json["excitation"]["loads"][0] = read_json(R"({"kind": "point", "position": [0, 1, -3], "force": [0, 0, 1]})");
      json["output"]["planes"][0]["points"] = {points, points};
      json["output"]["stresses"] = stresses;
      const Case input = resolved(json).value();
      const auto e = ElasticBem().estimate(input, nullptr, make_offer(input).value());
      if (!e.ok()) qFatal("%s", e.error().render().c_str());
      return e->seconds;
    };
    const auto part = [&](Index points) { return seconds(true, points, false) - seconds(false, points, false); };
    const double few = part(10), many = part(40), most = part(80);
    QVERIFY(few > 0);
    // 100, 1,600 and 6,400 points of the same plane, and what does not hang on them. No point of this plane costs twice the mean, so
    // that the coarse one, which has more of its points along its sides, may be off by as much.
    const double growth = (most - many) / (many - few);
    QVERIFY2(growth > 0.5 * 4800 / 1500 && growth < 2.0 * 4800 / 1500, qPrintable(QString::number(growth)));
    // Measured: 0.3 to 1.4 ms a point, on other machines and further away too.
    const double one = (most - many) / 4800;
    QVERIFY2(one > 1e-4 && one < 3e-3, qPrintable(QString::number(one)));
    QVERIFY(seconds(true, 10, true) - seconds(false, 10, true) > few);
  }

  /// Columns of given values take memory and time: as many are planned as a run has, with a few more where a component happens to be zero.
  void the_plan_counts_what_fields_from_the_medium_put_on_the_surface() {
    for (const char* load : {R"({"kind": "point", "position": [0, 1, -3], "force": [0, 0, 1]})",
                             R"({"kind": "wave", "wave": "sv", "direction": [0.3, 0.2, 1]})"})
      for (const bool trench : {false, true})
        for (const bool held : {false, true}) {
          Json json = Json::parse(R"j({
            "solver": "elastic-bem",
            "ground": {"kind": "rectangle", "low": [-5, -5], "high": [5, 5], "element": 1,
                       "patches": [{"name": "pad", "low": [-3, -1], "high": [-1, 1]}]},
            "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
            "excitation": {"loads": []}, "parameters": {"frequencies": {"values": [0.1]}},
            "output": {"receivers": [{"position": [1, 0, -2]}]}})j");
          json["excitation"]["loads"].push_back(read_json(load));
          if (trench) json["ground"]["trenches"] = read_json(R"([{"low": [2, -1], "high": [3, 1], "depth": 1}])");
          if (held) json["boundaries"] = read_json(R"([{"group": "pad", "kind": "fixed"}])");
          const Reading<Problem> read = read_problem(resolved(json).value(), nullptr);
          QVERIFY(read.problem != nullptr);
          const Problem& p = *read.problem;
          const std::vector<LoadValues> cases{
              load_values(p, p.scene, p.loads[0], Harmonic(p.medium, 2 * std::numbers::pi * 0.1))};
          const Index planned = p.planned_columns(p.scene), taken = p.scene.system->known_columns(cases);
          QVERIFY2(planned >= taken && planned <= 1.2 * static_cast<double>(taken) && (planned > 0) == (trench || held),
                   qPrintable(QString("%1 trench %2 held %3: %4 planned, %5")
                                  .arg(load)
                                  .arg(trench)
                                  .arg(held)
                                  .arg(planned)
                                  .arg(taken)));
        }
  }

  void a_sweep_goes_on_from_its_checkpoint() {
    Json json = small_case();
    json["parameters"]["frequencies"] = read_json(R"({"values": [0.05, 0.1]})");
    json["compute"]["deterministic"] = true;
    Run whole(json);
    whole.go();
    QVERIFY(whole.solver.finish(whole.context).ok());
    MemoryCheckpoint checkpoint;
    Run first(json);
    QVERIFY(first.solver.advance(first.context).ok());
    first.solver.save(checkpoint);
    Run second(json);
    second.solver.load(checkpoint);
    const auto step = second.solver.advance(second.context);
    QVERIFY(step.ok() && step->finished && step->step == 2);
    QVERIFY(second.solver.finish(second.context).ok());
    QCOMPARE(second.results.find("receivers_complex")->rows.size(), std::size_t{1});
    QVERIFY(second.results.find("receivers_complex")->rows[0] == whole.results.find("receivers_complex")->rows[1]);
    // What is made of all frequencies at the end knows the first one too.
    for (const char* table : {"line_1", "third_octaves"})
      QVERIFY2(second.results.find(table)->rows == whole.results.find(table)->rows, table);
  }
  void classical_example_to_its_last_digit() {
    Team team({{"cpu", 2, 1}});
    QVERIFY(example_240_error(team) < 1e-9);
  }
  void quadratic_cavity_beats_a_twentieth_of_a_percent() {
    Team team({{"cpu", 2, 1}});
    TestBody b = cavity(4, 2, 0.25, 1e-5, team);
    QVERIFY(cavity_pressure_error(b, 1) < 5e-4);
    QVERIFY(cavity_wave_error(b, 1) < 2e-3);
  }
  void stresses_at_receivers_on_the_surface() {
    // A free surface carries no vertical stress: what the integrals would give there is without bounds.
    Json json = small_case();
    json["output"]["insertion_loss"] = false;
    Run run(json);
    run.go();
    const auto& table = *run.results.find("stresses");
    for (std::size_t c = 1; c < table.info.columns.size(); ++c) {
      QVERIFY(std::isfinite(table.rows[0][c]));
      const QString name = QString::fromStdString(table.info.columns[c].name);
      if (name.startsWith("top") && (name.contains("zz") || name.contains("yz") || name.contains("zx")))
        QVERIFY2(std::abs(table.rows[0][c]) < 1e-12, qPrintable(name));
    }
    Team team({{"cpu", 2, 1}});
    TestBody wall = cavity(4, 2, 0.25, 1e-5, team);
    QVERIFY(cavity_wall_stress_error(wall, 1) < 0.0065);
    for (double away : {0.1, 0.001}) {
      const double error = cavity_close_stress_error(wall, 1, away);
      QVERIFY2(error < 0.0065 * (1 - std::log(away) / std::numbers::pi), qPrintable(QString::number(error)));
    }
  }

  void bad_cases_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* patch, const char* words) {
      QTest::newRow(name) << patch << words;
    };
    row("Poisson", R"({"medium": {"poisson": 0.5}})", "Poisson's ratio 0.5 lies outside");
    row("density", R"({"medium": {"density": 0}})", "density 0 kg/m^3 is not positive");
    row("frequency", R"({"parameters": {"frequencies": {"from": 1, "to": 2}}})", "too high for the mesh");
    row("no frequency", R"({"parameters": {"frequencies": {"from": null, "to": null, "count": null}}})",
        "no frequency");
    row("group", R"({"foundations": [{"group": "bases"}]})", "bases");
    row("overlap", R"({"ground": {"trenches": [{"low": [0, 0], "high": [2, 2], "depth": 1}]}})", "lies over a trench");
    row("outside", R"({"ground": {"patches": [{"name": "base", "low": [5, 0], "high": [9, 2]}]}})",
        "beyond the ground");
    row("machine", R"({"excitation": {"loads": [{"kind": "machine", "foundation": "roof"}]}})", "no foundation 'roof'");
    row("wave from above", R"({"excitation": {"loads": [{"kind": "wave", "direction": [0, 0, -1]}]}})",
        "does not come from below");
    row("insertion", R"({"ground": {"trenches": []}})", "needs a ground with trenches");
    row("nothing", R"({"foundations": [], "excitation": {"loads": []}})", "no load and no foundation");
    row("classical", R"({"parameters": {"rules": "classical"}})", "constant elements only");
    row("classical on an open plane",
        R"({"parameters": {"rules": "classical", "elements": "constant"}, "ground": {"trenches": []}, "output": {"insertion_loss": false}})",
        "need a closed surface, and this ground is open");
    row("held twice", R"({"foundations": [{"group": "base"}, {"group": "base"}]})", "two foundations stand on");
    row("called alike",
        R"({"ground": {"patches": [{"name": "base", "low": [-1, -1], "high": [1, 1]}, {"name": "lab", "low": [4, -1], "high": [5, 1]}]},
            "foundations": [{"name": "F", "group": "base"}, {"name": "F", "group": "lab"}]})",
        "two foundations are called 'F'");
    row("receivers called alike",
        R"({"output": {"receivers": [{"name": "A", "position": [4.5, 0.2, 0]}, {"name": "A", "position": [1, 0, -2]}]}})",
        "receivers 1 and 2 are both called 'A'");
    row("no modulus", R"({"medium": {"shear_modulus": null}})", "neither a shear modulus nor a shear wave speed");
    row("frequencies", R"({"parameters": {"frequencies": {"from": 2, "to": 1}}})", "run backwards");
    row("no displacement given",
        R"({"excitation": {"loads": [{"kind": "displacement", "group": "ground", "value": [0, 0, 1]}]}})",
        "displacement z of group 'ground' is not prescribed");
    row("held", R"({"excitation": {"loads": [{"kind": "force", "group": "base", "value": [0, 0, 1]}]}})",
        "held in all directions");
    row("moving",
        R"({"excitation": {"loads": [{"kind": "moving", "group": "ground", "value": [0, 0, 1], "velocity": [0, 0, 0]}]}})",
        "stands still");
    row("no direction", R"({"excitation": {"loads": [{"kind": "wave", "direction": [0, 0, 0]}]}})",
        "direction of the wave is zero");
    row("plane", R"({"output": {"planes": [{"normal": "y", "low": [0, 0, 0], "high": [0, 0, 1], "points": [2, 2]}]}})",
        "no extent along x");
    row("plane aslant",
        R"({"output": {"planes": [{"normal": "y", "low": [0, 0, -1], "high": [1, 2, 0], "points": [2, 2]}]}})",
        "low and high differ along y: 0 and 2 m");
    row("above", R"({"output": {"receivers": [{"name": "up", "position": [0, 0, 1]}]}})",
        "receiver 'up' at (0, 0, 1) lies above");
    row("in a trench", R"({"output": {"receivers": [{"position": [2.5, 0, -0.5]}]}})",
        "lies above the ground or in a hollow");
    row("beside", R"({"output": {"receivers": [{"position": [20, 0, 0]}]}})", "beside the meshed ground");
    row("line above", R"({"output": {"lines": [{"name": "L", "from": [-2, 2, 0.5], "to": [5, 2, 0.5], "count": 5}]}})",
        "all 5 points of the line 'L' lie above the ground");
    row("line rising", R"({"output": {"lines": [{"from": [-2, 2, -0.5], "to": [5, 2, 0.5], "count": 5}]}})",
        "2 of 5 points of the line 'line 1' lie above the ground, up to (5, 2, 0.5): zeros are given there");
    row("line beside", R"({"output": {"lines": [{"from": [-2, 2, 0], "to": [8, 2, 0], "count": 6}]}})",
        "1 of 6 points of the line 'line 1' lie on the surface beside the meshed ground, the first at (8, 2, 0)");
    row("plane above",
        R"({"output": {"planes": [{"normal": "y", "low": [-2, 0, 1], "high": [4, 0, 2], "points": [4, 3]}]}})",
        "all 12 points of the plane 'plane 1' lie above the ground");
    row("plane rising",
        R"({"output": {"planes": [{"normal": "y", "low": [-2, 0, -1], "high": [4, 0, 1], "points": [4, 3]}]}})",
        "4 of 12 points of the plane 'plane 1' lie above the ground, up to (-2, 0, 1)");
    row("stress close to the surface",
        R"({"output": {"receivers": [{"name": "near", "position": [4.5, 0.2, -0.0003]}]}})",
        "its stress is not known within 1.696 mm of such an element");
    row("stress close to constant elements",
        R"({"parameters": {"elements": "constant"}, "output": {"receivers": [{"name": "near", "position": [4.5, 0.2, -0.5]}]}})",
        "receiver 'near' lies 500 mm from an element of");
    row("stress on constant elements",
        R"({"parameters": {"elements": "constant"}, "output": {"receivers": [{"name": "on", "position": [4.5, 0.2, 0]}]}})",
        "receiver 'on' lies on an element whose displacement is constant");
    row("stress beside the mesh",
        R"({"ground": {"trenches": []}, "output": {"insertion_loss": false, "receivers": [{"name": "far", "position": [20, 0, 0]}]}})",
        "receiver 'far' lies on the surface beside the meshed ground, where its motion is known but not its stress");
    row("nearly incompressible", R"({"medium": {"poisson": 0.49995}})", "1/(1 - 2 nu) = 10000");
    row("memory", R"({"compute": {"memory": {"host": 1048576}}})", "the budget is");
  }
  void bad_cases() {
    QFETCH(QString, patch);
    QFETCH(QString, words);
    Json json = foundation_case();
    json.merge_patch(read_json(patch.toStdString()));
    const auto input = resolved(json);
    QString said;
    if (!input) {
      said = QString::fromStdString(input.error().render());
    } else {
      for (const Diagnostic& d : ElasticBem().check(*input, nullptr, make_offer(*input).value()))
        said += QString::fromStdString(d.render()) + "\n";
    }
    QVERIFY2(said.contains(words), qPrintable(said));
  }
  void ground_reaches_as_far_as_waves_ask_for() {
    const auto extent = [](double frequency) {
      Json json = read_json(R"({"solver": "elastic-bem", "ground": {"kind": "disc", "radius": 1},
        "medium": {"shear_modulus": 1, "density": 1}, "foundations": [{"group": "foundation"}],
        "parameters": {"frequencies": {"values": [0]}}, "output": {"receivers": [{"position": [40, 3, 0]}]}})");
      json["parameters"]["frequencies"]["values"][0] = frequency;
      const auto problem = read_problem(resolved(json).value(), nullptr).problem;
      return problem ? 0.5 * problem->scene.surface->diameter / std::sqrt(2.0) : 0.0;
    };
    QVERIFY(std::abs(extent(0.25) - 5) < 1e-6);
    QVERIFY(std::abs(extent(0.125) - 8) < 1e-6);
    QVERIFY(std::abs(extent(0.001) - 12) < 1e-6);
  }
  void nothing_moves_above_the_ground() {
    Json json = small_case();
    // Through the trench (x = 2 to 3, 1 deep), and out of the ground.
    json["output"]["lines"] = read_json(R"([{"from": [1.5, 0, -0.5], "to": [3.5, 0, -0.5], "count": 3},
                                            {"from": [0, 1.2, -1], "to": [0, 1.2, 1], "count": 3}])");
    json["output"].erase("receivers");
    json["output"]["stresses"] = false;
    Run run(json);
    run.go();
    QVERIFY(run.solver.finish(run.context).ok());
    for (const auto& [id, nothing] : {std::pair{"line_1", 1}, {"line_2", 2}}) {
      const auto& rows = run.results.find(id)->rows;
      for (int k = 0; k < 3; ++k)
        QVERIFY2((rows[static_cast<std::size_t>(k)][1] == 0) == (k == nothing),
                 qPrintable(QString("%1 %2").arg(id).arg(k)));
    }
  }
  void what_moves_freely_is_refused_data() {
    QTest::addColumn<QString>("precision");
    QTest::newRow("double") << "double";
    QTest::newRow("single") << "single";
  }
  void what_moves_freely_is_refused() {
    QFETCH(QString, precision);
    // Two balls at rest; `held` directions of a part of each.
    Mesh balls;
    const Mesh one = *icosphere({.divisions = 2});
    std::vector<Index> pads, rest;
    for (int ball = 0; ball < 2; ++ball) {
      const Index first = balls.point_count();
      for (Index k = 0; k < one.point_count(); ++k) {
        const Vec3 x = one.point(k);
        balls.add_point({x[0] + 3 * ball, x[1], x[2]});
      }
      for (Index c = 0; c < one.cell_count(); ++c) {
        std::vector<Index> nodes;
        double height = 0;
        for (Index n : one.nodes(c)) {
          nodes.push_back(first + n);
          height += one.point(n)[2] / static_cast<double>(one.nodes(c).size());
        }
        balls.add_cell(one.shape(c), nodes);
        (height < -0.5 ? pads : rest).push_back(balls.cell_count() - 1);
      }
    }
    balls.add_group("pads", 2).cells = pads;
    balls.add_group("rest", 2).cells = rest;
    const auto result = [&](const char* components) {
      Json json = read_json(R"({"solver": "elastic-bem", "mesh": {"file": "m.msh"},
        "medium": {"shear_modulus": 1, "density": 1},
        "boundaries": [{"group": "pads", "kind": "prescribed", "components": "z"}],
        "excitation": {"loads": [{"kind": "pressure", "group": "rest", "value": 1}]},
        "parameters": {"domain": "inside", "frequencies": {"values": [0]}}})");
      json["boundaries"][0]["components"] = components;
      json["compute"]["precision"] = precision.toStdString();
      const Case input = resolved(json).value();
      for (const Diagnostic& d : ElasticBem().check(input, &balls, make_offer(input).value()))
        qFatal("%s", d.render().c_str());
      Team team({{"cpu", 2, 1}});
      const auto cluster = single_rank();
      MemoryResults results;
      NoProgress progress;
      const Offer offer = make_offer(input).value();
      RunContext context{input, std::make_shared<const Mesh>(balls), team, offer, *cluster, results, progress, {}};
      ElasticBem solver;
      if (const Status s = solver.prepare(context); !s) qFatal("%s", s.error().render().c_str());
      const auto advanced = solver.advance(context);
      return advanced.ok() ? QString() : QString::fromStdString(advanced.error().render());
    };
    QVERIFY2(result("xyz").isEmpty(), qPrintable(result("xyz")));
    const QString said = result("z");
    QVERIFY2(said.contains("the equations are singular") && said.contains("hold it"), qPrintable(said));
  }
  void frames_begin_with_the_first_frequency() {
    Json json = foundation_case();
    Run run(json);
    FrameBuilder builder({}, 1);
    run.solver.fill(builder);
    for (const FramePart& part : builder.finish()->parts) QVERIFY(part.fields.empty());
  }
  void loads_on_a_free_body_at_rest_are_in_equilibrium() {
    const auto said = [](const char* load, double frequency) {
      Json json = read_json(R"({"solver": "elastic-bem", "mesh": {"file": "m.msh"},
        "medium": {"shear_modulus": 1, "density": 1}, "parameters": {"domain": "inside", "frequencies": {"values": [0]}}})");
      json["excitation"]["loads"] = read_json(load);
      json["parameters"]["frequencies"]["values"][0] = frequency;
      const Mesh ball = *icosphere({.divisions = 2});
      QString all;
      for (const Diagnostic& d :
           ElasticBem().check(resolved(json).value(), &ball, make_offer(resolved(json).value()).value()))
        all += QString::fromStdString(d.render()) + "\n";
      return all;
    };
    const char* push = R"([{"kind": "traction", "group": "surface", "value": [0, 0, 1]}])";
    QVERIFY2(said(push, 0).contains("not in equilibrium"), qPrintable(said(push, 0)));
    QVERIFY2(said(push, 1e-3).isEmpty(), qPrintable(said(push, 1e-3)));
    const char* press = R"([{"kind": "pressure", "group": "surface", "value": 1}])";
    QVERIFY2(said(press, 0).isEmpty(), qPrintable(said(press, 0)));
  }
  void flipped_cells_of_open_ground_are_turned() {
    Mesh mesh = *ground_disc({.order = 1});
    std::swap(mesh.mutable_connectivity()[1], mesh.mutable_connectivity()[3]);
    const Json json = read_json(
        R"({"solver": "elastic-bem", "mesh": {"file": "m.msh"}, "medium": {"shear_modulus": 1, "density": 1},
      "parameters": {"frequencies": {"values": [0.01]}}, "foundations": [{"group": "foundation"}]})");
    const auto [problem, said] = read_problem(resolved(json).value(), &mesh);
    QVERIFY(problem != nullptr);
    QCOMPARE(said.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(said[0].render()).contains("1 flipped cells"), said[0].render().c_str());
    for (Index e = 0; e < problem->scene.surface->active; ++e)
      QVERIFY(problem->scene.surface->elements[static_cast<std::size_t>(e)].at(0.5, 0.5).area[2] > 0);
  }
  void bad_meshes() {
    const auto said = [](const Mesh& mesh, const char* domain) {
      Json json = read_json(
          R"({"solver": "elastic-bem", "mesh": {"file": "m.msh"}, "medium": {"shear_modulus": 1, "density": 1},
        "parameters": {"frequencies": {"values": [0.01]}}, "excitation": {"loads": [{"kind": "wave"}]}})");
      json["parameters"]["domain"] = domain;
      QString all;
      for (const Diagnostic& d :
           ElasticBem().check(resolved(json).value(), &mesh, make_offer(resolved(json).value()).value()))
        all += QString::fromStdString(d.render()) + "\n";
      return all;
    };
    Mesh ball = *icosphere({.divisions = 2});
    QVERIFY(said(ball, "outside").isEmpty());
    std::vector<Index> some;
    for (Index c = 1; c < ball.cell_count(); ++c) some.push_back(c);
    QVERIFY2(said(ball.extract(some), "outside").contains("cavity is not closed"),
             qPrintable(said(ball.extract(some), "outside")));
    Mesh flipped = ball;
    std::swap(flipped.mutable_connectivity()[0], flipped.mutable_connectivity()[1]);
    QVERIFY(said(flipped, "outside").contains("flipped"));
    // A foundation on a group that has no cells left.
    Mesh holed = ball;
    holed.add_group("pad", 2);
    Json on_pad = read_json(
        R"({"solver": "elastic-bem", "mesh": {"file": "m.msh"}, "medium": {"shear_modulus": 1, "density": 1},
      "parameters": {"domain": "outside", "frequencies": {"values": [0.01]}}, "foundations": [{"group": "pad"}]})");
    QString told;
    for (const Diagnostic& d :
         ElasticBem().check(resolved(on_pad).value(), &holed, make_offer(resolved(on_pad).value()).value()))
      told += QString::fromStdString(d.render()) + "\n";
    QVERIFY2(told.contains("the group 'pad' has no surface cells"), qPrintable(told));
    Mesh warped;
    warped.add_point({0, 0, 0});
    warped.add_point({1, 0, 0});
    warped.add_point({0.2, 0.2, 0});
    warped.add_point({0, 1, 0});
    warped.add_cell(CellShape::quad4, {0, 1, 2, 3});
    QVERIFY2(said(warped, "ground").contains("warped or folded"), qPrintable(said(warped, "ground")));
  }
};

QTEST_GUILESS_MAIN(TestSolver)
#include "test_solver.moc"
