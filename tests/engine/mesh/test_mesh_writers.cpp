// SPDX-License-Identifier: BSD-3-Clause
// What is written is read back the same: every shape, groups that overlap, both encodings, other programs' formats.
// labels: unit
#include "engine/mesh/generators.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <random>

using namespace conoid;

namespace {

bool same_groups(const Mesh& a, const Mesh& b) {
  // Order and empty groups aside.
  const auto key = [](const Mesh& m) {
    std::map<std::pair<int, std::string>, std::vector<Index>> out;
    for (const auto& g : m.groups())
      if (!g.cells.empty()) out[{g.dimension, g.name}] = g.cells;
    return out;
  };
  return key(a) == key(b);
}

/// Random groups over all cells of a mesh, overlapping, some cells in none.
void add_random_groups(Mesh& m, std::mt19937& random) {
  for (int k = 0; k < 7; ++k) {
    const int dimension = static_cast<int>(random() % 4);
    auto& g = m.add_group("group \"" + std::to_string(k) + "\"", dimension, k % 2 == 0 ? 0 : 5);
    for (Index c = 0; c < m.cell_count(); ++c)
      if (dimension_of(m.shape(c)) == dimension && random() % 3 == 0) g.cells.push_back(c);
  }
}

}  // namespace

class TestMeshWriters : public QObject {
  Q_OBJECT
 private slots:
  void msh_round_trip_of_every_shape() {
    std::mt19937 random(5);
    for (const bool binary : {true, false})
      for (const int order : {1, 2})
        for (const bool simplices : {false, true})
          for (const bool serendipity : {false, true}) {
            Mesh m = *box({.low = {0.1, 0.2, 0.3},
                           .divisions = {3, 1, 2},
                           .simplices = simplices,
                           .order = order,
                           .serendipity = serendipity});
            for (double& x : m.mutable_points()) x += 1e-3 * static_cast<double>(random() % 1000) / 7;
            m.add_cell(CellShape::vertex, {0});
            const Index a[] = {0, 1, 2};
            m.add_cell(order == 1 ? CellShape::line2 : CellShape::line3, std::span(a).first(order == 1 ? 2 : 3));
            add_random_groups(m, random);
            const std::string bytes = to_msh(m, {.binary = binary});
            const auto back = read_mesh_bytes(bytes, "round.msh");
            QVERIFY2(back.ok(), back ? "" : back.error().render().c_str());
            QCOMPARE(back->points(), m.points());  // bit for bit: shortest decimal form in text
            QCOMPARE(back->connectivity(), m.connectivity());
            QVERIFY(back->shapes() == m.shapes());
            // Quotes in names become underscores.
            Mesh renamed = *Mesh::from_arrays(m.points(), m.shapes(), m.connectivity(), [&] {
              auto g = m.groups();
              for (auto& x : g) std::replace(x.name.begin(), x.name.end(), '"', '_');
              return g;
            }());
            QVERIFY(same_groups(*back, renamed));
          }
  }
  void files_of_gmsh_survive_a_round_trip() {
    const std::string data = CONOID_TEST_DATA "/mesh/";
    QTemporaryDir folder;
    for (const char* name : {"hex_order2_41binary.msh", "tet_order2_22ascii.msh", "hex_serendipity_41ascii.msh"}) {
      const Mesh m = *read_mesh(data + name);
      const std::string out = folder.filePath("out.msh").toStdString();
      QVERIFY(write_mesh(m, out, {.scale = 1000}).ok());
      const Mesh back = *read_mesh(out, {.scale = 1e-3});
      QVERIFY(std::abs(total_volume(back) / total_volume(m) - 1) < 1e-12);
      QCOMPARE(back.connectivity(), m.connectivity());
      QVERIFY(same_groups(back, m));
    }
  }
  void stl_keeps_the_body() {
    for (const bool binary : {true, false}) {
      const Mesh ball = *icosphere({.radius = 0.3, .divisions = 5});
      const Mesh back = *read_mesh_bytes(to_stl(ball, {.binary = binary}), "x.stl");
      QCOMPARE(back.cell_count(), ball.cell_count());
      QCOMPARE(back.point_count(), ball.point_count());
      QVERIFY(check_surface(back).is_body());
      QVERIFY(std::abs(enclosed_volume(back) / enclosed_volume(ball) - 1) < (binary ? 1e-6 : 1e-13));
      // A volume mesh gives its boundary, quads and curved cells become triangles.
      for (const int order : {1, 2}) {
        const Mesh brick = *box({.divisions = {2, 3, 4}, .order = order});
        const Mesh skin = *read_mesh_bytes(to_stl(brick, {.binary = binary}), "x.stl");
        QVERIFY(check_surface(skin).is_body());
        QVERIFY(std::abs(enclosed_volume(skin) - 1) < 1e-6);
        QCOMPARE(skin.cell_count(), Index{2 * (6 + 8 + 12) * (order == 1 ? 2 : 8)});
        if (!binary) QCOMPARE(skin.group("zmax")->cells.size(), std::size_t{6} * (order == 1 ? 2 : 8));
      }
      const Mesh serendipity = *box({.divisions = {1, 1, 1}, .order = 2, .serendipity = true});
      QVERIFY(check_surface(*read_mesh_bytes(to_stl(serendipity, {.binary = binary}), "x.stl")).is_body());
      QVERIFY(
          check_surface(*read_mesh_bytes(to_stl(*icosphere({.divisions = 2, .order = 2}), {.binary = binary}), "x.stl"))
              .is_body());
    }
  }
  void obj_keeps_quads_and_groups() {
    const Mesh m = *box_surface({.divisions = {2, 3, 1}, .quads = true});
    const auto back = read_mesh_bytes(to_obj(m), "x.obj");
    QVERIFY2(back.ok(), back ? "" : back.error().render().c_str());
    QCOMPARE(back->points(), m.points());
    QCOMPARE(back->connectivity(), m.connectivity());
    QVERIFY(same_groups(*back, m));
  }
  void wrong_endings_and_folders_are_errors() {
    const Mesh m = *icosphere({});
    QCOMPARE(write_mesh(m, "/tmp/x.foo").error().code, ErrorCode::command_line);
    QCOMPARE(write_mesh(m, "/no such folder/x.msh").error().code, ErrorCode::file);
  }
};

QTEST_APPLESS_MAIN(TestMeshWriters)
#include "test_mesh_writers.moc"
