// SPDX-License-Identifier: BSD-3-Clause
// Regions of different media: what a case says of them, fields on both sides of an interface, loads in any of them, and what is refused.
// labels: unit emulated timeout300
#include <QTest>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/device.hpp"
#include "tests/engine/solvers/elastic_bem/case_run.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;
using namespace conoid::elastic_bem::test;

namespace {

/// A sphere of radius 1 of the same medium as the one around it: nothing is scattered.
Json sphere_case() {
  return Json::parse(R"j({
    "solver": "elastic-bem", "mesh": {"file": "sphere.msh"},
    "medium": {"shear_modulus": 2, "poisson": 0.25, "density": 1, "damping": 0.02},
    "regions": [{"name": "core", "interfaces": ["surface"], "shear_modulus": 2, "poisson": 0.25, "density": 1,
                 "damping": 0.02}],
    "excitation": {"loads": [{"kind": "wave", "wave": "sv", "direction": [0.3, 0, 1]},
                             {"kind": "point", "position": [0.1, 0.2, 0], "force": [1, 0.5, 2]},
                             {"kind": "point", "position": [0, 3, 0], "force": [0, 0, 1]}]},
    "parameters": {"frequencies": {"values": [0.2]}},
    "output": {"stresses": true,
               "receivers": [{"position": [0, 0.1, 0.4]}, {"position": [1.6, 0.2, 0.5]}, {"position": [0, 0, 1]}]}})j");
}

std::shared_ptr<const Mesh> sphere(int divisions) {
  CubeSphereOptions o;
  o.divisions = divisions;
  o.order = 2;
  return std::make_shared<const Mesh>(cube_sphere(o).value());
}

/// Compared with itself, solved in another way: the ground need not be wide.
Json layers_case() {
  return Json::parse(R"j({
    "solver": "elastic-bem", "ground": {"kind": "disc", "radius": 1, "extent": 3, "around": 2, "rings": 2,
                                        "rock": 2, "layers": [0.9]},
    "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
    "regions": [{"name": "lower", "interfaces": ["layer 1"], "surfaces": ["rock"], "shear_modulus": 1,
                 "poisson": 0.25, "density": 1.1, "damping": 0.05}],
    "foundations": [{"group": "foundation"}],
    "parameters": {"frequencies": {"values": [0.03]}},
    "output": {"receivers": [{"position": [2.1, -0.2, 0]}, {"position": [0.5, -0.2, -0.9]},
                             {"position": [0.5, 0.2, -1.5]}]}})j");
}

QString said_of(const Json& json, const Mesh* mesh) {
  const Case input = resolved(json).value();
  QString all;
  for (const Diagnostic& d : ElasticBem().check(input, mesh, make_offer(input).value()))
    all += QString::fromStdString(d.render()) + "\n";
  return all;
}

Json trench_case(bool filled) {
  Json json = Json::parse(R"j({
    "solver": "elastic-bem",
    "ground": {"kind": "rectangle", "low": [-4, -3], "high": [4, 3], "element": 0.75, "growth": 1.3,
               "patches": [{"name": "base", "low": [-2, -0.5], "high": [-1, 0.5]}],
               "trenches": [{"low": [0.5, -1], "high": [1.25, 1], "depth": 1, "filled": true}]},
    "medium": {"shear_modulus": 1, "poisson": 0.3, "density": 1, "damping": 0.05},
    "regions": [{"name": "fill", "interfaces": ["filled trench"], "surfaces": ["filling"], "shear_modulus": 1,
                 "poisson": 0.3, "density": 1, "damping": 0.05}],
    "excitation": {"loads": [{"kind": "force", "group": "base", "value": [0, 0, 1]}]},
    "parameters": {"frequencies": {"values": [0.15]}},
    "output": {"receivers": [{"position": [0.9, 0.1, 0]}, {"position": [0.9, 0.1, -0.5]},
                             {"position": [2.4, 0.2, 0]}, {"position": [0.9, 0, -1.6]}]}})j");
  if (filled) return json;
  json.erase("regions");
  json["ground"].erase("trenches");
  return json;
}

}  // namespace

