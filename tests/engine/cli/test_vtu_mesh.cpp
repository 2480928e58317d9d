// SPDX-License-Identifier: BSD-3-Clause
// VTU meshes come through a program of their own: what other programs wrote is read, and damage ends that program only. What `conoid mesh`
// makes of meshes.
// labels: cli
#include <QTest>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/core.h>

#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "tests/engine/cli/program.hpp"

class TestVtuMesh : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!rod::fs::exists(CONOID_BIN_DIR "/conoid-probe")) QSKIP("this build has no VTK");
  }
  void text_and_packed_files_are_the_mesh_they_were_made_from() {
    for (const std::string shape : {"tet", "hex"})
      for (const std::string form : {"text", "binary"}) {
        const rod::Scratch scratch;
        const std::string file = CONOID_TEST_DATA "/mesh/" + shape + "_" + form + ".vtu";
        const rod::Said said = mesh(scratch.path(), {QString::fromStdString(file), "--convert", "out.msh"});
        COMPARE_EXIT(said, 0);
        const auto read = conoid::read_mesh(scratch / "out.msh");
        QVERIFY(read.ok());
        const auto origin = conoid::read_mesh(CONOID_TEST_DATA "/mesh/" + shape + "_order1_22ascii.msh");
        QCOMPARE(read->point_count(), origin->point_count());
        for (const char* group : {"1", "2"}) {
          QVERIFY2(read->group(group) != nullptr, file.c_str());
          QVERIFY(!read->group(group)->cells.empty());
        }
      }
  }
  void what_other_programs_keep_in_them_is_read_and_said() {
    const rod::Scratch scratch;
    struct Kept {
      const char *name, *said;
      conoid::Index cells;
      double measure;
    };
    // 40 ghosts beside 150 tetrahedra and 42 triangles; a hexagon in a circle of radius 1; a tetrahedron with nodes on its edges.
    for (const Kept& kept : {Kept{"ghost-cells.vtu", "40 of 232 cells are ghosts", 192, 6},
                             Kept{"polygon.vtu", "1 polygons were cut into triangles", 4, 1.5 * std::sqrt(3.0)},
                             Kept{"lagrange-tet2.vtu", "1 tet10", 1, 1.0 / 6}}) {
      rod::fs::remove(scratch / "out.msh");
      const rod::Said said =
          mesh(scratch.path(), {QString(CONOID_TEST_DATA "/inputs/") + kept.name, "--convert", "out.msh"});
      COMPARE_EXIT(said, 0);
      QVERIFY2(said.says(kept.said), said.out.c_str());
      const auto read = conoid::read_mesh(scratch / "out.msh");
      QVERIFY(read.ok());
      QCOMPARE(read->cell_count(), kept.cells);
      double measure = 0;
      int dimension = 0;
      for (conoid::Index c = 0; c < read->cell_count(); ++c)
        dimension = std::max(dimension, conoid::dimension_of(read->shape(c)));
      for (conoid::Index c = 0; c < read->cell_count(); ++c)
        if (conoid::dimension_of(read->shape(c)) == dimension) measure += conoid::cell_measure(*read, c);
      QVERIFY2(std::abs(measure - kept.measure) < 1e-6, (kept.name + std::to_string(measure)).c_str());
    }
  }
  void damage_is_an_error_of_this_program() {
    const rod::Scratch scratch;
    std::mt19937 random(11);
    for (const char* name : {"hex_text.vtu", "tet_binary.vtu"}) {
      const std::string whole = rod::text_of(std::string(CONOID_TEST_DATA "/mesh/") + name);
      for (int trial = 0; trial < 14; ++trial) {
        std::string bytes = whole;
        if (trial % 2 == 0) bytes.resize(200 + random() % (bytes.size() - 250));
        for (int k = 0; k < 4 && trial % 2 == 1; ++k)
          bytes[300 + random() % (bytes.size() - 300)] = static_cast<char>('0' + random() % 75);
        std::ofstream(scratch / "x.vtu", std::ios::binary) << bytes;
        const rod::Said said = mesh(scratch.path(), {"x.vtu"});
        QVERIFY2(said.exit == 0 || said.exit == 3 || said.exit == 6, (std::to_string(said.exit) + said.err).c_str());
        if (trial % 2 == 0) QVERIFY2(said.exit != 0, name);
      }
    }
  }
  void claims_of_size_meet_the_memory_limit() {
    const rod::Scratch scratch;
    std::string bytes = rod::text_of(CONOID_TEST_DATA "/mesh/hex_text.vtu");
    const auto at = bytes.find("NumberOfPoints=\"");
    QVERIFY(at != std::string::npos);
    bytes.replace(at + 16, bytes.find('"', at + 16) - at - 16, "99999999999");
    std::ofstream(scratch / "x.vtu", std::ios::binary) << bytes;
    const rod::Said said = mesh(scratch.path(), {"x.vtu"});
    QVERIFY2(said.exit == 3 || said.exit == 6, (std::to_string(said.exit) + said.err).c_str());
    QVERIFY2(said.says("x.vtu"), said.err.c_str());
  }
  void the_probe_dies_with_its_parent() {
    for (const int number : {SIGKILL, SIGTERM}) {
      const rod::Scratch scratch;
      QProcess process;
      const pid_t probe = start_endless(scratch.path(), process, {"mesh", "x.vtu"});
      QVERIFY(probe > 0);
      ::kill(static_cast<pid_t>(process.processId()), number);
      QVERIFY(process.waitForFinished(10000));
      QVERIFY(rod::eventually([&] { return !is_probe(probe); }, 5));
    }
  }
  void a_run_that_is_stopped_in_it_ends() {
    const rod::Scratch scratch;
    conoid::Json json = conoid::read_json(rod::text_of(CONOID_TEST_DATA "/safety/acoustic-bem.json"));
    json["mesh"]["file"] = "x.vtu";
    rod::write_case(scratch / "case.json", json);
    QProcess process;
    const pid_t probe =
        start_endless(scratch.path(), process, {"run", "case.json", "--out", "run", "--progress", "none"});
    QVERIFY(probe > 0);
    ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
    COMPARE_EXIT(rod::collect(process, 10000), 75);
    QVERIFY(!is_probe(probe));
  }
  void a_probe_that_is_ended_is_an_error() {
    const rod::Scratch scratch;
    QProcess process;
    const pid_t probe = start_endless(scratch.path(), process, {"mesh", "x.vtu"});
    QVERIFY(probe > 0);
    ::kill(probe, SIGTERM);
    const rod::Said said = rod::collect(process, 10000);
    COMPARE_EXIT(said, 3);
    QVERIFY2(said.says("x.vtu") && said.says("signal 15"), said.err.c_str());
  }
  void a_case_can_name_one() {
    const rod::Scratch scratch;
    const rod::Said said = mesh(scratch.path(), {CONOID_TEST_DATA "/mesh/hex_text.vtu", "--unit", "mm", "--json"});
    COMPARE_EXIT(said, 0);
    QVERIFY(said.json().is_object());
  }
  void a_side_becomes_a_group_and_edges_are_halved() {
    const rod::Scratch scratch;
    const std::string out = (scratch.path() / "made.msh").string();
    std::ofstream(scratch.path() / "tet.stl")
        << "solid body\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
           "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
           "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
           "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid "
           "body\n";
    const QStringList first = {"tet.stl", "--unit", "mm", "--json", "--refine", "--group", "floor"};
    const rod::Said said =
        mesh(scratch.path(), first + QStringList{"--at", "0.2, 0.2, -1", "--convert", QString::fromStdString(out)});
    COMPARE_EXIT(said, 0);
    bool found = false;
    const conoid::Json json = said.json();
    for (const auto& group : json["groups"])
      if (group["name"] == "floor") {
        found = true;
        QCOMPARE(group["cells"].get<int>(), 4);
        QVERIFY(std::abs(group["measure"].get<double>() - 0.5e-6) < 1e-18);
      }
    QVERIFY(found && rod::fs::exists(out));
    COMPARE_EXIT(mesh(scratch.path(), first + QStringList{"--at", "0.2,0.2"}), 2);
  }

 private:
  /// Starts the program on a file that VTK reads without end, and gives the process that reads it; its length allows that 20 s.
  static pid_t start_endless(const rod::fs::path& folder, QProcess& process, const QStringList& words) {
    std::ofstream(folder / "x.vtu", std::ios::binary)
        << rod::text_of(CONOID_TEST_DATA "/safety/endless.vtu") << std::string(5000000, '\n');
    rod::prepare(process, folder).start(CONOID_BIN_DIR "/conoid", words);
    if (!process.waitForStarted()) return 0;
    pid_t probe = 0;
    rod::eventually(
        [&] {
          // A thread of the program may have started it.
          for (const auto& entry : rod::fs::directory_iterator(fmt::format("/proc/{}/task", process.processId()))) {
            std::istringstream in(rod::text_of(entry.path() / "children"));
            for (pid_t child = 0; in >> child;)
              if (is_probe(child)) probe = child;
          }
          return probe > 0 || process.state() != QProcess::Running;
        },
        20);
    return probe;
  }
  /// A zombie, which nobody has waited for, is none.
  static bool is_probe(pid_t id) {
    const std::string stat = rod::text_of(fmt::format("/proc/{}/stat", id));
    return stat.find("(conoid-probe)") != std::string::npos && stat.find(") Z") == std::string::npos;
  }
  static rod::Said mesh(const rod::fs::path& folder, const QStringList& words) {
    QProcess process;
    rod::prepare(process, folder).start(CONOID_BIN_DIR "/conoid", QStringList{"mesh"} + words);
    return rod::collect(process);
  }
};

QTEST_APPLESS_MAIN(TestVtuMesh)
#include "test_vtu_mesh.moc"
