// SPDX-License-Identifier: BSD-3-Clause
// Meshes that Gmsh wrote, in both versions and both encodings: geometry, node order, groups, messages.
// labels: unit
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/mesh/surface.hpp"
#include "tests/engine/mesh/data.hpp"
#include "tests/engine/mesh/node_offset.hpp"

#include <QTest>
#include <cstring>
#include <fstream>
#include <set>

using namespace conoid;

namespace {

const std::vector<std::string> kinds{"22ascii", "22binary", "41ascii", "41binary"};

std::vector<double> sorted_points(const Mesh& m) {
  std::vector<Vec3> p;
  for (Index i = 0; i < m.point_count(); ++i) p.push_back(m.point(i));
  std::sort(p.begin(), p.end());
  std::vector<double> out;
  for (const auto& q : p) out.insert(out.end(), q.begin(), q.end());
  return out;
}

template <class T>
void put(std::string& out, T value, bool swapped) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  if (swapped) std::reverse(raw.begin(), raw.end());
  out.append(raw.data(), raw.size());
}

/// Two triangles of the unit square in binary, in either byte order.
std::string binary_square(bool version4, bool swapped) {
  const std::array<std::array<double, 3>, 4> p{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  const std::array<std::array<int, 3>, 2> t{{{10, 20, 30}, {10, 30, 40}}};
  std::string s = version4 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n2.2 1 8\n";
  put<std::int32_t>(s, 1, swapped);
  s += "\n$EndMeshFormat\n";
  if (version4) {
    s += "$Entities\n";
    for (const std::uint64_t n : {0, 0, 1, 0}) put(s, n, swapped);
    put<std::int32_t>(s, 7, swapped);
    for (const double x : {0., 0., 0., 1., 1., 0.}) put(s, x, swapped);
    put<std::uint64_t>(s, 1, swapped);
    put<std::int32_t>(s, 5, swapped);
    put<std::uint64_t>(s, 0, swapped);
    s += "\n$EndEntities\n$Nodes\n";
    for (const std::uint64_t n : {1, 4, 10, 40}) put(s, n, swapped);
    for (const std::int32_t n : {2, 7, 0}) put(s, n, swapped);
    for (const std::uint64_t n : {4, 10, 20, 30, 40}) put(s, n, swapped);
    for (const auto& q : p)
      for (const double x : q) put(s, x, swapped);
    s += "\n$EndNodes\n$Elements\n";
    for (const std::uint64_t n : {1, 2, 1, 2}) put(s, n, swapped);
    for (const std::int32_t n : {2, 7, 2}) put(s, n, swapped);
    put<std::uint64_t>(s, 2, swapped);
    for (std::uint64_t e = 0; e < 2; ++e) {
      put(s, e + 1, swapped);
      for (const int n : t[e]) put<std::uint64_t>(s, static_cast<std::uint64_t>(n), swapped);
    }
  } else {
    s += "$Nodes\n4\n";
    for (std::size_t i = 0; i < 4; ++i) {
      put<std::int32_t>(s, 10 * (static_cast<int>(i) + 1), swapped);
      for (const double x : p[i]) put(s, x, swapped);
    }
    s += "\n$EndNodes\n$Elements\n2\n";
    for (const std::int32_t n : {2, 2, 2}) put(s, n, swapped);
    for (std::size_t e = 0; e < 2; ++e) {
      for (const std::int32_t n : {static_cast<std::int32_t>(e) + 1, 5, 7}) put(s, n, swapped);
      for (const std::int32_t n : t[e]) put(s, n, swapped);
    }
  }
  return s + "\n$EndElements\n";
}

const std::string head41 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string head22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";

}  // namespace

