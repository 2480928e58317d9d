// SPDX-License-Identifier: BSD-3-Clause
// Planes of symmetry: part meshes are completed, equations that fall apart give what all of them give at once, whatever the loads; what
// is no mirror image is refused by name.
// labels: unit timeout300
#include <QTest>

#include "engine/mesh/generators.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "tests/engine/solvers/elastic_bem/case_run.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;
using namespace conoid::elastic_bem::test;

namespace {

/// A foundation whose machine shakes it in every direction, and a wave that comes from aside.
Json foundation_case(const char* elements) {
  Json json = Json::parse(R"j({
    "solver": "elastic-bem",
    "ground": {"kind": "rectangle", "low": [-3, -3], "high": [3, 3], "element": 0.75, "growth": 1.2,
               "patches": [{"name": "base", "low": [-1, -1], "high": [1, 1]}]},
    "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
    "foundations": [{"group": "base", "mass": 2, "inertia": [1, 1, 1]}],
    "excitation": {"loads": [{"kind": "machine", "foundation": "base", "force": [1, 0.3, 1]},
                             {"kind": "wave", "wave": "rayleigh", "direction": [1, 0.4, 0]}]},
    "parameters": {"tolerance": 1e-12, "frequencies": {"values": [0.08]}},
    "output": {"receivers": [{"position": [2.1, 0.2, 0]}, {"position": [1, 0.3, -2]}]}})j");
  json["parameters"]["elements"] = elements;
  return json;
}

QString said_of(const Mesh& mesh, const char* planes, const char* domain) {
  Json json = Json::parse(
      R"({"solver": "elastic-bem", "mesh": {"file": "m.msh"}, "medium": {"shear_modulus": 1, "density": 1},
      "parameters": {"frequencies": {"values": [0.01]}}, "excitation": {"loads": [{"kind": "wave"}]}})");
  json["parameters"]["symmetry"] = planes;
  json["parameters"]["domain"] = domain;
  const Case input = resolved(json).value();
  QString all;
  for (const Diagnostic& d : ElasticBem().check(input, &mesh, make_offer(input).value()))
    all += QString::fromStdString(d.render()) + "\n";
  return all;
}

}  // namespace

class TestSymmetry : public QObject {
  Q_OBJECT
 private slots:
  void parities_give_what_all_equations_give_data() {
    QTest::addColumn<int>("body");
    QTest::addColumn<int>("order");
    QTest::addColumn<int>("parts");
    const auto row = [](const char* name, SymmetricBody body, int order, int parts) {
      QTest::newRow(name) << static_cast<int>(body) << order << parts;
    };
    row("eighth of a cavity, constant", SymmetricBody::cavity, 0, 8);
    row("eighth of a cavity, linear", SymmetricBody::cavity, 1, 8);
    row("quarter of a box, quads", SymmetricBody::box, 1, 4);
    row("quarter of a box, triangles", SymmetricBody::triangles, 1, 4);
    row("quarter of ground", SymmetricBody::ground, 0, 4);
  }
  void parities_give_what_all_equations_give() {
    QFETCH(int, body);
    QFETCH(int, order);
    QFETCH(int, parts);
    Team team({{"cpu", 2, 1}});
    const Parted found = parted_answer(static_cast<SymmetricBody>(body), order, 1, team);
    QVERIFY2(found.error < 1e-10, qPrintable(QString::number(found.error)));
    // Nodes in the planes belong to fewer than all images.
    QVERIFY2(
        found.largest >= found.unknowns / parts && found.largest < 1.6 * static_cast<double>(found.unknowns) / parts,
        qPrintable(QString("%1 of %2").arg(found.largest).arg(found.unknowns)));
  }

  void every_unknown_belongs_to_as_many_parities_as_its_orbit_has_nodes() {
    Mesh mesh = symmetric_part(SymmetricBody::box, 2);
    for (const int axis : {0, 1}) mesh = completed_by_mirror(mesh, axis).value();
    SurfaceOptions options;
    options.domain = Domain::inside;
    const Surface s = make_surface(mesh, options).value();
    const std::vector<char> kind(static_cast<std::size_t>(3 * s.node_count()), 0);
    const std::vector<int> axes{0, 1};
    Index sum = 0;
    const std::vector<Parity> parities = parities_of(s, mirrors_of(s, axes).value(), kind).value();
    QCOMPARE(parities.size(), std::size_t{4});
    for (const Parity& p : parities) sum += p.size();
    QCOMPARE(sum, 3 * s.node_count());
  }

  void completed_meshes_are_closed_and_keep_their_groups() {
    const Mesh part = symmetric_part(SymmetricBody::box, 2);
    Mesh mesh = part;
    for (const int axis : {0, 1}) mesh = completed_by_mirror(mesh, axis).value();
    QVERIFY2(check_surface(mesh).is_body(), explain(check_surface(mesh), mesh).c_str());
    QCOMPARE(mesh.cell_count(), 4 * part.cell_count());
    QCOMPARE(mesh.group("zmin")->cells.size(), 4 * part.group("zmin")->cells.size());
    QCOMPARE(mesh.group("xmax")->cells.size(), 4 * part.group("xmax")->cells.size());
    // Whole already.
    QCOMPARE(completed_by_mirror(mesh, 0).value().cell_count(), mesh.cell_count());
  }

