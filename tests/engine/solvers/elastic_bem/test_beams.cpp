// SPDX-License-Identifier: BSD-3-Clause
// Foundations that bend: matrices of beams, what is left of them at the head, the limit of stiff ones, piles as beams and as regions; products
// of inertia.
// labels: unit timeout300
#include <QTest>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/solving/beam.hpp"
#include "tests/engine/solvers/elastic_bem/case_run.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;
using namespace conoid::elastic_bem::test;

namespace {

Beam slanted() {
  Beam b;
  b.head = {1, 2, 3};
  b.along = vec::unit({1, -2, -4});
  b.length = 5;
  b.elements = 3;
  b.axial = 7;
  b.bending = 2;
  b.twisting = 3;
  b.shearing = 4;
  b.mass = 1.5;
  b.turning = 0.1;
  b.spin = 0.3;
  return b;
}

/// Of a node: motions of a rigid body (translation q, or rotation about the head).
std::array<double, 6> rigid(const Beam& b, int node, std::size_t q) {
  std::array<double, 6> out{};
  Vec3 unit_vector{};
  unit_vector[q % 3] = 1;
  const Vec3 moved = q < 3 ? unit_vector : vec::cross(unit_vector, vec::scale(b.length * node / b.elements, b.along));
  for (std::size_t d = 0; d < 3; ++d) {
    out[d] = moved[d];
    out[3 + d] = q < 3 ? 0 : unit_vector[d];
  }
  return out;
}

/// A square hole whose walls and bottom are a pile of the soil's density, welded and bent by what its head does.
Json pile_case() {
  return Json::parse(R"j({
    "solver": "elastic-bem",
    "ground": {"kind": "rectangle", "low": [-4, -4], "high": [4, 4], "element": 0.5, "growth": 1.6,
               "trenches": [{"low": [-0.5, -0.5], "high": [0.5, 0.5], "depth": 3}]},
    "medium": {"shear_modulus": 1, "poisson": 0.4, "density": 1, "damping": 0.05},
    "foundations": [{"group": "trench", "reference": [0, 0, 0]}],
    "parameters": {"frequencies": {"values": [0.05]}, "symmetry": "xy"}})j");
}

Complex entry(const std::vector<double>& row, std::size_t i, std::size_t j) {
  return {row[1 + 2 * (6 * i + j)], row[2 + 2 * (6 * i + j)]};
}

QString said_of_beam(const Json& json) {
  const Case input = resolved(json).value();
  QString all;
  for (const Diagnostic& d : ElasticBem().check(input, nullptr, make_offer(input).value()))
    all += QString::fromStdString(d.render()) + "\n";
  return all;
}

}  // namespace

