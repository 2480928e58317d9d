// SPDX-License-Identifier: BSD-3-Clause
// Bodies by their sizes have the areas and volumes that formulas give them, stand where they are put, and name their sides.
// labels: unit
#include <cmath>
#include <numbers>

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>

#include "engine/core/json.hpp"
#include "engine/mesh/bodies.hpp"
#include "engine/mesh/describe.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/mesh/surface.hpp"

using namespace conoid;

class TestBodies : public QObject {
  Q_OBJECT
  static constexpr double pi = std::numbers::pi;

  static Result<Mesh> made(std::string_view words, double size = 0) {
    const auto body = body_from_words(words);
    if (!body) return body.error();
    const auto script = bodies_script({*body}, size);
    if (!script) return script.error();
    const auto file = keep_script(script->text);
    if (!file) return file.error();
    MeshRequest request;
    request.file = *file;
    request.unit = script->unit;
    request.size = size;
    request.gmsh.script = ScriptUse::own;
    request.gmsh.dimension = 2;
    auto mesh = prepare_mesh(request);
    if (!mesh) return mesh.error();
    return std::move(mesh->mesh);
  }

 private slots:
  void areas_and_volumes_are_those_of_formulas_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<double>("area");
    QTest::addColumn<double>("volume");
    QTest::newRow("sphere") << "sphere radius=1m" << 4 * pi << 4 * pi / 3;
    QTest::newRow("ellipsoid") << "ellipsoid a=2m b=2m c=2m" << 16 * pi << 32 * pi / 3;
    QTest::newRow("box") << "box length=1m width=2m height=3m position=5,5,5" << 22.0 << 6.0;
    QTest::newRow("cylinder") << "cylinder radius=50cm height=2m rotate=0,90deg,0" << 2.5 * pi << 0.5 * pi;
    QTest::newRow("cone") << "cone radius=1m height=2m" << pi * (1 + std::sqrt(5.0)) << 2 * pi / 3;
    QTest::newRow("plate") << "plate length=1m width=2m" << 2.0 << 0.0;
    QTest::newRow("disc") << "disc radius=1m" << pi << 0.0;
    QTest::newRow("barrier") << "barrier length=6m height=2m thickness=0.5m" << 6 * 2 * 2 + 2 * 2 * 0.5 + 3.0 << 0.0;
    QTest::newRow("barrier with a foot") << "barrier length=6m height=2m thickness=0.5m foot=1" << 32.0 << 6.0;
    QTest::newRow("shell") << "shell radius=1m opening=60deg" << 3 * pi << 0.0;
  }
  void areas_and_volumes_are_those_of_formulas() {
    QFETCH(QString, words);
    QFETCH(double, area);
    QFETCH(double, volume);
    if (!find_gmsh()) QSKIP("no gmsh here");
    const auto mesh = made(words.toStdString());
    QVERIFY2(mesh, mesh ? "" : mesh.error().text.c_str());
    // Flat facets of 20 around a circle: 1 - sin(x)/x with x = 2 pi/20 is 1.6 %, twice that of what is curved in two directions.
    QVERIFY2(std::abs(total_area(*mesh) - area) < 0.03 * area, qPrintable(QString::number(total_area(*mesh))));
    const bool closed = summarize(*mesh).surface.is_body();
    QCOMPARE(closed, volume > 0);
    if (closed) QVERIFY(std::abs(enclosed_volume(*mesh) - volume) < 0.04 * volume);
  }
  void elements_have_the_size_that_is_asked_for() {
    if (!find_gmsh()) QSKIP("no gmsh here");
    const auto coarse = made("box length=1m width=1m height=1m", 0.5),
               fine = made("box length=1m width=1m height=1m", 0.1);
    QVERIFY(coarse && fine);
    const auto edges = [](const Mesh& mesh) {
      return std::sqrt(total_area(mesh) / static_cast<double>(mesh.cell_count()));
    };
    // An equilateral triangle of edge a has the area 0.43 a²: within a third, as meshers do.
    QVERIFY(std::abs(edges(*fine) / std::sqrt(0.433) - 0.1) < 0.033);
    QVERIFY(edges(*coarse) > 3 * edges(*fine));
  }
  void elements_of_a_given_size_follow_what_is_round() {
    if (!find_gmsh()) QSKIP("no gmsh here");
    const auto rod = made("cylinder radius=5cm height=2m", 0.3);
    QVERIFY2(rod, rod ? "" : rod.error().text.c_str());
    const double volume = pi * 0.05 * 0.05 * 2;
    QVERIFY2(std::abs(enclosed_volume(*rod) / volume - 1) < 0.032,
             qPrintable(QString::number(enclosed_volume(*rod) / volume)));
  }
  void bodies_of_any_size_are_made_alike_data() {
    QTest::addColumn<QString>("words");
    for (const char* words :
         {"box length=12L width=8L height=5L position=30L,0,4L rotate=0,20deg,0", "cylinder radius=2L height=9L",
          "ellipsoid a=2L b=3L c=4L", "disc radius=5L", "shell radius=5L opening=60deg", "cone radius=3L height=7L"})
      QTest::newRow(words) << words;
  }
  void bodies_of_any_size_are_made_alike() {
    QFETCH(QString, words);
    if (!find_gmsh()) QSKIP("no gmsh here");
    const auto of = [&](const char* unit, double metres) {
      auto mesh = made(QString(words).replace("L", unit).toStdString(), 2 * metres);
      return mesh;
    };
    const auto metres = of("m", 1);
    QVERIFY2(metres, metres ? "" : metres.error().text.c_str());
    const auto whole = summarize(*metres);
    for (const auto& [unit, length] : {std::pair("km", 1e3), {"cm", 1e-2}, {"um", 1e-6}, {"e-9m", 1e-9}}) {
      const auto other = of(unit, length);
      QVERIFY2(other, other ? unit : other.error().text.c_str());
      // Not to the last cell: the mesher's own tolerances are lengths.
      QVERIFY(std::abs(1 - static_cast<double>(other->cell_count()) / static_cast<double>(metres->cell_count())) < 0.1);
      QVERIFY(std::abs(total_area(*other) / (length * length) / total_area(*metres) - 1) < 5e-3);
      const auto box = summarize(*other);
      for (std::size_t a = 0; a < 3; ++a) QVERIFY(std::abs(box.high[a] / length - whole.high[a]) < 0.02);
      QCOMPARE(box.surface.is_body(), whole.surface.is_body());
    }
  }
  void several_bodies_stand_where_they_are_put_and_have_names() {
    if (!find_gmsh()) QSKIP("no gmsh here");
    const Json list = read_json(R"([{"kind": "sphere", "radius": "1 m"},
      {"kind": "box", "name": "crate", "length": 1, "width": 1, "height": 1, "position": ["3 m", 0, 0], "rotate": [0, 0, "45 deg"]}])");
    const auto bodies = bodies_from(list);
    QVERIFY(bodies);
    const auto script = bodies_script(*bodies);
    QVERIFY(script);
    MeshRequest request;
    request.file = *keep_script(script->text);
    request.unit = script->unit;
    request.gmsh.script = ScriptUse::own;
    request.gmsh.dimension = 2;
    const auto mesh = prepare_mesh(request);
    QVERIFY(mesh);
    QVERIFY(std::abs(summarize(mesh->mesh).high[0] - (3 + std::sqrt(0.5))) < 1e-6);
    QCOMPARE(mesh->mesh.groups().size(), std::size_t{7});
    QVERIFY(std::any_of(mesh->mesh.groups().begin(), mesh->mesh.groups().end(),
                        [](const MeshGroup& g) { return g.name == "crate zmax"; }));
  }
  void what_makes_no_body_is_said() {
    for (const char* words : {"sfere radius=1", "sphere", "sphere radius=-1", "sphere radius=0", "sphere diameter=1m",
                              "sphere radius=1s", "shell radius=1 opening=180deg", "box length=1 width=1"}) {
      const auto body = body_from_words(words);
      const auto script = body ? bodies_script({*body}) : Result<BodiesScript>(body.error());
      QVERIFY2(!script, words);
      QVERIFY(!script.error().hint.empty());
    }
    QVERIFY(!bodies_script({}));
  }
};

QTEST_GUILESS_MAIN(TestBodies)
#include "test_bodies.moc"