class TestMshReader : public QObject {
  Q_OBJECT
 private slots:
  void every_order_and_encoding_has_the_right_nodes() {
    for (const auto& shape : {"tet_order1", "tet_order2", "hex_order1", "hex_order2", "hex_serendipity"}) {
      std::vector<double> first;
      double volume = 0;
      for (const auto& kind : kinds) {
        const auto read = read_mesh(data + shape + "_" + kind + ".msh");
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        const Mesh& m = *read;
        QCOMPARE(m.dimension(), 3);
        const std::string s = shape;
        const int order = s.ends_with("order1") ? 1 : 2;
        for (const CellShape c : m.shapes())
          if (dimension_of(c) > 0) QCOMPARE(order_of(c), order);
        const CellShape expected = s == "tet_order1"   ? CellShape::tet4
                                   : s == "tet_order2" ? CellShape::tet10
                                   : s == "hex_order1" ? CellShape::hex8
                                   : s == "hex_order2" ? CellShape::hex27
                                                       : CellShape::hex20;
        QCOMPARE(m.shapes().back(), expected);
        QVERIFY2(worst_node_offset(m) < 1e-9,
                 (s + kind).c_str());  // Gmsh projects to 1e-12; a wrong node is 0.1 off
        // Node order and orientation: a wrong place would fold the cell.
        for (const CellQuality& q : cell_quality(m, 3)) QVERIFY2(q.scaled_jacobian > 0.05, (s + kind).c_str());
        const double v = total_volume(m);
        if (volume == 0) volume = v;
        QVERIFY(std::abs(v / volume - 1) < 1e-11);
        // Other encodings of one mesh hold the same points (ASCII has 16 digits).
        const auto points = sorted_points(m);
        if (first.empty()) first = points;
        QCOMPARE(points.size(), first.size());
        for (std::size_t i = 0; i < points.size(); ++i) QVERIFY(std::abs(points[i] - first[i]) < 1e-14);
      }
    }
  }
  void groups_hold_the_cells_of_all_their_entities() {
    for (const auto& kind : kinds) {
      const Mesh m = *read_mesh(data + "hex_order1_" + kind + ".msh");
      QCOMPARE(m.groups().size(), std::size_t{6});
      QCOMPARE(m.group("left")->cells.size(), std::size_t{8});
      QCOMPARE(m.group("right")->cells.size(), std::size_t{8});
      QCOMPARE(m.group("floor")->cells.size(), std::size_t{8});
      QCOMPARE(m.group("floor")->dimension, 2);
      QCOMPARE(m.group("9")->cells.size(), std::size_t{4});
      QCOMPARE(m.group("9")->tag, 9);
      QCOMPARE(m.group("edge")->dimension, 1);
      QCOMPARE(m.group("edge")->cells.size(), std::size_t{2});
      // A cell in two groups is one cell.
      std::vector<Index> both = m.group("left")->cells;
      both.insert(both.end(), m.group("right")->cells.begin(), m.group("right")->cells.end());
      std::sort(both.begin(), both.end());
      QCOMPARE(m.group("all of it")->cells, both);
      QCOMPARE(m.extract(3).cell_count(), Index{16});
      for (const Index c : m.group("floor")->cells) QCOMPARE(m.shape(c), CellShape::quad4);
      // MSH 4.1 was saved with the cells of no group: 11 faces of 4 quads in all.
      QCOMPARE(m.extract(2).cell_count(), Index{kind.starts_with("41") ? 44 : 12});
    }
  }
  void negative_physical_tags_turn_cells_round() {
    for (const auto& kind : kinds) {
      const Mesh m = *read_mesh(data + "turned_" + kind + ".msh");
      for (const auto& n : surface_geometry(m, m.group("down")->cells).normals) QVERIFY(n[2] < -0.99);
      for (const auto& n : surface_geometry(m, m.group("up")->cells).normals) QVERIFY(n[2] > 0.99);
      QCOMPARE(m.point_count(), Index{8});
    }
  }
  void both_byte_orders_are_read() {
    for (const bool version4 : {false, true})
      for (const bool swapped : {false, true}) {
        const auto m = read_mesh_bytes(binary_square(version4, swapped), "square.msh");
        QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
        QVERIFY(std::abs(total_area(*m) - 1) < 1e-15);
        QCOMPARE(m->group("5")->cells.size(), std::size_t{2});
      }
  }
  void scale_and_unused_points() {
    const Mesh metres = *read_mesh(data + "turned_41ascii.msh");
    const Mesh millimetres = *read_mesh(data + "turned_41ascii.msh", {.scale = 1e-3});
    QVERIFY(std::abs(total_area(metres) - 2) < 1e-14);
    QVERIFY(std::abs(total_area(millimetres) - 2e-6) < 1e-20);
    QVERIFY(!read_mesh(data + "turned_41ascii.msh", {.scale = 0}));
    const std::string with_spare = head22 +
                                   "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 9 9 9\n4 0 1 0\n$EndNodes\n"
                                   "$Elements\n1\n1 2 0 1 2 4\n$EndElements\n";
    QCOMPARE(read_mesh_bytes(with_spare, "x.msh")->point_count(), Index{3});
    QCOMPARE(read_mesh_bytes(with_spare, "x.msh", {.keep_unused_points = true})->point_count(), Index{4});
  }
  void sparse_tags_need_no_huge_table() {
    const std::string s = head22 +
                          "$Nodes\n3\n1 0 0 0\n9000000000000000000 1 0 0\n77 0 1 0\n$EndNodes\n"
                          "$Elements\n1\n1 2 0 1 9000000000000000000 77\n$EndElements\n";
    const auto m = read_mesh_bytes(s, "x.msh", {.memory_limit = 100000});
    QVERIFY2(m.ok(), m ? "" : m.error().render().c_str());
    QVERIFY(std::abs(total_area(*m) - 0.5) < 1e-15);
  }
  void messages_name_line_expected_and_found_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, const std::string& content, int line, const char* part) {
      QTest::newRow(name) << QByteArray::fromStdString(content) << line << QByteArray(part);
    };
    const std::string nodes22 = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";
    row("version 4.0", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", 2, "expected MSH version 2.0 to 2.2 or 4.1, found 4");
    row("word for number", head22 + "$Nodes\n3\n1 0 zero 0\n2 1 0 0\n3 0 1 0\n", 6,
        "expected a coordinate, found 'zero'");
    row("not finite", head22 + "$Nodes\n3\n1 0 nan 0\n2 1 0 0\n3 0 1 0\n", 6, "found 'nan'");
    row("count too large", head22 + "$Nodes\n99999999999\n1 0 0 0\n", 5, "found 9 bytes to the end");
    row("count negative", head22 + "$Nodes\n-3\n1 0 0 0\n", 5, "found '-3'");
    row("count not a number", head22 + "$Nodes\n3x\n1 0 0 0\n2 1 0 0\n3 0 1 0\n", 5, "found '3x'");
    row("missing end", head22 + nodes22 + "$Elements\n1\n1 2 0 1 2 3\n", 13, "expected '$EndElements'");
    row("prism", head22 + nodes22 + "$Elements\n1\n1 90 0 1 2 3 1 2 3\n$EndElements\n", 12, "order 3 or above");
    row("order 3", head22 + nodes22 + "$Elements\n1\n1 21 0 1 2 3 1 2 3\n$EndElements\n", 12, "order 3");
    row("unknown type", head22 + nodes22 + "$Elements\n1\n1 999 0 1 2 3\n$EndElements\n", 12, "found 999");
    row("unknown node", head22 + nodes22 + "$Elements\n1\n1 2 0 1 2 4\n$EndElements\n", 0, "found node 4 in element 1");
    row("node twice", head22 + "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n$Elements\n1\n1 15 0 1\n$EndElements\n", 0,
        "node 1 twice");
    row("no elements", head22 + nodes22, 10, "$Elements");
    row("no nodes", head41 + "$Elements\n0 0 0 0\n$EndElements\n", 7, "$Nodes");
    row("empty mesh", head41 + "$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n", 10,
        "at least one element");
    row("block too large", head41 + "$Nodes\n1 2 1 2\n0 1 0 9\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n", 6, "at most 2 nodes");
    row("dimension",
        head41 +
            "$Nodes\n1 2 1 2\n0 1 0 2\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 1 1\n1 1 "
            "2\n$EndElements\n",
        14, "expected elements of dimension 2, found line with 2 nodes");
    row("name without quotes", head22 + "$PhysicalNames\n1\n2 1 floor\n", 6, "double quotes, found 'floor'");
    row("partitioned", head41 + "$PartitionedEntities\n", 5,
        "expected a number of partitions, found the end of the file");
    row("garbage section", head41 + "hello\n", 4, "found 'hello'");
    row("number size", "$MeshFormat\n4.1 1 4\n", 2, "8 bytes, found 4");
  }
  void messages_name_line_expected_and_found() {
    QFETCH(QByteArray, content);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto m = read_mesh_bytes(content.toStdString(), "some.msh");
    QVERIFY(!m.ok());
    QCOMPARE(m.error().code, ErrorCode::invalid_input);
    QCOMPARE(m.error().place.file, std::string("some.msh"));
    QVERIFY2(m.error().text.find(part.toStdString()) != std::string::npos, m.error().render().c_str());
    QVERIFY2(m.error().place.line == line, m.error().render().c_str());
    QVERIFY(!m.error().hint.empty());
  }
  void binary_messages_name_the_byte() {
    std::string s = binary_square(true, false);
    const auto at = s.find("$Nodes\n") + 7 + 8;
    s[at + 6] = 1;  // 2^48 + 4 nodes
    const auto m = read_mesh_bytes(s, "some.msh");
    QVERIFY(!m.ok());
    const std::string text = m.error().text;
    QVERIFY2(text.find("at byte " + std::to_string(at + 24)) == 0, text.c_str());
    QVERIFY2(text.find("281474976710660 x nodes") != std::string::npos, text.c_str());
  }
  void a_missing_group_lists_those_there_are() {
    const Mesh m = *read_mesh(data + "hex_order1_41ascii.msh");
    QVERIFY(require_group(m, "left").ok());
    QVERIFY(require_group(m, "left", 3).ok());
    const auto missing = require_group(m, "Left", -1, "blocks.msh");
    QVERIFY(!missing.ok());
    for (const char* part : {"blocks.msh", "'Left'", "'left' (volume, 8 cells)", "'floor' (surface, 8 cells)"})
      QVERIFY2(missing.error().render().find(part) != std::string::npos, missing.error().render().c_str());
    QVERIFY(require_group(m, "left", 2).error().text.find("is a volume, expected a surface") != std::string::npos);
  }
  void memory_limit_is_an_error_of_resources() {
    const auto m = read_mesh(data + "hex_order2_41binary.msh", {.memory_limit = 30000});
    QVERIFY(!m.ok());
    QCOMPARE(m.error().code, ErrorCode::resources);
    QVERIFY(!read_mesh(data + "hex_order2_41binary.msh", {.memory_limit = 100}).ok());
    QCOMPARE(read_mesh(data + "no such file.msh").error().code, ErrorCode::file);
    QCOMPARE(read_mesh(data).error().code, ErrorCode::file);
  }
};

QTEST_APPLESS_MAIN(TestMshReader)
#include "test_msh_reader.moc"