class TestRegions : public QObject {
  Q_OBJECT
 private slots:
  void a_sphere_of_the_same_medium_is_not_seen() {
    const Json json = sphere_case();
    Run run(json, {{"cpu", 2, 1}}, sphere(4));
    run.go();
    const Medium medium{2, 0.25, 1, 0.02};
    const Harmonic h(medium, 2 * 3.14159265358979323846 * 0.2);
    WaveSetting w;
    w.kind = WaveKind::sv;
    w.direction = {0.3, 0, 1};
    const IncidentField fields[] = {IncidentField::make(w, h).value(),
                                    IncidentField::point_force({0.1, 0.2, 0}, {1, 0.5, 2}, h),
                                    IncidentField::point_force({0, 3, 0}, {0, 0, 1}, h)};
    const Vec3 places[] = {{0, 0.1, 0.4}, {1.6, 0.2, 0.5}, {0, 0, 1}};
    const std::vector<double> u = run.rows("receivers_complex")[0], stress = run.rows("stresses")[0];
    std::size_t at = 1, stress_at = 1;
    for (const IncidentField& field : fields)
      for (const Vec3& x : places) {
        const auto want = field.displacement(x);
        double apart = 0, size = 0;
        for (std::size_t d = 0; d < 3; ++d, at += 2) {
          apart += std::norm(Complex(u[at], u[at + 1]) - want[d]);
          size += std::norm(want[d]);
        }
        QVERIFY2(std::sqrt(apart / size) < 2e-3, qPrintable(QString::number(std::sqrt(apart / size))));
        const auto t = field.traction(x, {1, 0, 0});
        const Complex got(stress[stress_at], stress[stress_at + 1]);
        const double all = std::abs(t[0]) + std::abs(t[1]) + std::abs(t[2]);
        // On the surface slopes of a field like 1/r, r from 0.8, by quadratic elements of length h = pi/8: h^2/24 of its third derivative,
        // 6/r^4.
        const double limit = vec::norm(x) == 1 ? 0.06 : 0.01;
        QVERIFY2(std::abs(got - t[0]) < limit * all, qPrintable(QString::number(std::abs(got - t[0]) / all)));
        stress_at += 12;
      }
  }

  void workers_and_precision_agree() {
    Json json = sphere_case();
    json["regions"][0]["shear_modulus"] = 6;
    json["regions"][0]["density"] = 2;
    EmulatedOptions options;
    options.devices = 2;
    configure_emulated(options);
    Run one(json, {{"cpu", 1, 1}}, sphere(2));
    one.go();
    for (const char* names : {"cpu:1,cpu:1", "emulated:0,cpu:1", "emulated:0,emulated:1,cpu:1"}) {
      Run several(json, parse_workers(names, 3).value(), sphere(2));
      several.go();
      const double apart = farthest(one.rows("receivers_complex"), several.rows("receivers_complex"));
      QVERIFY2(apart < 1e-8, qPrintable(QString("%1: %2").arg(names).arg(apart)));
    }
    configure_emulated({});
    json["compute"]["precision"] = "single";
    Run single(json, {{"cpu", 2, 1}}, sphere(2));
    single.go();
    QVERIFY(farthest(one.rows("receivers_complex"), single.rows("receivers_complex")) < 1e-3);
  }

  void a_trench_filled_with_the_same_soil_is_not_seen() {
    Json lost = trench_case(true);
    lost["output"]["insertion_loss"] = true;
    Run filled(lost), flat(trench_case(false));
    filled.go();
    flat.go();
    // Elements as long as the trench is wide.
    const double apart = farthest(filled.rows("receivers_complex"), flat.rows("receivers_complex"));
    QVERIFY2(apart < 0.04, qPrintable(QString::number(apart)));
    const std::vector<double> decibels = filled.rows("insertion_loss")[0];
    QCOMPARE(decibels.size(), std::size_t{5});
    for (std::size_t k = 1; k < decibels.size(); ++k)
      QVERIFY2(std::abs(decibels[k]) < 0.5, qPrintable(QString::number(decibels[k])));
    Json stiff = trench_case(true);
    stiff["regions"][0]["shear_modulus"] = 100;
    stiff["regions"][0]["density"] = 10;
    Run wall(stiff);
    wall.go();
    const double seen = farthest(wall.rows("receivers_complex"), flat.rows("receivers_complex"));
    QVERIFY2(seen > 0.1, qPrintable(QString::number(seen)));
  }

