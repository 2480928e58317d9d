// SPDX-License-Identifier: BSD-3-Clause
// What people type around their files: keys of a solver, settings with slips, meshes repaired and placed, hints that can be followed.
// labels: cli timeout300
#include <QStandardPaths>
#include <QTest>

#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "tests/engine/cli/program.hpp"

using conoid::Json;

class TestInputVerbs : public QObject {
  Q_OBJECT

  static rod::Said conoid(const rod::fs::path& folder, const QStringList& words) {
    QProcess process;
    rod::prepare(process, folder).start(CONOID_BIN_DIR "/conoid", words);
    return rod::collect(process);
  }
  static QString input(const char* name) { return QString(CONOID_TEST_DATA "/inputs/") + name; }

 private slots:
  void keys_of_every_solver_are_printed() {
    const rod::Scratch scratch;
    const Json all = conoid(scratch.path(), {"list", "--json"}).json();
    QVERIFY(!all["solvers"].empty());
    for (const auto& solver : all["solvers"]) {
      const QString id = QString::fromStdString(solver["id"].get<std::string>());
      const rod::Said listed = conoid(scratch.path(), {"list", id}), helped = conoid(scratch.path(), {"help", id});
      COMPARE_EXIT(listed, 0);
      QCOMPARE(helped.out, listed.out);
      for (const char* part : {"/output/frames/count", "default"})
        QVERIFY2(listed.out.find(part) != std::string::npos, listed.out.c_str());
      QVERIFY2(listed.out.find("/materials/") != std::string::npos || listed.out.find("/medium/") != std::string::npos,
               listed.out.c_str());
      const Json keys = conoid(scratch.path(), {"list", id, "--json"}).json()["keys"];
      bool unit = false, standard = false;
      for (const auto& key : keys) {
        QVERIFY(key["key"].get<std::string>().starts_with('/') && !key["takes"].get<std::string>().empty());
        unit = unit || key.contains("unit");
        standard = standard || key.contains("default");
      }
      QVERIFY(unit && standard);
    }
    const rod::Said unknown = conoid(scratch.path(), {"list", "acustic"});
    QCOMPARE(unknown.exit, 2);
    COMPARE_EXIT(conoid(scratch.path(), {"help", "run"}), 0);
  }
  void slips_in_settings_name_the_flag() {
    const rod::Scratch scratch;
    rod::write_case(scratch / "my case.json", rod::json(5));
    for (const char* verb : {"check", "run"}) {
      const rod::Said said = rod::conoid(scratch.path(), {verb, "my case.json", "--set", "parameters.stpes=3"});
      QCOMPARE(said.exit, 3);
      QVERIFY2(said.err.find("my case.json with --set parameters.stpes=3: /parameters/stpes") != std::string::npos,
               said.err.c_str());
      QVERIFY2(said.err.find("json:") == std::string::npos, said.err.c_str());
    }
    // A slip in any step of the path.
    const rod::Said section = rod::conoid(scratch.path(), {"check", "my case.json", "--set", "paramters.steps=3"});
    QVERIFY2(
        section.err.find("my case.json with --set paramters.steps=3: /paramters: unknown key") != std::string::npos,
        section.err.c_str());
    const rod::Said value = rod::conoid(scratch.path(), {"check", "my case.json", "--set", "parameters.steps=many"});
    QVERIFY2(value.err.find("with --set parameters.steps=many") != std::string::npos, value.err.c_str());
  }
  void with_json_nothing_is_said_but_errors() {
    const rod::Scratch scratch;
    rod::write_case(scratch / "case.json", rod::json(5));
    for (const QStringList& words :
         {QStringList{"run", "case.json", "--json", "--out", "run"}, QStringList{"check", "case.json", "--json"},
          QStringList{"list", "--json"}, QStringList{"devices", "--json"}}) {
      const rod::Said said = rod::conoid(scratch.path(), words);
      COMPARE_EXIT(said, 0);
      QVERIFY2(said.err.empty(), said.err.c_str());
      QVERIFY(said.json().is_object());
    }
    const rod::Said mesh = conoid(scratch.path(), {"mesh", input("stl-normals-mixed.stl"), "--json"});
    QVERIFY2(mesh.err.empty(), mesh.err.c_str());
    QVERIFY2(mesh.json()["notes"].dump().find("turned outwards") != std::string::npos, mesh.out.c_str());
    const rod::Said wrong = conoid(scratch.path(), {"mesh", "no.stl", "--json"});
    QVERIFY(wrong.exit == 4 && !wrong.err.empty() && wrong.json().is_object());
  }
  void commands_that_are_printed_can_be_pasted() {
    const rod::Scratch scratch;
    rod::write_case(scratch / "case.json", rod::json(5));
    const rod::Said said = rod::conoid(scratch.path(), {"run", "case.json", "--out", "a run"});
    COMPARE_EXIT(said, 0);
    QVERIFY2(said.out.find("conoid render 'a run' --field") != std::string::npos, said.out.c_str());
  }
  void units_of_solids_are_those_of_their_file() {
    const rod::Scratch scratch;
    for (const QStringList& unit : {QStringList{}, QStringList{"--unit", "m"}, QStringList{"--unit", "mm"}}) {
      const rod::Said said =
          conoid(scratch.path(), QStringList{"mesh", input("step-in-metres-1x2x3m.step"), "--size", "0.9m"} + unit);
      COMPARE_EXIT(said, 0);
      QVERIFY2(said.out.find("1 m x 2 m x 3 m") != std::string::npos, said.out.c_str());
      QVERIFY2((said.out.find("warning: the file states its unit of length, metre") != std::string::npos) ==
                   unit.contains("mm"),
               said.out.c_str());
    }
    const rod::Said scaled =
        conoid(scratch.path(), {"mesh", input("step-in-metres-1x2x3m.step"), "--size", "0.9m", "--scale", "0.001"});
    QVERIFY2(scaled.out.find("1 mm x 2 mm x 3 mm") != std::string::npos, scaled.out.c_str());
  }
  void a_body_of_a_thousand_wavelengths_is_questioned() {
    const rod::Scratch scratch;
    for (const char* solver : {"acoustic-bem", "elastic-bem", "maxwell-fem"}) {
      const std::string file = std::string(CONOID_TEST_DATA "/safety/") + solver + ".json";
      conoid::Json json = conoid::read_json(rod::text_of(file));
      if (!json.is_object()) continue;
      const auto meant = [&] {
        rod::write_case(scratch / "case.json", json);
        rod::fs::copy(CONOID_TEST_DATA "/safety/sphere.ply", scratch / "sphere.ply",
                      rod::fs::copy_options::skip_existing);
        const rod::Said said = conoid(scratch.path(), {"check", "case.json"});
        return !said.says("wavelengths long: ");
      };
      QVERIFY2(meant(), solver);
      // Kilometres where metres are meant, and more: the unit is the slip.
      if (!json.contains("mesh") || !json["mesh"].contains("unit")) continue;
      json["mesh"]["scale"] = 1e7;
      QVERIFY2(!meant(), solver);
    }
  }
  void a_signal_of_many_sources_is_read_once() {
    // What is wrong with it is said once, not once for each source.
    const rod::Scratch scratch;
    conoid::Json json = conoid::read_json(
        R"({"conoid": 1, "solver": "acoustic-fd", "grid": {"points": [21, 21, 21], "spacing": "10 m"},
            "excitation": {"sources": []}, "parameters": {"end_time": "0.01 s"}})");
    for (int i = 0; i < 5; ++i)
      json["excitation"]["sources"].push_back(
          {{"position", {50 + i, 60, 70}},
           {"signal", {{"kind", "sampled"}, {"file", CONOID_TEST_DATA "/inputs/signal-decimal-comma.csv"}}}});
    rod::write_case(scratch / "case.json", json);
    const rod::Said said = conoid(scratch.path(), {"check", "case.json"});
    QCOMPARE(said.exit, 3);
    const std::string word = "decimal comma";
    const std::size_t first = said.err.find(word);
    QVERIFY2(first != std::string::npos, said.err.c_str());
    // In one message: the word may stand twice in it, but there is one "error:".
    std::size_t errors = 0;
    for (std::size_t at = said.err.find("error:"); at != std::string::npos; at = said.err.find("error:", at + 1))
      ++errors;
    QVERIFY2(errors == 1, said.err.c_str());
  }
  void repairs_can_be_asked_for() {
    const rod::Scratch scratch;
    const auto volume = [&](const QStringList& words) {
      rod::fs::remove(scratch / "out.msh");
      const rod::Said said = conoid(scratch.path(), QStringList{"mesh"} + words + QStringList{"--convert", "out.msh"});
      if (said.exit != 0) qWarning("%s", said.err.c_str());
      const auto mesh = conoid::read_mesh(scratch / "out.msh");
      return mesh ? conoid::enclosed_volume(*mesh) : 0.0;
    };
    const double whole = volume({input("stl-normals-inward.stl"), "--unit", "mm"});
    QVERIFY(std::abs(whole - 0.505876) < 1e-5);
    QVERIFY(std::abs(volume({input("stl-normals-inward.stl"), "--unit", "mm", "--orient", "inward"}) + whole) < 1e-12);
    QVERIFY(std::abs(volume({input("stl-normals-inward.stl"), "--unit", "mm", "--orient"}) - whole) < 1e-12);
    QVERIFY(std::abs(volume({input("stl-normals-inward.stl"), "--unit", "mm", "--flip"}) + whole) < 1e-12);
    QVERIFY(std::abs(volume({input("stl-normals-inward.stl"), "--unit", "mm", "--scale", "2", "--rotate", "0,0,30deg",
                             "--translate", "1,2 m,3"}) -
                     8 * whole) < 1e-9);
    QVERIFY(std::abs(volume({input("obj-split-vertices-sphere.obj"), "--unit", "mm", "--merge", "0.1mm"}) - whole) <
            1e-5);
    QVERIFY(std::abs(volume({input("obj-split-vertices-sphere.obj"), "--unit", "mm", "--merge"}) - whole) < 1e-5);
    const rod::Said open = conoid(scratch.path(), {"mesh", input("obj-split-vertices-sphere.obj"), "--merge", "0"});
    QVERIFY2(open.out.find("open:") != std::string::npos, open.out.c_str());
    for (const QStringList& words :
         {QStringList{"--size", "0.6 s"}, QStringList{"--orient", "sideways"}, QStringList{"--rotate", "1,2,3"},
          QStringList{"--translate", "1,2"}, QStringList{"--merge", "-1"}, QStringList{"--unit", "kg"}}) {
      const rod::Said said = conoid(scratch.path(), QStringList{"mesh", input("concave-L.obj")} + words);
      QCOMPARE(said.exit, 2);
      QVERIFY2(said.err.size() < 400 && said.err.find(words[0].toStdString()) != std::string::npos, said.err.c_str());
    }
  }
  void what_a_format_cannot_hold_is_told() {
    const rod::Scratch scratch;
    const rod::Said said =
        conoid(scratch.path(), {"mesh", CONOID_TEST_DATA "/mesh/hex_order2_22ascii.msh", "--convert", "out.obj"});
    COMPARE_EXIT(said, 0);
    QVERIFY2(said.out.find("OBJ has no curved cells") != std::string::npos, said.out.c_str());
    const rod::Said json = conoid(
        scratch.path(), {"mesh", CONOID_TEST_DATA "/mesh/hex_order2_22ascii.msh", "--convert", "o.stl", "--json"});
    QVERIFY(json.json().contains("lost"));
  }
  void every_hint_can_be_followed() {
    // Commands in back quotes in the texts of the engine, with examples in the places of their names.
    const rod::Scratch scratch;
    rod::fs::copy(CONOID_TEST_DATA "/mesh/turned.geo", scratch / "a.geo");
    rod::fs::copy(CONOID_TEST_DATA "/mesh/tet_order1_41ascii.msh", scratch / "a.msh");
    rod::fs::copy(CONOID_TEST_DATA "/inputs/stl-normals-mixed.stl", scratch / "a.stl");
    std::set<std::string> hints;
    const std::regex command("`((?:conoid|gmsh) [^`]*)`");
    for (const auto& entry : rod::fs::recursive_directory_iterator(CONOID_SOURCE_DIR "/engine")) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".json") continue;
      std::istringstream text(rod::text_of(entry.path()));
      for (std::string line; std::getline(text, line);) {
        if (line.find('"') == std::string::npos || line.find("//") < line.find('`')) continue;
        std::string rest = line;
        for (std::smatch found; std::regex_search(rest, found, command); rest = found.suffix()) hints.insert(found[1]);
      }
    }
    QVERIFY(hints.size() > 8);
    const bool gmsh = !QStandardPaths::findExecutable("gmsh").isEmpty();
    int followed = 0;
    for (const std::string& hint : hints) {
      if (hint.find("{}") != std::string::npos || hint.find("…") != std::string::npos)
        continue;  // made when it is said
      QStringList words = QString::fromStdString(hint).split(' ', Qt::SkipEmptyParts);
      const QString program = words.takeFirst();
      if (program == "gmsh" && !gmsh) continue;
      for (QString& word : words) {
        if (word == "FILE") word = program == "gmsh" ? (words.contains("-save") ? "a.msh" : "a.geo") : "a.stl";
        if (word == "OUT" || word == "OUT.msh") word = QString("out%1.msh").arg(followed);
        if (word == "NAME") word = "point-source";
        if (word == "CASE") word = "no-such-case.json";
        if (word == "RUN" || word == "latest") word = "no-such-run";
        if (word == "SOLVER") word = "no-such-solver";
      }
      QProcess process;
      rod::prepare(process, scratch.path());
      // Without a file that fits, the command line must at least be one: what is missing is said, not how it is written.
      const bool complete =
          !words.filter("no-such").isEmpty()
              ? false
              : program == "gmsh" ||
                    QStringList{"mesh", "new", "list", "completion", "--version"}.contains(words.value(0));
      if (!complete && !words.isEmpty() && words.filter("no-such").isEmpty()) words << "--help";
      process.start(program == "gmsh" ? "gmsh" : CONOID_BIN_DIR "/conoid", words);
      const rod::Said said = rod::collect(process);
      ++followed;
      const bool usage = said.exit == 2 && !hint.ends_with("SOLVER");
      QVERIFY2(!usage && (!complete || said.exit == 0),
               (hint + ": exit " + std::to_string(said.exit) + "\n" + said.out + said.err).c_str());
    }
    QVERIFY(followed > 8);
  }
};

QTEST_APPLESS_MAIN(TestInputVerbs)
#include "test_input_verbs.moc"
