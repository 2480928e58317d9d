// SPDX-License-Identifier: BSD-3-Clause
// MFEM meshes that MFEM wrote: straight, curved by nodes of order 2, named sets; messages.
// labels: unit
#include "engine/core/atomic_file.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "tests/engine/mesh/data.hpp"
#include "tests/engine/mesh/node_offset.hpp"

#include <QTest>

using namespace conoid;

namespace {

Mesh read(const std::string& name) {
  auto mesh = read_mesh(data + name);
  if (!mesh) qFatal("%s", mesh.error().render().c_str());
  return std::move(*mesh);
}

/// What the bent boxes were before: the inverse of x + 0.3 z^2, y + 0.2 x z in space, x + 0.3 y^2 in the plane.
Vec3 unbend(const Vec3& p) {
  const double x = p[0] - 0.3 * p[2] * p[2];
  return {x, p[1] - 0.2 * x * p[2], p[2]};
}
Vec3 unbend_in_plane(const Vec3& p) {
  return {p[0] - 0.3 * p[1] * p[1], p[1], p[2]};
}

const std::string head = "MFEM mesh v1.0\n\n# a comment\ndimension\n2\n\nelements\n1\n1 3 0 1 2 3\n\n";
const std::string walls = "boundary\n1\n5 1 0 1\n\n";
const std::string points = "vertices\n4\n2\n0 0\n1 0\n1 1\n0 1\n";

}  // namespace

