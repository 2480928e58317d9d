// SPDX-License-Identifier: BSD-3-Clause
// Legacy VTK, Abaqus and I-DEAS files: what Gmsh writes in them is the mesh that it was; what only other programs write; messages.
// labels: unit
#include "engine/core/atomic_file.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

using namespace conoid;

namespace {

const std::string folder = CONOID_TEST_DATA "/mesh/others/";
const std::string corpus = CONOID_TEST_DATA "/fuzz/";

double volume(const Mesh& mesh) {
  double sum = 0;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 3) sum += cell_measure(mesh, c);
  return sum;
}

}  // namespace

class TestVtkAbaqusUnvReaders : public QObject {
  Q_OBJECT
 private slots:
  void boxes_that_gmsh_wrote_data() {
    QTest::addColumn<QString>("file");
    for (const char* shape : {"tet", "hex", "prism"})
      for (const char* order : {"1", "2"})
        for (const char* ending : {".vtk", "b.vtk", ".inp", ".unv"})
          QTest::newRow(qPrintable(QString("%1%2%3").arg(shape, order, ending)))
              << QString("%1%2%3").arg(shape, order, ending);
  }
  void boxes_that_gmsh_wrote() {
    QFETCH(QString, file);
    ReadNotes notes;
    const auto m = read_mesh(folder + file.toStdString(), {.scale = 2, .notes = &notes});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY2(std::abs(volume(*m) - 48) < 1e-9, qPrintable(QString::number(volume(*m))));
    QCOMPARE(mesh_quality(*m).inverted_cells, Index{0});
    const SurfaceReport skin = check_surface(boundary_surface(*m));
    QVERIFY(skin.is_body());
    QVERIFY(std::abs(skin.volume - 48) < 1e-9);
    QCOMPARE(!notes.said.empty(), file.startsWith("prism"));
    if (file.startsWith("tet2") || file.startsWith("hex2"))
      QVERIFY(std::any_of(m->shapes().begin(), m->shapes().end(), [](CellShape s) { return order_of(s) == 2; }));
    if (file.endsWith(".vtk")) return;  // Gmsh writes no groups there
    double side = 0;
    const MeshGroup* group = m->group("side");
    QVERIFY(group != nullptr && m->group("body") != nullptr);
    for (const Index c : group->cells) side += cell_measure(*m, c);
    QVERIFY(std::abs(side - 8) < 1e-9);
  }
  void surfaces_of_version_5_with_groups_and_ghosts() {
    ReadNotes notes;
    const auto m = read_mesh(corpus + "mesh_vtk/surface5.vtk", {.notes = &notes});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    // Two lines, a quadrilateral, a strip of four triangles; the vertex is a ghost.
    QCOMPARE(m->cell_count(), Index{7});
    QCOMPARE(m->group("2")->cells.size(), std::size_t{2});
    QCOMPARE(m->group("4")->cells.size(), std::size_t{4});
    QVERIFY(m->group("1") == nullptr);
    QVERIFY(std::abs(total_area(*m) - 3) < 1e-6);
    QVERIFY(check_surface(*m).consistent());
    QVERIFY(notes.said.front().find("1 of 4 cells are ghosts") != std::string::npos);
  }
  /// Numbers by the names of their sizes, as meshio writes them: two triangles, marked 7 and 9, in bytes.
  void marks_of_every_whole_type_make_groups_data() {
    QTest::addColumn<int>("size");
    QTest::newRow("vtktypeint8") << 1;
    QTest::newRow("vtktypeuint8") << 1;
    QTest::newRow("vtktypeint16") << 2;
    QTest::newRow("vtktypeuint16") << 2;
    QTest::newRow("vtktypeint32") << 4;
    QTest::newRow("vtktypeuint32") << 4;
    QTest::newRow("vtktypeint64") << 8;
    QTest::newRow("vtktypeuint64") << 8;
  }
  void marks_of_every_whole_type_make_groups() {
    QFETCH(int, size);
    const auto number = [](long long value, int bytes) {
      std::string out;
      for (int b = bytes - 1; b >= 0; --b) out += static_cast<char>((value >> (8 * b)) & 0xff);
      return out;
    };
    const auto row = [&](std::initializer_list<long long> values, int bytes) {
      std::string out;
      for (const long long value : values) out += number(value, bytes);
      return out + "\n";
    };
    std::string file = "# vtk DataFile Version 5.1\ntwo\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 short\n";
    file += row({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 2);
    file += "CELLS 3 6\nOFFSETS vtktypeint64\n" + row({0, 3, 6}, 8);
    file += "CONNECTIVITY vtktypeint64\n" + row({0, 1, 2, 1, 3, 2}, 8);
    file += "CELL_TYPES 2\n" + row({5, 5}, 4);
    file += std::string("CELL_DATA 2\nFIELD FieldData 1\ngmsh:physical 1 2 ") + QTest::currentDataTag() + "\n";
    file += row({7, 9}, size);
    const QTemporaryDir where;
    const std::string path = where.filePath("two.vtk").toStdString();
    QVERIFY(write_file_atomically(path, file).ok());
    const auto m = read_mesh(path);
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(m->group("7") != nullptr && m->group("9") != nullptr);
    QCOMPARE(m->group("9")->cells, std::vector<Index>{1});
  }

  void assemblies_are_put_together() {
    const auto m = read_mesh(corpus + "mesh_abaqus/assembly.inp");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->cell_count(), Index{2});
    QVERIFY(std::abs(volume(*m) - 2) < 1e-13);
    // The second one is shifted to x = 5, then turned by 90 degrees about the upright axis there.
    const auto [low, high] = m->bounds();
    QVERIFY(std::abs(low[0]) < 1e-14 && std::abs(high[0] - 5) < 1e-14 && std::abs(high[1] - 1) < 1e-14 &&
            std::abs(low[1]) < 1e-14);
    for (const char* group : {"all", "the body", "both"}) QCOMPARE(m->group(group)->cells.size(), std::size_t{2});
  }
  void units_of_universal_files_are_taken() {
    ReadNotes notes;
    const auto m = read_mesh(corpus + "mesh_unv/units.unv", {.scale = 123, .notes = &notes});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(std::abs(volume(*m) - 1.0 / 6) < 1e-14);
    QVERIFY(std::abs(notes.unit - 1e-3) < 1e-18);
    QCOMPARE(notes.unit_name, std::string("mm"));
    QCOMPARE(m->group("the body")->cells.size(), std::size_t{1});
    QVERIFY(notes.said.front().find("1 elements without a shape") != std::string::npos);
  }
  void messages_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, const std::string& content, int line, const char* part) {
      QTest::newRow(name) << QByteArray::fromStdString(content) << line << QByteArray(part);
    };
    const std::string vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    row("structured", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n", 4, "found 'STRUCTURED_GRID'");
    row("points", vtk + "POINTS 99999999999 float\n0 0 0\n", 6, "coordinates");
    row("wild node", vtk + "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 7\nCELL_TYPES 1\n1\n", 0,
        "expected points from 0 to 0, found 7");
    row("polyhedron", vtk + "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 1\n42\n", 0, "a polyhedron");
    row("order 3", vtk + "POINTS 4 float\n0 0 0 1 0 0 2 0 0 3 0 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n68\n", 0,
        "a Lagrange curve with 4 nodes");
    const std::string inp = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n";
    row("type", inp + "*ELEMENT, TYPE=XYZ9\n1,1,2,3\n", 5, "found TYPE='XYZ9'");
    row("unknown node", inp + "*ELEMENT, TYPE=S3\n1,1,2,4\n", 6, "expected nodes that *NODE gives, found 4");
    row("few nodes", inp + "*ELEMENT, TYPE=S4R\n1,1,2,3\n", 6, "element 1: expected 4 nodes, found 3");
    row("generated", inp + "*NGEN\n1,2\n", 5, "found *NGEN");
    row("included", "*INCLUDE, INPUT=more.inp\n", 1, "found *INCLUDE");
    row("word", inp + "*NODE\n4,0,x,0\n", 6, "expected a number, found 'x'");
    const std::string unv = "    -1\n  2411\n 1 1 1 1\n 0 0 0\n    -1\n";
    row("no element", unv, 0, "expected at least one element");
    row("count", unv + "    -1\n  2412\n 1 111 1 1 1 3\n 1 1 1\n    -1\n", 8, "expected 4 nodes, found 3");
    row("unknown", unv + "    -1\n  2412\n 1 111 1 1 1 4\n 1 1 1 9\n    -1\n", 8,
        "expected nodes that the file gives, found 9");
    row("cut", unv + "    -1\n  2412\n 1 111 1 1 1 4\n", 0, "found the end of the file");
  }
  void messages() {
    QFETCH(QByteArray, content);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto m = read_mesh_bytes(content.toStdString(), "x");
    QVERIFY(!m.ok());
    QVERIFY2(m.error().text.find(part.toStdString()) != std::string::npos, m.error().render().c_str());
    if (line > 0) QVERIFY2(m.error().place.line == line, m.error().render().c_str());
    QVERIFY(!m.error().hint.empty() && m.error().place.file == "x");
  }
  void cut_and_damaged_files_are_errors_or_meshes() {
    std::mt19937 random(7);
    for (const char* name : {"tet2.vtk", "hex1b.vtk", "prism2.inp", "tet1.unv"}) {
      const std::string whole = *read_file(folder + name);
      for (int trial = 0; trial < 400; ++trial) {
        std::string bytes = whole;
        if (trial % 2 == 0) bytes.resize(random() % bytes.size());
        for (int k = 0; k < 3 && trial % 2 == 1; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto m = read_mesh_bytes(bytes, name, {.memory_limit = Bytes{64} << 20});
        if (!m) QVERIFY(!m.error().text.empty() && m.error().code != ErrorCode::internal);
      }
    }
  }
  void one_table_names_them() {
    QVERIFY(readable_mesh_formats().find("Abaqus INP") != std::string_view::npos);
    for (const MeshFormatInfo& f : mesh_formats()) {
      QVERIFY(!f.endings.empty());
      QVERIFY(readable_mesh_formats().find(f.name) != std::string_view::npos);
    }
    QCOMPARE(*recognise_mesh("*Heading\n", "x.dat"), MeshFormat::abaqus);
    QCOMPARE(*recognise_mesh("    -1\n  2411\n", "x.dat"), MeshFormat::unv);
    QCOMPARE(*recognise_mesh("# vtk DataFile Version 2.0\n", "x.dat"), MeshFormat::vtk);
  }
};

QTEST_APPLESS_MAIN(TestVtkAbaqusUnvReaders)
#include "test_vtk_abaqus_unv_readers.moc"