  void a_case_gives_the_same_tables_data() {
    QTest::addColumn<QString>("elements");
    for (const char* elements : {"constant", "continuous", "discontinuous"}) QTest::newRow(elements) << elements;
  }
  void a_case_gives_the_same_tables() {
    QFETCH(QString, elements);
    Json json = foundation_case(elements.toUtf8().constData());
    Run whole(json);
    whole.go();
    json["parameters"]["symmetry"] = "xy";
    Run parted(json);
    parted.go();
    for (const char* table : {"impedance", "motion_complex", "receivers_complex"}) {
      const double apart = farthest(parted.rows(table), whole.rows(table));
      QVERIFY2(apart < 1e-10, qPrintable(QString("%1: %2").arg(table).arg(apart)));
    }
  }

  /// Rows of one of all mirror images are compressed, the others' products come from reflected vectors: the dense answer within the tolerance, at
  /// a share of the memory for the far and near blocks. Loads have no symmetry; the ground goes on beyond the mesh.
  void compressed_equations_take_a_share_of_the_rows_data() {
    QTest::addColumn<QString>("planes");
    QTest::addColumn<QString>("elements");
    for (const char* planes : {"x", "xy"})
      for (const char* elements : {"constant", "continuous"})
        QTest::addRow("%s, %s", planes, elements) << planes << elements;
  }
  void compressed_equations_take_a_share_of_the_rows() {
    QFETCH(QString, planes);
    QFETCH(QString, elements);
    constexpr double tolerance = 1e-5;
    Json json = foundation_case(elements.toUtf8().constData());
    json["ground"]["element"] = 0.5;
    Run whole(json);
    whole.go();
    json["parameters"]["solution"] = "compressed";
    json["parameters"]["compression"] = tolerance;
    Run all_rows(json);
    all_rows.go();
    json["parameters"]["symmetry"] = planes.toUtf8().constData();
    const Case input = resolved(json).value();
    for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
      QVERIFY2(!QString::fromStdString(d.render()).contains("symmetry"), d.render().c_str());
    Run some_rows(json);
    some_rows.go();
    for (const char* table : {"impedance", "motion_complex", "receivers_complex"}) {
      const double apart = farthest(some_rows.rows(table), whole.rows(table));
      QVERIFY2(apart < tolerance, qPrintable(QString("%1: %2").arg(table).arg(apart)));
    }
    const std::vector<double> before = all_rows.rows("compression").front(),
                              after = some_rows.rows("compression").front();
    QVERIFY2(after[1] < tolerance, qPrintable(QString::number(after[1])));
    QVERIFY2(after[3] < 0.9 * before[3], qPrintable(QString("%1 of %2").arg(after[3]).arg(before[3])));
    QVERIFY2(after[4] <= before[4] + 3, qPrintable(QString("%1 steps of %2").arg(after[4]).arg(before[4])));
    if (elements == "constant") return;
    json["compute"]["deterministic"] = true;
    Run one(json, {{"cpu", 1, 1}}), two(json, {{"cpu", 1, 1}, {"cpu", 1, 1}});
    one.go();
    two.go();
    QVERIFY(one.rows("receivers_complex") == two.rows("receivers_complex"));
  }

  void what_is_no_mirror_image_is_refused() {
    Json json = foundation_case("constant");
    json["parameters"]["symmetry"] = "x";
    json["ground"]["patches"][0]["high"] = {0.5, 1};
    const auto input = resolved(json).value();
    QString all;
    for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
      all += QString::fromStdString(d.render()) + "\n";
    QVERIFY2(all.contains("plane of symmetry x = 0: the surface has a node at"), qPrintable(all));
  }

  void bad_halves_are_refused_by_name() {
    BoxSurfaceOptions o;
    o.high = {1, 1, 1};
    o.divisions = {3, 3, 3};
    o.quads = true;
    const Mesh closed = box_surface(o).value();
    QVERIFY2(said_of(closed, "x", "inside").contains("lies in it, and would be inside of the whole"),
             qPrintable(said_of(closed, "x", "inside")));
    std::vector<Index> open;
    for (Index c = 0; c < closed.cell_count(); ++c)
      if (!std::ranges::binary_search(closed.group("xmin")->cells, c)) open.push_back(c);
    const Mesh half = closed.extract(open);
    Mesh away = half, beside = half;
    for (std::size_t k = 0; k < away.mutable_points().size(); k += 3) away.mutable_points()[k] += 0.5;
    QVERIFY2(
        said_of(away, "x", "outside").contains("no edge of the open mesh lies in it; the nearest point is 0.5 m away"),
        qPrintable(said_of(away, "x", "outside")));
    for (std::size_t k = 0; k < beside.mutable_points().size(); k += 3)
      if (beside.mutable_points()[k] < 0.1) {
        beside.mutable_points()[k] = 0.004;
        break;
      }
    QVERIFY2(said_of(beside, "x", "outside").contains("m beside it"), qPrintable(said_of(beside, "x", "outside")));
    // Gone along with the plane: the half of a cavity.
    QVERIFY2(said_of(half, "x", "outside").isEmpty(), qPrintable(said_of(half, "x", "outside")));
  }
};

QTEST_APPLESS_MAIN(TestSymmetry)
#include "test_symmetry.moc"
