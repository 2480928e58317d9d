// SPDX-License-Identifier: BSD-3-Clause
// VTU meshes come through a program of their own: what other programs wrote is read, and damage ends that program only. What `conoid mesh`
// makes of meshes.
// labels: cli
#include <QTest>

#include <cmath>
#include <fstream>
#include <random>

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
  static rod::Said mesh(const rod::fs::path& folder, const QStringList& words) {
    QProcess process;
    rod::prepare(process, folder).start(CONOID_BIN_DIR "/conoid", QStringList{"mesh"} + words);
    return rod::collect(process);
  }
};

QTEST_APPLESS_MAIN(TestVtuMesh)
#include "test_vtu_mesh.moc"