  void a_layer_lies_on_a_half_space() {
    Run run(Json::parse(R"j({
      "solver": "elastic-bem",
      "ground": {"kind": "disc", "radius": 1, "extent": 6, "around": 2, "rock": 2},
      "medium": {"shear_modulus": 1, "poisson": 0.3333333333333, "density": 1, "damping": 0.05},
      "regions": [{"name": "half-space", "interfaces": ["rock"], "shear_modulus": 4, "poisson": 0.3333333333333,
                   "density": 1, "damping": 0.05}],
      "foundations": [{"group": "foundation", "contact": "smooth"}],
      "parameters": {"frequencies": {"values": [0.0795774715459]}}})j"));
    run.go();
    const std::vector<double> k = run.rows("impedance")[0];
    const Complex got(k[1 + 2 * 14], k[2 + 2 * 14]), want(7.684163, 1.472478);
    QVERIFY2(std::abs(got - want) < 0.03 * std::abs(want), qPrintable(QString::number(std::abs(got - want) / 7.8)));
  }

  /// What ends without cause fades out, on both sides of an interface too; foundations do not.
  void planes_between_layers_fade_out_to_their_rim() {
    GroundDisc d;
    d.extent = 6;
    d.around = 2;
    d.rock = 2;
    const Mesh mesh = ground_disc(d).value();
    std::vector<int> condition(static_cast<std::size_t>(mesh.cell_count()), 0), interface = condition;
    std::vector<RegionSetting> settings(2);
    for (Index c = 0; c < mesh.cell_count(); ++c) {
      settings[0].cells.push_back(c);
      settings[0].options.domain = settings[1].options.domain = Domain::ground;
      settings[0].options.window = settings[1].options.window = 0.8;
    }
    for (const Index c : mesh.group("foundation")->cells) condition[static_cast<std::size_t>(c)] = 1;
    for (const Index c : mesh.group("rock")->cells) {
      condition[static_cast<std::size_t>(c)] = interface[static_cast<std::size_t>(c)] = 2;
      settings[1].cells.push_back(c);
    }
    const Regions regions = join_regions(mesh, std::move(settings), condition, interface).value();
    const Surface& s = *regions.whole;
    int outer = 0;
    for (std::size_t n = 0; n < s.nodes.size(); ++n) {
      const double r = std::hypot(s.nodes[n][0], s.nodes[n][1]);
      outer += r > 4.8 ? 1 : 0;
      const bool as_wanted = r > 4.8 ? s.window[n] < 0.2 : r > 1.2 || s.window[n] == 1;
      QVERIFY2(as_wanted, qPrintable(QString("%1: %2").arg(r).arg(s.window[n])));
      if (const Index other = regions.partner[n]; other >= 0)
        QCOMPARE(s.window[n], s.window[static_cast<std::size_t>(other)]);
    }
    QVERIFY2(outer >= 48, qPrintable(QString::number(outer)));
  }