class TestBeams : public QObject {
  Q_OBJECT
 private slots:
  void rigid_motions_cost_nothing_and_move_all_of_it() {
    const Beam b = slanted();
    const std::size_t n = 24;
    const std::vector<double> k = beam_stiffness(b), m = beam_mass(b);
    for (std::size_t q = 0; q < 6; ++q) {
      std::vector<double> d;
      for (int node = 0; node <= b.elements; ++node)
        for (const double v : rigid(b, node, q)) d.push_back(v);
      double energy = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double force = 0;
        for (std::size_t j = 0; j < n; ++j) {
          force += k[i * n + j] * d[j];
          energy += d[i] * m[i * n + j] * d[j];
          QVERIFY(std::abs(k[i * n + j] - k[j * n + i]) < 1e-12 * b.axial);
        }
        QVERIFY2(std::abs(force) < 1e-12 * b.axial, qPrintable(QString("%1: %2").arg(q).arg(force)));
      }
      if (q < 3) {
        QVERIFY(std::abs(energy - b.mass * b.length) < 1e-12 * energy);
        continue;
      }
      // About the head: a rod's m L³/3, and what its sections turn by.
      const double own = b.along[q - 3] * b.along[q - 3],
                   want = (b.mass * std::pow(b.length, 3) / 3 + b.turning * b.length) * (1 - own) +
                          b.spin * b.length * own;
      QVERIFY2(std::abs(energy - want) < 1e-12 * want, qPrintable(QString("%1: %2 %3").arg(q).arg(energy).arg(want)));
      const Vec3 x{0.7, 1.1, -0.4};
      Vec3 u{};
      for (int node = 0; node <= b.elements; ++node)
        for (std::size_t i = 0; i < 6; ++i)
          u = vec::axpy(d[6 * static_cast<std::size_t>(node) + i], beam_motion(b, node, i, x), u);
      Vec3 about{};
      about[q - 3] = 1;
      QVERIFY(vec::distance(u, vec::cross(about, vec::sub(x, b.head))) < 1e-12);
    }
  }

  /// Held at the head: tip displacements F L³/3 E I + F L/G κ A across, F L/E A along, M L/G J about.
  void cantilevers_bend_as_they_should() {
    const Beam b = slanted();
    const std::size_t n = 24, own = n - 6;
    const std::vector<double> k = beam_stiffness(b);
    const Vec3 across = vec::unit(vec::cross(b.along, {0, 0, 1}));
    for (int what = 0; what < 3; ++what) {
      std::vector<Complex> a(own * own), f(own);
      for (std::size_t i = 0; i < own; ++i)
        for (std::size_t j = 0; j < own; ++j) a[i * own + j] = k[(6 + i) * n + 6 + j];
      const Vec3& way = what == 0 ? across : b.along;
      for (std::size_t d = 0; d < 3; ++d) f[own - 6 + (what == 2 ? 3 : 0) + d] = way[d];
      const std::vector<Complex> inverse = inverse_where_stiff(a, own);
      double moved = 0;
      for (std::size_t i = 0; i < own; ++i)
        for (std::size_t j = 0; j < own; ++j) moved += f[i].real() * (inverse[i * own + j] * f[j]).real();
      const double want = what == 0   ? std::pow(b.length, 3) / (3 * b.bending) + b.length / b.shearing
                          : what == 1 ? b.length / b.axial
                                      : b.length / b.twisting;
      QVERIFY2(std::abs(moved - want) < 1e-10 * want, qPrintable(QString("%1: %2 %3").arg(what).arg(moved).arg(want)));
    }
  }

  void a_stiff_beam_is_a_rigid_foundation() {
    Json json = pile_case();
    json["foundations"][0]["mass"] = 3;
    json["foundations"][0]["centre_of_mass"] = {0, 0, -1.5};
    json["foundations"][0]["inertia"] = {2.5, 2.5, 0.5};
    json["excitation"]["loads"] = Json::parse(R"([
      {"kind": "machine", "foundation": "trench", "force": [1, 0.5, 1], "moment": [0, 0, 1]},
      {"kind": "wave", "wave": "sh", "direction": [1, 0.2, 1]}])");
    json["output"]["receivers"] = Json::parse(R"([{"position": [1.5, 0.3, 0]}, {"position": [1.5, 0.3, -2]}])");
    Run whole(json);
    whole.go();
    // Its mass is that of the body, 3 kg over 3 m; the sections' own turning is m b²/12 about either axis: with the rod's 2.25 + 0.25 = 2.5.
    json["foundations"][0].erase("mass");
    json["foundations"][0].erase("centre_of_mass");
    json["foundations"][0].erase("inertia");
    json["foundations"][0]["beam"] = Json::parse(
        R"({"tip": [0, 0, -3], "area": 1, "second_moment": 0.083333333333333, "young_modulus": 1e9, "density": 1,
            "elements": 4})");
    Run bent(json);
    bent.go();
    for (const char* table : {"motion_complex", "receivers_complex"}) {
      const double apart = farthest(bent.rows(table), whole.rows(table));
      QVERIFY2(apart < 1e-6, qPrintable(QString("%1: %2").arg(table).arg(apart)));
    }
  }

  /// The same pile as a region of stiff elastic material under a rigid cap: its sections bulge, their shear gives way.
  void a_beam_is_what_a_stiff_region_is() {
    Json beam = pile_case();
    beam["foundations"][0]["beam"] = Json::parse(
        R"({"tip": [0, 0, -3], "area": 1, "second_moment": 0.083333333333333, "young_modulus": 280, "density": 1})");
    Run bent(beam);
    bent.go();
    Json solid = pile_case();
    solid["ground"]["trenches"][0]["filled"] = true;
    solid["regions"] = Json::parse(R"([{"name": "pile", "interfaces": ["filled trench"], "surfaces": ["filling"],
        "shear_modulus": 116.6666666667, "poisson": 0.2, "density": 1, "damping": 0}])");
    solid["foundations"][0]["group"] = "filling";
    Run region(solid);
    region.go();
    const std::vector<double> got = bent.rows("impedance")[0], want = region.rows("impedance")[0];
    for (const auto& [i, j] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {2, 2}, {4, 4}, {0, 4}}) {
      const Complex a = entry(got, i, j), b = entry(want, i, j);
      qInfo("%zu %zu: beam %.5g %+.5g i, region %.5g %+.5g i", i, j, a.real(), a.imag(), b.real(), b.imag());
      QVERIFY(std::abs(a - b) < 0.06 * std::abs(b));
    }
  }

  void what_is_no_beam_is_refused() {
    const auto says = [](const char* beam, const char* text, bool reference = true) {
      Json json = pile_case();
      json["foundations"][0]["beam"] = Json::parse(beam);
      if (!reference) json["foundations"][0].erase("reference");
      const QString said = said_of_beam(json);
      QVERIFY2(said.contains(text), qPrintable(said));
    };
    says(R"({"tip": [0, 0, 0], "diameter": 1, "young_modulus": 1})", "the beam's tip is its head");
    says(R"({"tip": [0, 0, -3], "young_modulus": 1})", "the beam's section is given twice or not at all");
    says(R"({"tip": [0, 0, -3], "diameter": 1, "area": 1, "second_moment": 1, "young_modulus": 1})",
         "the beam's section is given twice or not at all");
    says(R"({"tip": [0, 0, -3], "area": 1, "young_modulus": 1})", "one of area and second moment is given");
    says(R"({"tip": [0, 0, -3], "diameter": 1, "wall": 0.5, "young_modulus": 1})", "is no pipe's");
    says(R"({"tip": [0, 0, -3], "diameter": 1, "young_modulus": 1})", "where the beam begins is not given", false);
    says(R"({"tip": [0, 0, -2], "diameter": 1, "young_modulus": 1})", "moves rigidly with them");
    says(R"({"tip": [0, 0, -6], "diameter": 1, "young_modulus": 1})", "what lies beyond is held by no ground");
    Json near = pile_case();
    near["ground"]["trenches"][0]["depth"] = 5;
    QVERIFY2(said_of_beam(near).contains("stiffnesses at rest may be off by some 1"), qPrintable(said_of_beam(near)));
    near["ground"]["low"] = {-8, -8};
    near["ground"]["high"] = {8, 8};
    QVERIFY2(!said_of_beam(near).contains("per cent"), qPrintable(said_of_beam(near)));
    Json json = pile_case();
    json["foundations"][0]["inertia"] = {1, 1, 1};
    json["foundations"][0]["products_of_inertia"] = {0.9, 0.9, 0.9};
    QVERIFY2(said_of_beam(json).contains("no body has the products of inertia"), qPrintable(said_of_beam(json)));
  }

  /// A dumbbell aslant: its tensor about the middle, against the same two masses as a rigid body's turned by hand.
  void products_of_inertia_couple_rotations() {
    Foundation f;
    const Vec3 arm{1, 2, -0.5};
    const double half = 3;
    f.mass = 2 * half;
    for (std::size_t d = 0; d < 3; ++d) {
      f.inertia[d] = 2 * half * (vec::dot(arm, arm) - arm[d] * arm[d]);
      f.products[d] = 2 * half * arm[d] * arm[(d + 1) % 3];
    }
    // Soft springs of no importance: d = (K − ω²M)⁻¹ p, and M θ = Σ m arm × (θ × arm).
    std::vector<Complex> k(36);
    for (std::size_t i = 0; i < 6; ++i) k[7 * i] = 100;
    const double omega = 2;
    const Vec3 turned{0.3, -0.2, 0.5},
        moment =
            vec::axpy(-omega * omega * 2 * half, vec::cross(arm, vec::cross(turned, arm)), vec::scale(100, turned));
    const std::vector<Complex> d =
        motions({f}, k, omega, std::vector<Complex>(6), {0, 0, 0, moment[0], moment[1], moment[2]});
    for (std::size_t c = 0; c < 3; ++c) QVERIFY(std::abs(d[3 + c] - turned[c]) < 1e-12);
  }
};

QTEST_APPLESS_MAIN(TestBeams)
#include "test_beams.moc"
