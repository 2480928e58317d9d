// SPDX-License-Identifier: BSD-3-Clause
// Nastran bulk data: files that Gmsh wrote in the three forms of fields, and by hand what it does not write.
// labels: unit
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "tests/engine/mesh/data.hpp"
#include "tests/engine/mesh/node_offset.hpp"

#include <QTest>

using namespace conoid;

namespace {

Mesh bulk_data(const std::string& name) {
  auto mesh = read_mesh(data + name);
  if (!mesh) qFatal("%s", mesh.error().render().c_str());
  return std::move(*mesh);
}

/// Numbers in short fields have as few as five digits.
double digits(const std::string& name) {
  return name.find("short") != std::string::npos ? 2e-5 : 2e-6;
}

std::string square(const std::string& cards) {
  return "$ a square\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n" + cards;
}

}  // namespace

class TestNastranReader : public QObject {
  Q_OBJECT
 private slots:
  void all_forms_of_fields_give_the_mesh_that_msh_gives() {
    for (const std::string shape : {"tet", "hex"})
      for (const std::string form : {"free", "short", "long"}) {
        const std::string name = shape + "_order1_" + form + ".bdf";
        const Mesh m = bulk_data(name);
        const Mesh reference = bulk_data(shape + "_order1_41ascii.msh");
        QCOMPARE(m.point_count(), reference.point_count());
        QCOMPARE(m.dimension(), 3);
        double volume = 0;
        double wanted = 0;
        for (const auto& [mesh, sum] : {std::pair{&m, &volume}, {&reference, &wanted}})
          for (Index c = 0; c < mesh->cell_count(); ++c)
            if (dimension_of(mesh->shape(c)) == 3) *sum += cell_measure(*mesh, c);
        // Gmsh writes the cells of its physical groups only: "left", of about half the volume, is in two of them.
        QVERIFY2(volume > 0 && volume < wanted * (1 + 1e-4), name.c_str());
        for (Index i = 0; i < m.point_count(); ++i) {
          double nearest = 1;
          for (Index k = 0; k < reference.point_count(); ++k)
            nearest = std::min(nearest, vec::distance(m.point(i), reference.point(k)));
          QVERIFY2(nearest < digits(name), name.c_str());
        }
      }
  }
  void nodes_of_order_two_lie_between_their_corners() {
    for (const std::string shape : {"tet", "hex"})
      for (const std::string form : {"free", "short", "long"}) {
        const std::string name = shape + "_order2_" + form + ".bdf";
        const Mesh m = bulk_data(name);
        const auto wanted = shape == "tet" ? CellShape::tet10 : CellShape::hex20;
        QVERIFY(std::find(m.shapes().begin(), m.shapes().end(), wanted) != m.shapes().end());
        QVERIFY2(worst_node_offset(m) < digits(name), name.c_str());
      }
  }
  void properties_are_groups_of_their_dimension() {
    const Mesh m = bulk_data("hex_order1_short.bdf");
    for (const auto& g : m.groups())
      for (const Index c : g.cells) QCOMPARE(dimension_of(m.shape(c)), g.dimension);
    std::size_t members = 0;
    for (const auto& g : m.groups()) members += g.cells.size();
    QCOMPARE(static_cast<Index>(members), m.cell_count());
    const Mesh two =
        *read_mesh_bytes(square("CTRIA3,1,7,1,2,3\nCTRIA3,2,7,1,3,4\nCBAR,3,7,1,2\nCQUAD4,4,,1,2,3,4\n"), "x.bdf");
    QCOMPARE(two.groups().size(), std::size_t{3});
    QCOMPARE(two.groups()[0].cells, (std::vector<Index>{0, 1}));
    QCOMPARE(two.groups()[1].dimension, 1);
    QCOMPARE(two.groups()[2].name, std::string("4"));  // no property: the element's own number
  }
  void numbers_of_every_spelling() {
    const std::string text =
        "GRID    1               1.5-1   +.2E1   -3.D-1\n"
        "GRID*                  2                 1.2345678901234         -1.5+02*A\n"
        "*A                2.5D+0\n"
        "grid,3,0,1,2,3\n"
        "GRID\t4\t\t1.\t2.\t3.\n"
        "CQUAD4  1       2       1       2       3       4\n";
    const auto m = read_nastran(text, "x.bdf", {.scale = 2});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->point(0), (Vec3{0.3, 4, -0.6}));
    QCOMPARE(m->point(1), (Vec3{2.4691357802468, -300, 5}));
    QCOMPARE(m->point(2), (Vec3{2, 4, 6}));
    QCOMPARE(m->point(3), (Vec3{2, 4, 6}));
  }
  void long_elements_with_continuations_and_control_sections() {
    std::string text = "SOL 101\nCEND\nTITLE = GRID 1 is no card here\nBEGIN BULK\n$ points\n";
    for (int i = 1; i <= 10; ++i)
      text += QString("GRID*   %1%2%3%4*\n*       %5\n")
                  .arg(i, 16)
                  .arg("", 16)
                  .arg(i * 0.5, 16)
                  .arg(i * i * 0.25, 16)
                  .arg(1.0 / i, 16)
                  .toStdString();
    text += "MAT1    1       2.1+11          .3\n        7850.\n";
    text +=
        "CTETRA* 5               3               1               2               *X1\n"
        "*X1     3               4               5               6               *X2\n"
        "*X2     7               8               9               10\n"
        "ENDDATA\nGRID,1,,nonsense\n";
    const auto m = read_mesh_bytes(text, "model.dat");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->shape(0), CellShape::tet10);
    for (Index k = 0; k < 10; ++k) QCOMPARE(m->nodes(0)[static_cast<std::size_t>(k)], k);
  }
  void carriage_returns_make_no_difference() {
    std::string text = square("CTRIA3  1       2       1       2       3\r\n");
    for (std::size_t at = 0; (at = text.find("\n", at)) != std::string::npos; at += 2)
      if (text[at - 1] != '\r') text.insert(at, "\r");
    const auto m = read_mesh_bytes(text, "x.nas");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->point_count(), Index{3});
  }
  void messages_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    const auto with = [](const char* cards) { return QByteArray::fromStdString(square(cards)); };
    QTest::newRow("unknown point") << with("CTRIA3,1,1,1,2,9\n") << 6
                                   << QByteArray("expected points that a GRID card gives, found 9");
    QTest::newRow("empty corner") << with("CTRIA3,1,1,1,2\n") << 6
                                  << QByteArray("CTRIA3: expected a point's number above 0, found an empty field");
    QTest::newRow("word") << with("CTRIA3,1,1,1,2,three\n") << 6 << QByteArray("found 'three'");
    QTest::newRow("point twice") << with("GRID,2,,0.,0.,1.\nCTRIA3,1,1,1,2,3\n") << 6
                                 << QByteArray("expected each GRID once, found 2 twice");
    QTest::newRow("coordinate") << with("GRID,5,,0.,0.x,1.\n") << 6
                                << QByteArray("GRID: expected a coordinate, found '0.x'");
    QTest::newRow("huge") << with("GRID,5,,0.,1+999,1.\n") << 6 << QByteArray("expected a coordinate, found '1+999'");
    QTest::newRow("system") << with("GRID,5,3,0.,0.,1.\nCTRIA3,1,1,1,2,3\n") << 6
                            << QByteArray("expected a coordinate system that a card CORD1 or CORD2 gives, found 3");
    QTest::newRow("prism") << with("CPENTA,1,1,1,2,3,4,5\n") << 6
                           << QByteArray("CPENTA: expected a point's number above 0");
    QTest::newRow("include") << with("INCLUDE 'more.bdf'\n") << 6 << QByteArray("found INCLUDE");
    QTest::newRow("half curved") << with("CTRIA6,1,1,1,2,3,4\n") << 6
                                 << QByteArray("expected all 3 nodes between the corners or none, found 1");
    QTest::newRow("no elements") << with("") << 6 << QByteArray("expected at least one element");
    QTest::newRow("negative number") << with("CTRIA3,-1,1,1,2,3\n") << 6
                                     << QByteArray("element number above 0, found '-1'");
    QTest::newRow("property") << with("CTRIA3,1,4294967296,1,2,3\n") << 6
                              << QByteArray("property number below 2147483648");
  }
  void messages() {
    QFETCH(QByteArray, content);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto m = read_mesh_bytes(content.toStdString(), "x.bdf");
    QVERIFY(!m.ok());
    QVERIFY2(m.error().text.find(part.toStdString()) != std::string::npos, m.error().render().c_str());
    QVERIFY2(m.error().place.line == line, m.error().render().c_str());
    QVERIFY(!m.error().hint.empty());
  }
  void content_is_recognised() {
    QCOMPARE(*recognise_mesh(square(""), "x"), MeshFormat::nastran);
    QCOMPARE(*recognise_mesh("$ comment\n\nSOL 101\nCEND\n", "model.dat"), MeshFormat::nastran);
    QCOMPARE(*recognise_mesh("BEGIN BULK\n", "x"), MeshFormat::nastran);
    QVERIFY(!recognise_mesh("GRIDLOCK is a word\n", "x").ok());
  }
};

QTEST_APPLESS_MAIN(TestNastranReader)
#include "test_nastran_reader.moc"
