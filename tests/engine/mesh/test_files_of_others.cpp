// SPDX-License-Identifier: BSD-3-Clause
// What other programs write: partitions, parameters of nodes, coordinate systems, long lines, prisms and pyramids.
// labels: unit
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <QTest>

#include <cmath>
#include <numbers>

using namespace conoid;

namespace {

const std::string inputs = CONOID_TEST_DATA "/inputs/";

double volume(const Mesh& mesh) {
  double sum = 0;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 3) sum += cell_measure(mesh, c);
  return sum;
}

/// Six corners of a prism, five of a pyramid on its square side, eight of a cube below: one body of volume 1 + 1/2 + 1/3.
const std::string mixed_nodes =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 "
    "1\n8 0 1 1\n"
    "9 0.5 0.5 2\n10 2 0 0\n11 2 0 1\n$EndNodes\n";

}  // namespace

class TestFilesOfOthers : public QObject {
  Q_OBJECT
 private slots:
  void partitions_are_joined() {
    ReadNotes notes;
    const auto m = read_mesh(inputs + "msh41-partitioned.msh", {.notes = &notes});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(std::abs(volume(*m) - 6) < 1e-12);
    QVERIFY(m->group("the volume") != nullptr && m->group("overlap") != nullptr);
    QCOMPARE(m->group("overlap")->cells.size(), std::size_t{50});
    QVERIFY(check_surface(boundary_surface(*m)).is_body());
    QVERIFY(notes.said.front().find("3 partitions") != std::string::npos);
  }
  void parameters_of_nodes_are_passed_over() {
    const auto m = read_mesh(inputs + "msh22-parametric-nodes.msh");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(std::abs(volume(*m) - 6) < 1e-12);
    QCOMPARE(m->point_count(), Index{66});
  }
  void long_lines_of_free_fields() {
    const auto m = read_mesh(inputs + "nastran-long-free-field.bdf");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(std::abs(volume(*m) - 1) < 1e-14);
    // The same with the tenth field as a mark, in the line and over two lines; a tenth field that is a number and the last one.
    const std::string grids =
        "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,1.,1.,0.\nGRID,5,,0.,0.,1.\n"
        "GRID,6,,1.,0.,1.\nGRID,7,,0.,1.,1.\nGRID,8,,1.,1.,1.\n";
    for (const char* card : {"CHEXA,1,1,1,2,4,3,5,6,+,8,7\n", "CHEXA,1,1,1,2,4,3,5,6,+A\n+A,8,7\n",
                             "CHEXA,1,1,1,2,4,3,5,6\n,8,7\n", "CHEXA,1,1,1,2,4,3,5,6,,8,7\n"}) {
      const auto again = read_mesh_bytes(grids + card, "x.bdf");
      QVERIFY2(again.ok(), again ? "" : (card + again.error().render()).c_str());
      QVERIFY(std::abs(volume(*again) - 1) < 1e-14);
    }
    const auto wedge = read_mesh_bytes(grids + "CQUAD8,1,1,1,2,4,3\nCPENTA,2,1,1,2,3,5,6,7\n", "x.bdf");
    QVERIFY2(wedge.ok(), wedge ? "" : wedge.error().render().c_str());
    QVERIFY(std::abs(volume(*wedge) - 0.5) < 1e-14);
  }
  void coordinate_systems() {
    const auto plain = read_mesh(inputs + "nastran-cord2r.bdf");
    QVERIFY2(plain.ok(), plain ? "" : plain.error().render().c_str());
    QVERIFY(std::abs(volume(*plain) - 1) < 1e-14);
    // System 1: turned by 90 degrees about z and shifted; 2: cylindrical in it; 3: spherical in the basic system; 4: by points.
    const std::string systems =
        "CORD2R,1,0,10.,0.,0.,10.,0.,1.\n,10.,1.,0.\nCORD2C,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2S,3,,0.,0.,0.,0.,0.,"
        "1.\n,1.,0.,0.\n"
        "CORD1R,4,5,6,7\nGRDSET,,1\n"
        "GRID,1,,2.,0.,0.\nGRID,2,2,2.,90.,5.\nGRID,3,3,4.,90.,90.\nGRID,5,0,0.,0.,0.\nGRID,6,0,1.,0.,0.\nGRID,7,0,0.,"
        "1.,0.\n"
        "GRID,4,4,1.,2.,3.\nCTETRA,1,1,1,2,3,4\n";
    const auto m = read_mesh_bytes(systems, "x.bdf", {.scale = 0.5, .keep_unused_points = true});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    const auto near = [&](Index i, const Vec3& p) {
      for (std::size_t a = 0; a < 3; ++a) QVERIFY(std::abs(m->point(i)[a] - 0.5 * p[a]) < 1e-14);
    };
    near(0, {10, 2, 0});  // x of system 1 is y
    near(1, {8, 0, 5});   // 90 degrees further: −x
    near(2, {0, 4, 0});   // on the equator, at a quarter of the turn
    near(6, {3, 1, 2});   // z of system 4 is x, its x is y
    const auto circle = read_mesh_bytes(
        "CORD2R,1,2,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,1,1,0.,0.,0.\n"
        "GRID,2,,0.,0.,0.\nGRID,3,,0.,1.,0.\nCTRIA3,1,1,1,2,3\n",
        "x.bdf");
    QVERIFY(!circle.ok() && circle.error().text.find("defined by itself") != std::string::npos);
    QCOMPARE(circle.error().place.line, 1L);
    const auto missing =
        read_mesh_bytes("GRID,1,9,0.,0.,0.\nGRID,2,,0.,0.,0.\nGRID,3,,0.,1.,0.\nCTRIA3,1,1,1,2,3\n", "x.bdf");
    QVERIFY(!missing.ok() && missing.error().place.line == 1);
    QVERIFY(!read_mesh_bytes(
                 "CORD2R,1,0,0.,0.,0.,0.,0.,1.\n,0.,0.,2.\nGRID,1,1,0.,0.,0.\nGRID,2,,0.,0.,0.\nGRID,3,,0.,1.,0.\n"
                 "CTRIA3,1,1,1,2,3\n",
                 "x.bdf")
                 .ok());
    QVERIFY(
        !read_mesh_bytes("GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\n=,4,*1,==\nCTRIA3,1,1,1,2,3\n", "x.bdf")
             .ok());
  }
  void prisms_and_pyramids_meet_face_to_face() {
    // The prism in both orders of its triangles: programs disagree.
    for (const char* prism : {"2 6 2 1 1 2 10 3 6 11 7\n", "2 6 2 1 1 6 11 7 2 10 3\n"}) {
      ReadNotes notes;
      const auto m = read_mesh_bytes(mixed_nodes + "$Elements\n4\n1 5 2 3 1 1 2 3 4 5 6 7 8\n" + prism +
                                         "3 7 2 2 1 5 6 7 8 9\n4 3 2 9 1 1 4 3 2\n$EndElements\n",
                                     "x.msh", {.notes = &notes});
      QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
      QVERIFY(std::abs(volume(*m) - (1 + 0.5 + 1.0 / 3)) < 1e-14);
      QCOMPARE(mesh_quality(*m).inverted_cells, Index{0});
      for (Index c = 0; c < m->cell_count(); ++c)
        QVERIFY(m->shape(c) == CellShape::tet4 || m->shape(c) == CellShape::triangle3);
      // The cube's side to the prism is inside: no face is left over, and the quadrilateral below became two triangles of its group.
      const Mesh skin = boundary_surface(*m);
      QVERIFY(check_surface(skin).is_body());
      QVERIFY(std::abs(enclosed_volume(skin) - (1 + 0.5 + 1.0 / 3)) < 1e-14);
      QCOMPARE(m->group("3")->cells.size(), std::size_t{6});
      QCOMPARE(skin.group("9")->cells.size(), std::size_t{2});
      QVERIFY(notes.said.front().find("1 prisms and 1 pyramids") != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(TestFilesOfOthers)
#include "test_files_of_others.moc"
