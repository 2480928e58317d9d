// SPDX-License-Identifier: BSD-3-Clause
// The summary of a mesh in numbers, lines and JSON, and the check that boundary element methods make.
// labels: unit
#include "engine/mesh/describe.hpp"
#include "engine/mesh/generators.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace conoid;

namespace {

std::string all_lines(const Mesh& m) {
  std::string out;
  for (const auto& line : describe(m)) out += line + "\n";
  return out;
}

}  // namespace

class TestMeshDescription : public QObject {
  Q_OBJECT
 private slots:
  void json_is_valid_and_holds_the_numbers() {
    Mesh m = *box({.high = {1, 2, 3}, .divisions = {2, 3, 4}});
    m.add_group("odd \"name\"\n\\", 3);
    QJsonParseError error;
    const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(to_json(summarize(m))), &error).object();
    QCOMPARE(error.error, QJsonParseError::NoError);
    QCOMPARE(json["points"].toInt(), 60);
    QCOMPARE(json["cells_by_shape"].toObject()["hex8"].toInt(), 24);
    QCOMPARE(json["cells_by_shape"].toObject()["quad4"].toInt(), 2 * (6 + 12 + 8));
    QCOMPARE(json["high"].toArray()[2].toDouble(), 3.0);
    QCOMPARE(json["groups"].toArray().size(), 8);
    QCOMPARE(json["groups"].toArray()[7].toObject()["name"].toString(), QString("odd \"name\"\n\\"));
    QVERIFY(std::abs(json["groups"].toArray()[0].toObject()["measure"].toDouble() - 6) < 1e-12);
    QCOMPARE(json["surface"].toObject()["closed"].toBool(), true);
    QVERIFY(std::abs(json["surface"].toObject()["volume"].toDouble() - 6) < 1e-12);
    QCOMPARE(json["quality"].toObject()["histogram"].toArray()[19].toInt(), 24);
  }
  void lines_say_what_a_person_asks() {
    const std::string text = all_lines(*icosphere({.divisions = 3}));
    for (const char* part :
         {"92 points, 180 cells: 180 triangle3", "bounding box", "group 'surface': surface, 180 cells, area",
          "scaled Jacobian", "surface: closed, 1 component", "normals point outwards"})
      QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    QVERIFY(all_lines(*box({})).find("boundary: closed") != std::string::npos);
    QVERIFY(all_lines(*plate({})).find("surface: open: 40 edges") != std::string::npos);
    QVERIFY(!describe(Mesh()).empty());
    QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(to_json(summarize(Mesh())))).isObject());
  }
};

QTEST_APPLESS_MAIN(TestMeshDescription)
#include "test_mesh_description.moc"
