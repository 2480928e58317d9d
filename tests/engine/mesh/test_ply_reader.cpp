// SPDX-License-Identifier: BSD-3-Clause
// PLY as text and as binary of both byte orders: files of another program, every kind of number, messages.
// labels: unit
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "tests/engine/mesh/data.hpp"

#include <QTest>
#include <cstring>

using namespace conoid;

namespace {

std::string ply(const std::string& declarations, const std::string& records, const std::string& format = "ascii") {
  return "ply\nformat " + format + " 1.0\ncomment by a test\n" + declarations + "end_header\n" + records;
}
const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
const std::string face = "property list uchar int vertex_indices\n";
const std::string square_points = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

template <class T>
void put_value(std::string& out, T value, bool big) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  if (big) std::reverse(raw.begin(), raw.end());
  out.append(raw.data(), raw.size());
}

std::string message(const std::string& bytes) {
  const auto m = read_mesh_bytes(bytes, "t.ply");
  return m ? std::string("no error") : m.error().render();
}

}  // namespace

class TestPlyReader : public QObject {
  Q_OBJECT
 private slots:
  void text_and_both_byte_orders_give_the_same_mesh() {
    const Mesh text = *read_mesh(data + "surface_ascii.ply");
    QCOMPARE(text.cell_count(), Index{24});
    QVERIFY(text.groups().empty());
    for (const char* name : {"surface_little.ply", "surface_big.ply"}) {
      const auto m = read_mesh(data + name);
      QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
      QCOMPARE(m->points(), text.points());
      QCOMPARE(m->connectivity(), text.connectivity());
    }
    // The same triangles as in the MSH file it was made from.
    const Mesh whole = *read_mesh(data + "tet_order1_22ascii.msh");
    QVERIFY(std::abs(total_area(text) - total_area(whole.extract(2))) < 1e-12);
  }
  void triangles_quads_fans_and_edges() {
    const auto m = read_mesh_bytes(ply("element vertex 5\n" + xyz + "element face 3\n" + face +
                                           "element edge 1\nproperty int vertex1\nproperty int vertex2\n",
                                       square_points + "0.5 1.5 0\n3 0 1 2\n4 0 1 2 3\n5 0 1 2 4 3\n0 4\n"),
                                   "t", {.scale = 0.5});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->cell_count(), Index{1 + 1 + 3 + 1});
    QCOMPARE(m->shape(1), CellShape::quad4);
    QCOMPARE(m->shape(5), CellShape::line2);
    QVERIFY(std::abs(total_area(*m) - 0.25 * (0.5 + 1 + 1.25)) < 1e-14);
  }
  void every_type_of_number_in_both_byte_orders() {
    for (const bool big : {false, true}) {
      std::string records;
      const std::array<std::array<int, 3>, 3> p{{{0, 0, 0}, {100, 0, 0}, {0, 100, 1}}};
      for (const auto& q : p) {
        put_value<std::int8_t>(records, static_cast<std::int8_t>(q[0]), big);
        put_value<std::uint16_t>(records, 7, big);
        put_value<double>(records, q[1], big);
        put_value<std::int16_t>(records, static_cast<std::int16_t>(q[2]), big);
        put_value<std::uint8_t>(records, 2, big);  // a list to skip
        put_value<float>(records, 1, big);
        put_value<float>(records, 2, big);
      }
      put_value<std::uint32_t>(records, 3, big);
      for (const std::uint16_t n : {0, 1, 2}) put_value(records, n, big);
      const auto m = read_mesh_bytes(
          ply("element vertex 3\nproperty int8 x\nproperty uint16 u\nproperty float64 y\nproperty short z\n"
              "property list uint8 float32 extra\nelement face 1\nproperty list uint ushort vertex_index\n",
              records, big ? "binary_big_endian" : "binary_little_endian"),
          "t.ply");
      QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
      QCOMPARE(m->point(1), (Vec3{100, 0, 0}));
      QCOMPARE(m->point(2), (Vec3{0, 100, 1}));
    }
  }
  void unknown_elements_are_skipped() {
    const auto m =
        read_mesh_bytes(ply("element camera 1\nproperty float f\nproperty list int int l\nelement vertex 4\n" + xyz +
                                "element face 1\n" + face + "element material 1\nproperty int a\n",
                            "3.5 2 8 9\n" + square_points + "4 0 1 2 3\n11\n"),
                        "t.ply");
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QCOMPARE(m->cell_count(), Index{1});
  }
  void header_messages_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, const std::string& content, int line, const char* part) {
      QTest::newRow(name) << QByteArray::fromStdString(content) << line << QByteArray(part);
    };
    row("format", "ply\nformat binary 1.0\nend_header\n", 2, "expected 'format ascii 1.0'");
    row("no format", "ply\nelement vertex 1\nend_header\n", 3, "before 'end_header'");
    row("cut", "ply\nformat ascii 1.0\nelement vertex 3\n", 4, "expected 'end_header', found the end of the file");
    row("type", ply("element vertex 3\nproperty real x\n", ""), 5, "such as float, double, int or uchar, found 'real'");
    row("no vertex", ply("element face 1\n" + face, "3 0 1 2\n"), 7, "expected 'element vertex'");
    row("no z", ply("element vertex 3\nproperty float x\nproperty float y\n", ""), 4, "properties x, y and z");
    row("order", ply("property float x\n", ""), 4, "expected 'element' before");
    row("keyword", "ply\nformat ascii 1.0\nelemnt vertex 3\n", 3, "found 'elemnt'");
    row("twice", ply("element vertex 1\n" + xyz + "element vertex 1\n", ""), 8, "each element once");
    row("float index",
        ply("element vertex 1\n" + xyz + "element face 1\nproperty list uchar float vertex_indices\n", ""), 9,
        "an integer type for 'vertex_indices'");
    row("float length", ply("element face 1\nproperty list float int vertex_indices\n", ""), 5,
        "integer type for the length");
    row("no corners", ply("element vertex 4\n" + xyz + "element face 1\nproperty uchar red\n", square_points + "255\n"),
        8, "expected the property 'list … vertex_indices'");
    row("nothing in it", ply("element vertex 4\n" + xyz + "element thing 9\n", square_points), 8,
        "at least one property of 'thing'");
  }
  void header_messages() {
    QFETCH(QByteArray, content);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto m = read_mesh_bytes(content.toStdString(), "t.ply");
    QVERIFY(!m.ok());
    QVERIFY2(m.error().text.find(part.toStdString()) != std::string::npos, m.error().render().c_str());
    QVERIFY2(m.error().place.line == line, m.error().render().c_str());
  }
  void record_messages() {
    const std::string declared = "element vertex 4\n" + xyz + "element face 1\n" + face;
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    std::string m = message(ply(declared, square_points + "4 0 1 2 4\n"));
    QVERIFY2(has(m, "t.ply:15: expected a vertex from 0 to 3, found 4"), m.c_str());
    m = message(ply(declared, square_points + "2 0 1\n"));
    QVERIFY2(has(m, "face 0: expected at least 3 vertices, found 2"), m.c_str());
    m = message(ply(declared, square_points + "-3 0 1 2\n"));
    QVERIFY2(has(m, "expected the length of a list, found -3"), m.c_str());
    m = message(ply(declared, "0 0 0\n1 0 nan\n1 1 0\n0 1 0\n3 0 1 2\n"));
    QVERIFY2(has(m, "t.ply:12: expected a coordinate, found 'nan'"), m.c_str());
    m = message(ply("element vertex 99999999999\n" + xyz + "element face 1\n" + face, square_points));
    QVERIFY2(has(m, "expected 99999999999 x records"), m.c_str());
    m = message(ply("element vertex 4\n" + xyz, square_points));
    QVERIFY2(has(m, "at least one face, found none") && has(m, "cloud of points"), m.c_str());
    m = message(ply("element vertex 4\n" + xyz + "element tristrips 1\nproperty list int int vertex_indices\n",
                    square_points + "3 0 1 2\n"));
    QVERIFY2(has(m, "triangle strips"), m.c_str());
    std::string binary;
    for (int i = 0; i < 11; ++i) put_value<float>(binary, 0, false);
    m = message(ply("element vertex 4\n" + xyz, binary, "binary_little_endian"));
    QVERIFY2(has(m, "expected 4 x records, which take at least 12 bytes each; found 44 bytes"), m.c_str());
    put_value(binary, std::numeric_limits<float>::infinity(), false);
    m = message(ply("element vertex 4\n" + xyz, binary, "binary_little_endian"));
    QVERIFY2(has(m, "expected a finite coordinate, found inf"), m.c_str());
  }
  void a_long_list_takes_no_memory_that_it_may_not() {
    const std::string bytes =
        ply("element vertex 4\n" + xyz + "element face 1\nproperty list uint int vertex_indices\n",
            std::string(48, '\0') + std::string("\xff\xff\xff\xff", 4), "binary_little_endian");
    const std::string m = message(bytes);
    QVERIFY2(m.find("expected 4294967295 x entries of a list") != std::string::npos, m.c_str());
    const auto limited = read_mesh(data + "surface_ascii.ply", {.memory_limit = 3500});
    QVERIFY(!limited.ok() && limited.error().code == ErrorCode::resources);
  }
};

QTEST_APPLESS_MAIN(TestPlyReader)
#include "test_ply_reader.moc"