class TestMfemReader : public QObject {
  Q_OBJECT
 private slots:
  void straight_cells() {
    for (const char* name : {"hex_straight.mesh", "tet_straight.mesh"}) {
      const Mesh m = read(name);
      QVERIFY(std::abs(enclosed_volume(boundary_surface(m)) - 1) < 1e-14);
      QVERIFY(check_surface(boundary_surface(m)).is_body());
    }
    for (const char* name : {"quad_straight.mesh", "triangle_straight.mesh"})
      QVERIFY(std::abs(total_area(read(name)) - 1) < 1e-14);
  }
  void curved_nodes_lie_where_mfem_put_them() {
    for (const std::string shape : {"hex", "tet", "quad", "triangle"})
      for (const std::string ordering : {"0", "1"}) {
        const std::string name = shape + "_curved" + ordering + ".mesh";
        const Mesh m = read(name);
        const bool plane = m.dimension() == 2;
        // Straight again once the map is undone: every node is where its cell's straight shape has it.
        const double worst = worst_node_offset(m, plane ? unbend_in_plane : unbend);
        QVERIFY2(worst < 1e-12, qPrintable(QString("%1: %2").arg(name.c_str()).arg(worst)));
        // And the map does bend.
        QVERIFY(worst_node_offset(m) > 0.01);
        for (Index c = 0; c < m.cell_count(); ++c)
          QVERIFY(m.shape(c) == CellShape::vertex || order_of(m.shape(c)) == 2);
        QCOMPARE(read(shape + "_straight.mesh").cell_count(), m.cell_count());
      }
  }
  void volume_of_curved_cells_is_kept() {
    for (const char* name : {"hex_curved1.mesh", "tet_curved1.mesh", "quad_curved1.mesh", "triangle_curved1.mesh"}) {
      const Mesh m = read(name);
      double sum = 0;
      for (Index c = 0; c < m.cell_count(); ++c)
        if (dimension_of(m.shape(c)) == m.dimension()) sum += cell_measure(m, c);
      QVERIFY2(std::abs(sum - 1) < 1e-12, name);
    }
  }
  void segments_have_their_middle_inside() {
    const Mesh m = read("line_curved1.mesh");
    QCOMPARE(m.shape(0), CellShape::line3);
    QVERIFY(worst_node_offset(m) < 1e-14);
  }
  void attributes_and_named_sets_are_groups() {
    const Mesh box = read("hex_straight.mesh");
    QCOMPARE(box.groups().size(), std::size_t{7});
    for (int wall = 1; wall <= 6; ++wall) QCOMPARE((*require_group(box, std::to_string(wall), 2))->tag, wall);
    const Mesh sets = read("named_sets.mesh");
    QCOMPARE((*require_group(sets, "all of it"))->cells.size(), std::size_t{8});
    QCOMPARE((*require_group(sets, "walls", 1))->cells.size(), std::size_t{4});
  }
  void what_cannot_be_kept_is_refused() {
    const auto text = [](const std::string& name) { return read_mesh(data + name).error().render(); };
    QVERIFY2(text("refused_order3.mesh").find("expected cells of order 1 or 2, found order '3'") != std::string::npos,
             text("refused_order3.mesh").c_str());
    QVERIFY2(
        text("refused_discontinuous.mesh").find("expected continuous nodes such as 'H1_3D_P2', found 'L2_T1_2D_P2'") !=
            std::string::npos,
        text("refused_discontinuous.mesh").c_str());
  }
  void messages_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, const std::string& content, int line, const char* part) {
      QTest::newRow(name) << QByteArray::fromStdString(content) << line << QByteArray(part);
    };
    row("version", "MFEM mesh v9.0\n", 1, "found 'MFEM mesh v9.0'");
    row("hanging nodes", "MFEM NC mesh v1.0\n", 1, "hanging nodes");
    row("nurbs", "MFEM NURBS mesh v1.0\n", 1, "NURBS");
    row("inline", "MFEM INLINE mesh v1.0\ntype = wedge\n", 1, "found type 'wedge'");
    row("inline count", "MFEM INLINE mesh v1.0\ntype = hex\nnx = 0\n", 3, "nx: expected a number above 0, found '0'");
    row("dimension", "MFEM mesh v1.0\ndimension\n4\n", 3, "expected a dimension 1 to 3, found 4");
    row("section", "MFEM mesh v1.0\ndimension\n2\nboundary\n", 4, "expected the section 'elements', found 'boundary'");
    row("geometry", "MFEM mesh v1.0\ndimension\n2\nelements\n1\n1 8 0 1 2\n", 6, "geometry type 0 to 7, found 8");
    row("prism", "MFEM mesh v1.0\ndimension\n3\nelements\n1\n1 6 0 1 2 3 4\n", 7,
        "expected a vertex number, found the end of the file");
    row("wrong dimension", "MFEM mesh v1.0\ndimension\n3\nelements\n1\n1 3 0 1 2 3\n", 6,
        "elements of dimension 3, found a square");
    row("vertex", head + "boundary\n1\n5 1 0 4\n\n" + points, 13, "expected a vertex below 4, found 4");
    row("negative", head + "boundary\n1\n5 1 0 -1\n\n" + points, 13, "expected a vertex number from 0, found -1");
    row("count", "MFEM mesh v1.0\ndimension\n2\nelements\n888888888888\n1 3 0 1 2 3\n", 5,
        "expected 888888888888 x elements");
    row("coordinate", head + walls + "vertices\n4\n2\n0 0\n1 x\n1 1\n0 1\n", 19, "expected a coordinate, found 'x'");
    row("cut", head + walls + "vertices\n4\n2\n0 0\n1 0\n", 17, "expected 4 x vertices");
    row("coordinates", head + walls + "vertices\n4\n5\n", 17, "expected 1 to 3 coordinates a vertex, found 5");
    row("no elements", "MFEM mesh v1.0\ndimension\n2\nelements\n0\nboundary\n0\nvertices\n0\n2\n", 10,
        "expected at least one element");
    const std::string nodes = head + walls + "vertices\n4\n\nnodes\nFiniteElementSpace\n";
    row("space", head + walls + "vertices\n4\n\nnodes\nGridFunction\n", 19,
        "expected the section 'FiniteElementSpace'");
    row("collection", nodes + "FiniteElementCollection: NURBS2\n", 20, "expected nodes 'H1_2D_P1'");
    row("positive basis", nodes + "FiniteElementCollection: H1Pos_2D_P2\n", 20, "found 'H1Pos_2D_P2'");
    row("vdim", nodes + "FiniteElementCollection: H1_2D_P2\nVDim: 4\n", 21, "expected 'VDim: 1' to 3, found '4'");
    row("ordering", nodes + "FiniteElementCollection: H1_2D_P2\nVDim: 2\nOrdering: 2\n", 22,
        "expected 'Ordering: 0' or 1");
    row("few nodes", nodes + "FiniteElementCollection: H1_2D_P2\nVDim: 2\nOrdering: 1\n0 0\n1 0\n1 1\n0 1\n.5 0\n", 22,
        "expected 9 x nodes");
    row("loose wall",
        head +
            "boundary\n1\n5 1 0 2\n\nvertices\n4\n\nnodes\nFiniteElementSpace\nFiniteElementCollection: Quadratic\n"
            "VDim: 2\nOrdering: 1\n0 0\n1 0\n1 1\n0 1\n.5 0\n1 .5\n.5 1\n0 .5\n.5 .5\n",
        22, "boundary element 0 to be a side of an element");
  }
  void messages() {
    QFETCH(QByteArray, content);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto m = read_mesh_bytes(content.toStdString(), "x.mesh");
    QVERIFY(!m.ok());
    QVERIFY2(m.error().text.find(part.toStdString()) != std::string::npos, m.error().render().c_str());
    QVERIFY2(m.error().place.line == line, m.error().render().c_str());
    QVERIFY(!m.error().hint.empty());
  }
  void boxes_described_in_line_are_made() {
    const auto text = [](const std::string& type) {
      return "MFEM INLINE mesh v1.0\n\ntype = " + type + "\nnx = 4\nny = 3\nnz = 2\nsx = 2.0\nsy = 1.5\nsz = 0.5\n";
    };
    struct Row {
      const char* type;
      Index cells;
      double measure;
    };
    for (const Row& row : {Row{"hex", 24, 1.5}, Row{"tet", 144, 1.5}, Row{"quad", 12, 3.0}, Row{"tri", 24, 3.0},
                           Row{"segment", 4, 2.0}}) {
      const auto m = read_mesh_bytes(text(row.type), "box.mesh");
      QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
      const MeshGroup* body = m->group("1");
      QCOMPARE(static_cast<Index>(body->cells.size()), row.cells);
      double sum = 0;
      for (const Index c : body->cells) sum += cell_measure(*m, c);
      QVERIFY(std::abs(sum - row.measure) < 1e-13);
      if (m->dimension() == 3) {
        QVERIFY(check_surface(boundary_surface(*m)).is_body());
        double right = 0;
        for (const MeshGroup& g : m->groups())
          if (g.name == "3" && g.dimension == 2)
            for (const Index c : g.cells) right += cell_measure(*m, c);
        QVERIFY(std::abs(right - 1.5 * 0.5) < 1e-14);
      }
    }
  }
  void sets_with_spaces_and_without_quotes() {
    const std::string head = "MFEM mesh v1.3\ndimension\n2\nelements\n1\n1 3 0 1 2 3\n";
    for (const char* set : {"\"North Wall\" 1 1\n", "\"North Wall\"\n1\n1\n", "North Wall\n1\n1\n"}) {
      const auto m = read_mesh_bytes(
          head + "attribute_sets\n1\n" + set + "boundary\n0\nvertices\n4\n2\n0 0\n1 0\n1 1\n0 1\n", "x.mesh");
      QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
      QVERIFY2(m->group("North Wall") != nullptr, set);
    }
  }
  void prisms_and_pyramids_are_cut() {
    const auto m = read_mesh_bytes(
        "MFEM mesh v1.0\ndimension\n3\nelements\n2\n7 6 0 1 2 3 4 5\n8 7 0 1 4 3 6\nboundary\n0\nvertices\n7\n3\n0 0 "
        "0\n1 0 0\n"
        "0 1 0\n0 0 1\n1 0 1\n0 1 1\n0.5 -1 0.5\n",
        "x.mesh");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(std::abs(enclosed_volume(boundary_surface(*m)) - (0.5 + 1.0 / 3)) < 1e-14);
    QCOMPARE(m->group("7")->cells.size(), std::size_t{3});
  }
  void every_cut_of_a_curved_file_is_an_error() {
    const std::string whole = *read_file(data + "hex_curved0.mesh");
    for (std::size_t n = 0; n + 4 < whole.size(); n += 7) {
      const auto m = read_mesh_bytes(whole.substr(0, n), "x.mesh");
      QVERIFY2(!m.ok(), qPrintable(QString::number(n)));
    }
  }
};

QTEST_APPLESS_MAIN(TestMfemReader)
#include "test_mfem_reader.moc"