  /// A layer of 2 m on rock is one of two layers of 1 m of the same soil.
  void layers_follow_one_another() {
    Json one = Json::parse(R"j({
      "solver": "elastic-bem",
      "ground": {"kind": "disc", "radius": 1, "extent": 4.5, "around": 2, "rock": 2},
      "medium": {"shear_modulus": 1, "poisson": 0.3333333333333, "density": 1, "damping": 0.05},
      "foundations": [{"group": "foundation", "contact": "smooth"}],
      "parameters": {"frequencies": {"values": [0.0477464829276]}}})j");
    Json two = one;
    two["ground"]["layers"] = Json::array({1.0});
    two["regions"] = Json::parse(R"([{"name": "lower", "interfaces": ["layer 1"], "surfaces": ["rock"],
                                      "shear_modulus": 1, "poisson": 0.3333333333333, "density": 1, "damping": 0.05}])");
    Run run(two);
    run.go();
    const std::vector<double> k = run.rows("impedance")[0];
    const Complex got(k[1 + 2 * 14], k[2 + 2 * 14]), want(9.663, 0.990);
    QVERIFY2(std::abs(got - want) < 0.03 * std::abs(want),
             qPrintable(QString("%1 %2").arg(got.real()).arg(got.imag())));
    // Beside the mesh the surface is at its upper rim.
    Json bad = two;
    bad["output"]["receivers"] = Json::parse(R"([{"position": [9, 0, 0]}])");
    QVERIFY(said_of(bad, nullptr).contains("lies on the surface beside the meshed ground"));
    bad["output"]["receivers"] = Json::parse(R"([{"position": [9, 0, 0.1]}])");
    QVERIFY(said_of(bad, nullptr).contains("above the ground"));
    bad["output"]["receivers"] = Json::parse(R"([{"position": [9, 0, -2.5]}])");
    QVERIFY(said_of(bad, nullptr).contains("where there is nothing to move"));
    bad["output"]["receivers"] = Json::parse(R"([{"position": [9, 0, -0.5]}])");
    QVERIFY(!said_of(bad, nullptr).contains("error"));
    bad = two;
    bad["regions"][0]["surfaces"] = Json::array();
    QVERIFY(said_of(bad, nullptr).contains("no region says that it lies on the rock"));
    bad = two;
    bad["ground"]["layers"] = Json::array({1.0, 0.5});
    QVERIFY(said_of(bad, nullptr).contains("is not below the one before"));
    bad = one;
    bad["ground"]["layers"] = Json::array({1.0});
    bad["ground"].erase("rock");
    QVERIFY(said_of(bad, nullptr).contains("nothing is said of what lies below 'layer 1'"));
  }

  /// Matrices of the regions, each compressed, against dense ones: loads on the ground, waves and forces from either medium, both sides of the
  /// interface.
  void compressed_regions_give_the_dense_answer_data() {
    QTest::addColumn<QString>("which");
    QTest::addColumn<double>("stiffness");
    QTest::newRow("sphere, soft") << "sphere" << 0.1;
    QTest::newRow("filled trench") << "trench" << 20.0;
    QTest::newRow("sphere, stiffer") << "sphere" << 50.0;
    QTest::newRow("layers") << "layers" << 0.2;
  }
  void compressed_regions_give_the_dense_answer() {
    QFETCH(QString, which);
    QFETCH(double, stiffness);
    Json json = which == "sphere" ? sphere_case() : trench_case(true);
    if (which == "layers") json = layers_case();
    if (which == "trench") {
      json["ground"]["low"] = {-3, -2.25};
      json["ground"]["high"] = {3, 2.25};
    }
    json["regions"][0]["shear_modulus"] = stiffness;
    const auto mesh = which == "sphere" ? sphere(4) : nullptr;
    json["parameters"]["solution"] = "mixed";
    Run dense(json, {{"cpu", 2, 1}}, mesh);
    dense.go();
    json["parameters"]["solution"] = "compressed";
    Run other(json, {{"cpu", 2, 1}}, mesh);
    other.go();
    const auto facts = other.rows("compression");
    for (const char* table : {"receivers_complex", "impedance"}) {
      if (which != "layers" && table == std::string("impedance")) continue;
      const double apart = farthest(other.rows(table), dense.rows(table));
      qInfo("%s: apart %.2g, sampled %.2g, rank %.1f, %.1f MB, %.0f steps", table, apart, facts[0][1], facts[0][2],
            facts[0][3] / 1e6, facts[0][4]);
      QVERIFY(apart > 0 && apart < 1e-4);
    }
    for (const auto& row : facts) QVERIFY(row[1] > 0 && row[1] < 1e-4 && row[4] < 60);
    // What the finer tolerance of a stiff closed region takes is foreseen (beside it: what the preconditioner takes, less than the matrices).
    const Case input = resolved(json).value();
    const Estimate e = ElasticBem().estimate(input, mesh.get(), make_offer(input).value()).value();
    const auto matrices = std::ranges::find(e.details, "matrices", &std::pair<std::string, std::string>::first);
    QVERIFY(matrices != e.details.end());
    const std::string text = matrices->second.substr(0, matrices->second.find(" instead"));
    const auto told = static_cast<double>(parse_bytes(text.substr(text.rfind("about ") + 6)).value());
    qInfo("%s, with the preconditioner %.1f MB", text.c_str(), facts[0][3] / 1e6);
    QVERIFY2(told > 0.5 * facts[0][3] && told < 1.2 * facts[0][3], text.c_str());
  }

  /// Each region is its own image; loads have no symmetry. Of the sphere an eighth is given, of it the seven others are made.
  void planes_of_symmetry_part_several_regions_data() {
    QTest::addColumn<QString>("which");
    QTest::addColumn<QString>("planes");
    QTest::newRow("sphere") << "sphere"
                            << "xyz";
    QTest::newRow("filled trench") << "trench"
                                   << "y";
    QTest::newRow("layers on rock") << "layers"
                                    << "xy";
  }
  void planes_of_symmetry_part_several_regions() {
    QFETCH(QString, which);
    QFETCH(QString, planes);
    Json json = which == "sphere" ? sphere_case() : which == "trench" ? trench_case(true) : layers_case();
    json["regions"][0]["shear_modulus"] = 7;
    json["parameters"]["tolerance"] = 1e-12;
    if (which == "trench") {  // continuous fields break at all images, which makes some nodes more
      json["parameters"]["elements"] = "constant";
      json["parameters"]["frequencies"]["values"] = {0.06};
    }
    if (which == "trench")
      json["excitation"]["loads"].push_back(
          Json::parse(R"({"kind": "point", "position": [1.6, 1.3, -1.4], "force": [0.3, 1, 0.5]})"));
    std::shared_ptr<const Mesh> whole_mesh, part_mesh;
    if (which == "sphere") {
      whole_mesh = sphere(4);
      std::vector<Index> kept;
      for (Index c = 0; c < whole_mesh->cell_count(); ++c) {
        Vec3 sum{};
        for (const Index k : whole_mesh->nodes(c)) sum = vec::add(sum, whole_mesh->point(k));
        if (sum[0] > 0 && sum[1] > 0 && sum[2] > 0) kept.push_back(c);
      }
      part_mesh = std::make_shared<const Mesh>(whole_mesh->extract(kept));
    }
    Run whole(json, {{"cpu", 2, 1}}, whole_mesh);
    whole.go();
    json["parameters"]["symmetry"] = planes.toUtf8().constData();
    const Case input = resolved(json).value();
    for (const Diagnostic& d : ElasticBem().check(input, part_mesh.get(), make_offer(input).value()))
      QVERIFY2(!QString::fromStdString(d.render()).contains("symmetry"), d.render().c_str());
    Run parted(json, {{"cpu", 2, 1}}, part_mesh);
    parted.go();
    for (const char* table : {"receivers_complex", "impedance", "solution"}) {
      if (which != "layers" && table == std::string("impedance")) continue;
      if (table == std::string("solution")) {  // by parities, not by all equations in the end
        QVERIFY(parted.rows(table)[0][1] < 1e-10);
        continue;
      }
      const double apart = farthest(parted.rows(table), whole.rows(table));
      QVERIFY2(apart < 1e-10, qPrintable(QString("%1: %2").arg(table).arg(apart)));
    }
    json["parameters"]["solution"] = "compressed";
    const Case compressed = resolved(json).value();
    QString said;
    for (const Diagnostic& d : ElasticBem().check(compressed, part_mesh.get(), make_offer(compressed).value()))
      said += QString::fromStdString(d.render());
    QVERIFY2(said.contains("compressed matrices of several regions are those of the whole"), qPrintable(said));
    Run other(json, {{"cpu", 2, 1}}, part_mesh);
    other.go();
    QVERIFY(farthest(other.rows("receivers_complex"), whole.rows("receivers_complex")) < 1e-4);
  }

  void what_cannot_be_is_refused() {
    const auto mesh = sphere(2);
    const auto says = [&](const Json& json, const char* text) {
      const QString said = said_of(json, mesh.get());
      QVERIFY2(said.contains(text), qPrintable(said));
    };
    Json json = sphere_case();
    json["regions"][0]["interfaces"] = Json::array({"wall"});
    says(json, "wall");
    json = sphere_case();
    json["regions"][0]["interfaces"] = Json::array();
    says(json, "has no interface");
    json = sphere_case();
    json["regions"][0]["surfaces"] = Json::array({"surface"});
    says(json, "is a surface of one region and named by another one");
    json = sphere_case();
    json["boundaries"] = Json::parse(R"([{"kind": "fixed", "group": "surface"}])");
    says(json, "is an interface of regions");
    json = sphere_case();
    json["regions"].push_back(json["regions"][0]);
    json["regions"].push_back(json["regions"][0]);
    says(json, "more than two regions");
    json = trench_case(true);
    json.erase("regions");
    const QString said = said_of(json, nullptr);
    QVERIFY2(said.contains("nothing is said of what fills the trench"), qPrintable(said));
    json = trench_case(true);
    json["ground"]["rock"] = 3;
    json["excitation"]["loads"] = Json::parse(R"([{"kind": "wave"}])");
    json["regions"].push_back(Json::parse(R"({"interfaces": ["rock"], "shear_modulus": 4, "density": 1})"));
    json["output"]["insertion_loss"] = true;
    QVERIFY(said_of(json, nullptr).contains("knows fillings of trenches only"));
    json["output"].erase("insertion_loss");
    const QString waves = said_of(json, nullptr);
    QVERIFY2(waves.contains("no wave comes through"), qPrintable(waves));
  }
};

QTEST_APPLESS_MAIN(TestRegions)
#include "test_regions.moc"
