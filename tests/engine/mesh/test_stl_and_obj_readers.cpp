// SPDX-License-Identifier: BSD-3-Clause
// STL and OBJ: what is accepted, how points and groups come out, and what the messages say.
// labels: unit
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <QTest>
#include <cstring>

using namespace conoid;

namespace {

struct Facet {
  float p[3][3];
};
const std::vector<Facet> tetrahedron{{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}},
                                     {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}},
                                     {{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}},
                                     {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

std::string binary_stl(const std::vector<Facet>& facets, std::string header = "made by a test") {
  header.resize(80, ' ');
  const auto n = static_cast<std::uint32_t>(facets.size());
  for (int i = 0; i < 4; ++i) header += static_cast<char>((n >> (8 * i)) & 255);
  for (const Facet& f : facets) {
    char raw[50] = {};
    std::memcpy(raw + 12, f.p, 36);
    header.append(raw, 50);
  }
  return header;
}

std::string ascii_stl(const std::vector<Facet>& facets, const std::string& name) {
  std::string s = "solid " + name + "\n";
  for (const Facet& f : facets) {
    s += "  facet normal 0 0 0\n    outer loop\n";
    for (const auto& p : f.p) s += QString("      vertex %1 %2 %3\n").arg(p[0]).arg(p[1]).arg(p[2]).toStdString();
    s += "    endloop\n  endfacet\n";
  }
  return s + "endsolid " + name + "\n";
}

}  // namespace

