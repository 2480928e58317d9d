// SPDX-License-Identifier: BSD-3-Clause
// A refined mesh has the area, the volume, the closedness and the groups of its parent, and edges half as long.
// labels: unit
#include <QTest>

#include "engine/mesh/describe.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/refine.hpp"

using namespace conoid;

class TestRefinement : public QObject {
  Q_OBJECT

 private slots:
  void surfaces_stay_closed_and_keep_area_and_groups() {
    for (const bool quads : {false, true}) {
      BoxSurfaceOptions options;
      options.high = {1, 2, 3};
      options.divisions = {2, 3, 1};
      options.quads = quads;
      const auto mesh = box_surface(options);
      QVERIFY(mesh.ok());
      const auto fine = refined(*mesh);
      QVERIFY(fine.ok());
      const MeshSummary before = summarize(*mesh), after = summarize(*fine);
      QCOMPARE(after.cells, 4 * before.cells);
      // Euler: a closed surface of genus 0 has F − E + V = 2, quads E = 2 F, triangles E = 3 F / 2.
      QCOMPARE(after.points, (quads ? after.cells : after.cells / 2) + 2);
      QVERIFY(after.surface.is_body());
      QVERIFY(std::abs(after.quality.measure - 22) < 1e-12 * 22);
      QVERIFY(std::abs(after.surface.volume - 6) < 1e-12 * 6);
      QCOMPARE(after.quality.edge_max, before.quality.edge_max / 2);
      QCOMPARE(after.groups.size(), before.groups.size());
      for (std::size_t g = 0; g < before.groups.size(); ++g) {
        QCOMPARE(after.groups[g].name, before.groups[g].name);
        QCOMPARE(after.groups[g].cells, 4 * before.groups[g].cells);
        QVERIFY(std::abs(after.groups[g].measure - before.groups[g].measure) < 1e-12);
      }
    }
  }

  void volumes_become_eight_pieces_of_the_same_sense() {
    // A crooked tetrahedron and a hexahedron, each twice refined: every piece the right way round, no volume lost.
    Mesh tet;
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0.1, 0}, Vec3{0.2, 1.5, 0}, Vec3{0.3, 0.2, 0.7}}) tet.add_point(p);
    tet.add_cell(CellShape::tet4, {0, 1, 2, 3});
    Mesh hex;
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{2, 0, 0}, Vec3{2, 1, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 3}, Vec3{2, 0, 3},
                          Vec3{2, 1, 3}, Vec3{0, 1, 3}})
      hex.add_point(p);
    hex.add_cell(CellShape::hex8, {0, 1, 2, 3, 4, 5, 6, 7});
    for (const Mesh* one : {&tet, &hex}) {
      const double volume = summarize(*one).quality.measure;
      QVERIFY(volume > 0);
      const auto once = refined(*one);
      QVERIFY(once.ok());
      const auto twice = refined(*once);
      QVERIFY(twice.ok());
      QCOMPARE(twice->cell_count(), Index{64});
      const MeshSummary after = summarize(*twice);
      QVERIFY(std::abs(after.quality.measure - volume) < 1e-12 * volume);
      QCOMPARE(after.quality.inverted_cells, Index{0});
      QCOMPARE(after.quality.degenerate_cells, Index{0});
      // Nothing lies twice: points of a lattice cut in four.
      QCOMPARE(after.points, one == &tet ? Index{35} : Index{125});
    }
  }

  void what_cannot_be_refined_is_said() {
    IcosphereOptions curved;
    curved.order = 2;
    const auto sphere = icosphere(curved);
    QVERIFY(sphere.ok());
    QVERIFY(!refined(*sphere).ok());
    const auto plain = icosphere({});
    QVERIFY(plain.ok());
    const auto big = refined(*plain, 100);
    QVERIFY(!big.ok());
    QVERIFY(big.error().text.find("1280") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestRefinement)
#include "test_refinement.moc"