class TestStlAndObjReaders : public QObject {
  Q_OBJECT
 private slots:
  void binary_and_ascii_stl_give_the_same_body() {
    for (const std::string& bytes :
         {binary_stl(tetrahedron), binary_stl(tetrahedron, "solid but binary"), ascii_stl(tetrahedron, "t")}) {
      const auto m = read_mesh_bytes(bytes, "t.stl", {.scale = 2});
      QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
      QCOMPARE(m->point_count(), Index{4});
      QCOMPARE(m->cell_count(), Index{4});
      QVERIFY(check_surface(*m).is_body());
      QVERIFY(std::abs(enclosed_volume(*m) - 8.0 / 6) < 1e-14);
    }
  }
  void points_merge_when_exactly_equal_only() {
    std::vector<Facet> f = tetrahedron;
    f[0].p[0][0] = -0.0f;  // the same place as 0
    QCOMPARE(read_mesh_bytes(binary_stl(f), "t.stl")->point_count(), Index{4});
    f[0].p[0][0] = 1e-30f;
    QCOMPARE(read_mesh_bytes(binary_stl(f), "t.stl")->point_count(), Index{5});
  }
  void solids_become_groups() {
    const std::string two = ascii_stl({tetrahedron[0], tetrahedron[1]}, "wing left") + ascii_stl({tetrahedron[2]}, "") +
                            ascii_stl({tetrahedron[3]}, "wing left");
    const Mesh m = *read_mesh_bytes(two, "t.stl");
    QCOMPARE(m.groups().size(), std::size_t{2});
    QCOMPARE(m.group("wing left")->cells, (std::vector<Index>{0, 1, 3}));
    QCOMPARE(m.group("solid_2")->cells, (std::vector<Index>{2}));
  }
  void upper_case_carriage_returns_and_nan_normals_are_accepted() {
    QString s = QString::fromStdString(ascii_stl(tetrahedron, "T")).toUpper();
    s.replace("NORMAL 0 0 0", "NORMAL NAN NAN NAN").replace("\n", "\r\n");
    const auto m = read_mesh_bytes(s.toStdString(), "t.stl");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->groups().front().name, std::string("T"));
  }
  void stl_messages() {
    const auto text = [](const std::string& bytes) {
      const auto m = read_mesh_bytes(bytes, "t.stl");
      return m ? std::string("no error") : m.error().render();
    };
    const std::string b = binary_stl(tetrahedron);
    QVERIFY2(text(b.substr(0, b.size() - 7)).find("expected 4 x triangles") != std::string::npos,
             text(b.substr(0, 90)).c_str());
    QVERIFY(text(b.substr(0, 60)).find("expected 84 x bytes of STL header") != std::string::npos);
    std::string huge = b;
    huge[83] = '\x7f';
    QVERIFY2(text(huge).find("found 200 bytes") != std::string::npos, text(huge).c_str());
    std::vector<Facet> bad = tetrahedron;
    bad[2].p[1][1] = std::numeric_limits<float>::infinity();
    QVERIFY(text(binary_stl(bad)).find("triangle 2: expected finite coordinates, found inf") != std::string::npos);
    const std::string a = ascii_stl(tetrahedron, "t");
    QVERIFY(text(a.substr(0, a.size() / 2)).find("the end of the file") != std::string::npos);
    std::string typo = a;
    typo.replace(typo.find("vertex 0 1 0"), 12, "vertex 0 l 0");
    QVERIFY2(text(typo).find("t.stl:5: expected a coordinate, found 'l'") != std::string::npos, text(typo).c_str());
    typo = a;
    typo.replace(typo.find("endloop"), 7, "endlop ");
    QVERIFY2(text(typo).find("t.stl:7: expected 'endloop', found 'endlop'") != std::string::npos, text(typo).c_str());
    QVERIFY(text("solid empty\nendsolid empty\n").find("at least one triangle") != std::string::npos);
    QVERIFY(text("").find("t.stl") != std::string::npos);
  }

  void obj_faces_of_every_form() {
    const std::string s =
        "# a cube's corner\nmtllib x.mtl\no thing\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 1.5 0 1.0\nvt 0 "
        "0\nvn 0 0 1\n"
        "usemtl red\ns off\nf 1 2 3\ng quads flat\nf 1/1 2/1 \\\n 3/1 4/1\ng fans\nf 1//1 2//1 3//1 5//1 "
        "4//1\n"
        "g default\nf -5/1/1 -4/1/1 -3/1/1 # the first three\nl 1 2 3\n";
    const auto m = read_mesh_bytes(s, "t.obj", {.scale = 0.5});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->cell_count(), Index{1 + 1 + 3 + 1 + 2});
    QCOMPARE(m->shape(1), CellShape::quad4);
    QCOMPARE(m->group("thing")->cells, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
    QCOMPARE(m->group("quads")->cells, (std::vector<Index>{1}));
    QCOMPARE(m->group("flat")->cells, (std::vector<Index>{1}));
    QCOMPARE(m->group("fans")->cells, (std::vector<Index>{2, 3, 4}));
    QCOMPARE(m->nodes(5)[0], Index{0});
    QCOMPARE(m->nodes(5)[2], Index{2});
    QCOMPARE(m->shape(6), CellShape::line2);
    QVERIFY(std::abs(total_area(*m) - 0.25 * (0.5 + 1 + 1.25 + 0.5)) < 1e-14);
  }
  void obj_messages_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    const QByteArray v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    QTest::newRow("index 0") << v + "f 0 1 2\n" << 4 << QByteArray("found '0'");
    QTest::newRow("too high") << v + "f 1 2 4\nf 1 2 3\n" << 4 << QByteArray("expected a vertex from 1 to 3, found 4");
    QTest::newRow("too low") << v + "f 1 2 -4\n" << 4 << QByteArray("expected a vertex from -1 back to -3, found -4");
    QTest::newRow("word") << v + "f 1 two 3\n" << 4 << QByteArray("found 'two'");
    QTest::newRow("two corners") << v + "f 1 2\n" << 4 << QByteArray("at least 3 vertices after 'f', found 2");
    QTest::newRow("two coordinates") << QByteArray("v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n") << 1 << QByteArray("found 2");
    QTest::newRow("coordinate") << QByteArray("v 0 0 1e999\n") << 1 << QByteArray("found '1e999'");
    QTest::newRow("no faces") << v << 4 << QByteArray("at least one face");
    QTest::newRow("huge index") << v + "f 1 2 99999999999999999999\n"
                                << 4 << QByteArray("found '99999999999999999999'");
  }
  void obj_messages() {
    QFETCH(QByteArray, content);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto m = read_mesh_bytes(content.toStdString(), "t.obj");
    QVERIFY(!m.ok());
    QVERIFY2(m.error().text.find(part.toStdString()) != std::string::npos, m.error().render().c_str());
    QVERIFY2(m.error().place.line == line, m.error().render().c_str());
  }
  void formats_are_recognised_by_content_then_ending() {
    const std::string obj = "# no ending\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    QCOMPARE(*recognise_mesh(obj, "x"), MeshFormat::obj);
    QCOMPARE(*recognise_mesh(binary_stl(tetrahedron), "x.dat"), MeshFormat::stl);
    QCOMPARE(*recognise_mesh("$MeshFormat\n4.1 0 8\n", "x.stl"), MeshFormat::msh);
    QCOMPARE(*recognise_mesh("solid x\n", "x"), MeshFormat::stl);
    QVERIFY(recognise_mesh("hello", "x.txt").error().text.find("MSH (2.2, 4.1), STL, OBJ, PLY") != std::string::npos);
    QVERIFY(recognise_mesh("Point(1) = {0,0,0};", "x.geo").error().text.find("geometry") != std::string::npos);
    QVERIFY(recognise_mesh("", "x").error().text.find("empty") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestStlAndObjReaders)
#include "test_stl_and_obj_readers.moc"
