// SPDX-License-Identifier: BSD-3-Clause
// Dipoles in place of waves: fields by formulas, beside bodies, what is refused.
// labels: unit
#include <QTest>
#include <cmath>
#include <functional>
#include <numbers>

#include "engine/case/schema.hpp"
#include "engine/core/vec3.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/maxwell_fem/discretization/incident.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/mesh/shells.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/solving/probe.hpp"
#include "engine/solvers/maxwell_fem/verify/dipoles.hpp"
#include "tests/engine/solvers/maxwell_fem/case_run.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;
using namespace conoid::maxwell_fem::test;

namespace {

using FieldVector = std::array<std::complex<double>, 3>;

/// By central differences.
FieldVector curl_of(const std::function<FieldVector(const Vec3&)>& field, const Vec3& x, double h) {
  const auto slope = [&](int component, int along) {
    Vec3 up = x, down = x;
    up[along] += h;
    down[along] -= h;
    return (field(up)[component] - field(down)[component]) / (2 * h);
  };
  return {slope(2, 1) - slope(1, 2), slope(0, 2) - slope(2, 0), slope(1, 0) - slope(0, 1)};
}

double relatively_apart(const FieldVector& a, const FieldVector& b) {
  double difference = 0, size = 0;
  for (int d = 0; d < 3; ++d) {
    difference += std::norm(a[d] - b[d]);
    size += std::norm(b[d]);
  }
  return std::sqrt(difference / size);
}

Json dipole_case() {
  return read_json(R"({
    "solver": "maxwell-fem",
    "sphere": {"radius": "50 mm", "divisions": 2},
    "excitation": {"frequency": "1 GHz", "dipoles": [{"kind": "electric", "position": [0, 0, "90 mm"], "moment": "1 mA*m"}]},
    "truncation": {"tolerance": 1e-5},
    "output": {"exact": "sphere", "sphere_step": "30 deg", "cuts": [{"vary": "theta", "count": 37}, {"name": "round", "vary": "phi", "fixed": "90 deg", "to": "360 deg", "count": 5}]}
  })");
}

QString said(const Json& json, Severity severity, const Mesh* mesh = nullptr) {
  QString out;
  for (const Diagnostic& d : MaxwellFem().check(resolved(json), mesh, make_offer(resolved(json)).value()))
    if (d.severity == severity) out += QString::fromStdString(d.render()) + "\n";
  return out;
}

}  // namespace

class TestDipoles : public QObject {
  Q_OBJECT

 private slots:
  void fields_obey_maxwell() {
    // The curl of E is what curl() says, that of the curl k² E; far away F is what far() says.
    const double k = 1.3;
    for (const bool magnetic : {false, true}) {
      const Dipole d{magnetic, {0.2, -0.1, 0.4}, {std::complex(1.0, 0.5), -0.3, std::complex(0.2, -0.8)}};
      const auto electric = [&](const Vec3& x) { return d.electric(x, k); };
      const auto curl = [&](const Vec3& x) { return d.curl(x, k); };
      const Vec3 x{1.1, 0.7, -0.6};
      QVERIFY(relatively_apart(curl_of(electric, x, 1e-4), d.curl(x, k)) < 1e-6);
      FieldVector wanted = d.electric(x, k);
      for (auto& v : wanted) v *= k * k;
      QVERIFY(relatively_apart(curl_of(curl, x, 1e-4), wanted) < 1e-6);
      const Vec3 towards = vec::unit(Vec3{0.3, 0.5, -0.8});
      const double r = 1e6;
      FieldVector far = d.far(towards, k);
      for (auto& v : far) v *= std::polar(1 / r, -k * r);
      QVERIFY(relatively_apart(d.electric(vec::scale(r, towards), k), far) < 1e-5);
      // Reciprocity with a plane wave from there.
      for (const bool horizontal : {false, true}) {
        const Direction from{2.1, 0.8};
        const PlaneWave wave = wave_from(from, horizontal, k);
        const auto felt = std::complex<double>(0, -k * vacuum_impedance / (4 * std::numbers::pi)) *
                          d.reaction(wave.electric(d.at), wave.curl(d.at));
        const auto seen = far_field(std::vector{d}, k, from).along(horizontal);
        QVERIFY(std::abs(felt - seen) < 1e-12 * (1 + std::abs(seen)));
      }
      QCOMPARE(d.electric(d.at, k)[0], 0.0);
    }
  }

  void powers_of_several_are_those_of_the_far_field() {
    const double k = 2;
    const std::vector<Dipole> all{{false, {0.1, 0, 0}, {1, std::complex(0.0, 0.5), 0.2}},
                                  {true, {0.1, 0, 0}, {0.4, 0.1, std::complex(0.2, 0.3)}},
                                  {false, {-0.4, 0.9, 0.3}, {std::complex(0.0, 1.0), 0.7, -0.4}},
                                  {true, {0.1, 1e-6, 0}, {0.3, std::complex(0.6, -0.8), 0}}};
    const SphereRule rule = sphere_rule(2 * k);
    double radiated = 0;
    for (std::size_t n = 0; n < rule.weights.size(); ++n) {
      const FarAmplitude f = far_field(all, k, rule.directions[n]);
      radiated += rule.weights[n] * (std::norm(f.theta) + std::norm(f.phi)) / (2 * vacuum_impedance);
    }
    QVERIFY(std::abs(power_alone(all, k) / radiated - 1) < 1e-11);
  }

  void series_near_spheres_are_fields() {
    // Outside: Maxwell's equations by differences, the conductor's condition on it.
    const SphereSeries series = conducting_sphere(1.5, terms_near(1.5, 1.5001));
    const auto electric = [&](const Vec3& x) { return series.outside({x[0], x[1], x[2]}).electric; };
    const auto curl = [&](const Vec3& x) { return series.outside({x[0], x[1], x[2]}).curl; };
    const Vec3 x{1.2, 0.9, -1.1};
    QVERIFY(relatively_apart(curl_of(electric, x, 1e-4), curl(x)) < 1e-6);
    QVERIFY(relatively_apart(curl_of(curl, x, 1e-4), electric(x)) < 1e-6);
    const Vec3 normal = vec::unit(Vec3{0.4, -0.7, 0.5});
    const FieldVector e = electric(vec::scale(1.5 * (1 + 1e-9), normal));
    const std::complex<double> across = e[0] * normal[0] + e[1] * normal[1] + e[2] * normal[2];
    for (int d = 0; d < 3; ++d) QVERIFY(std::abs(e[d] - across * normal[d]) < 1e-6 * std::abs(across));
    // The series of the dipole on the axis is the same by reciprocity.
    const RadialDipole radial{conducting_sphere(1), 1.7};
    const std::vector<Dipole> one{{false, {0, 0, 1.7}, {0, 0, 1}}};
    for (const double theta : {0.4, 1.3, 2.6}) {
      const PlaneWave wave = wave_from({theta, 0.3}, false, 1);
      const Vec3 across_wave = vec::cross(wave.direction, wave.polarisation);
      const SphereField f =
          radial.series.outside({vec::dot(one[0].at, wave.polarisation), vec::dot(one[0].at, across_wave),
                                 vec::dot(one[0].at, wave.direction)});
      const auto along =
          f.electric[0] * wave.polarisation[2] + f.electric[1] * across_wave[2] + f.electric[2] * wave.direction[2];
      const auto seen = std::complex<double>(0, -vacuum_impedance / (4 * std::numbers::pi)) * along;
      QVERIFY(std::abs(seen - radial.far(theta)) < 1e-9 * std::abs(seen));
    }
    QVERIFY(std::abs(radial.radiated() / radial.given() - 1) < 1e-9);
  }

  void a_point_is_found_in_its_element() {
    const Mesh mesh = *spherical_shells({.radius = 1, .hollow = true, .divisions = 2, .shells = {{1.8, 2, "vacuum"}}});
    const Space space = *Space::make(mesh, 2);
    const Vec3 x{0.3, -0.9, 0.8};
    const Spot at = spot_of(space, x);
    QVERIFY(at.tet >= 0);
    QVERIFY(vec::distance(space.map(at.tet, at.reference).x, x) < 1e-9);
    QCOMPARE(spot_of(space, {0.1, 0.2, 0.1}).tet, Index{-1});
    QCOMPARE(spot_of(space, {1.5, 1.5, 0.1}).tet, Index{-1});
  }

  void directivity_beside_a_sphere_is_that_of_the_series() {
    Run run(dipole_case());
    QVERIFY(run.go() && run.finished.ok());
    QVERIFY2(run.number("error_mean") < 0.05, qPrintable(QString::number(run.number("error_mean"))));
    QVERIFY2(run.number("power_mismatch") < 0.02, qPrintable(QString::number(run.number("power_mismatch"))));
    QVERIFY(run.number("flux_mismatch") < 1e-4);
    QVERIFY(run.number("reciprocity_mismatch") < 0.01);
    QVERIFY(std::isnan(run.number("echo_VV")));
    const double k = 2 * std::numbers::pi * 1e9 / light_speed;
    QVERIFY(std::abs(run.number("power_alone") / (vacuum_impedance * k * k * 1e-6 / (12 * std::numbers::pi)) - 1) <
            1e-12);
    const auto* cut = run.results.find("directivity_cut_1");
    QVERIFY(cut != nullptr);
    QCOMPARE(cut->rows.size(), std::size_t{37});
    // Columns: angle, whole, V, H, gain, exact. Along the axis nothing, no H: what elements that are no figures of revolution leave of them.
    QVERIFY2(cut->rows[0][1] < -35, qPrintable(QString::number(cut->rows[0][1])));
    QVERIFY2(cut->rows[10][3] < cut->rows[10][2] - 30, qPrintable(QString::number(cut->rows[10][3])));
    QVERIFY(run.results.find("polar_directivity_round") != nullptr);
    QVERIFY(run.results.find("directivity_sphere") != nullptr);
    QVERIFY(run.results.find("rcs_cut_1") == nullptr && run.results.find("all_units_cut_1") == nullptr);
    // The largest of all is none of the cut's samples, and no less than they are.
    double largest = -HUGE_VAL;
    for (const auto& row : cut->rows) largest = std::max(largest, row[1]);
    QVERIFY(run.number("directivity") >= largest - 1e-9 && run.number("directivity") < largest + 0.1);
    const auto* amplitudes = run.results.find("amplitudes");
    QVERIFY(amplitudes != nullptr);
    QCOMPARE(amplitudes->info.columns.size(), std::size_t{7});
  }

  void losses_are_in_the_gain() {
    Json json = dipole_case();
    json["sphere"]["material"] = "lossy";
    json["sphere"]["divisions"] = 4;
    json["materials"] = read_json(R"({"lossy": {"permittivity": 4, "permittivity_loss": 3}})");
    Run run(json);
    QVERIFY(run.go() && run.finished.ok());
    const double k = 2 * std::numbers::pi * 1e9 / light_speed;
    const RadialDipole exact{homogeneous_sphere(0.05 * k, {4, -3}, 1), 0.09 * k};
    const double efficiency = exact.radiated() / exact.given();
    QVERIFY2(std::abs(run.number("efficiency") / efficiency - 1) < 0.01,
             qPrintable(QString::number(run.number("efficiency"))));
    QVERIFY(std::abs(run.number("gain") - run.number("directivity") - 10 * std::log10(run.number("efficiency"))) <
            1e-9);
    QVERIFY(efficiency < 0.95);
    QVERIFY(std::isnan(run.number("power_mismatch")));
  }

  void what_cannot_be_is_refused() {
    const auto refused = [](const char* change, const char* text) {
      Json json = dipole_case();
      json.merge_patch(read_json(change));
      const QString all = said(json, Severity::error);
      if (!all.contains(text)) qWarning("%s: %s", change, qPrintable(all));
      return all.contains(text);
    };
    QVERIFY(said(dipole_case(), Severity::error).isEmpty());
    QVERIFY(refused(R"({"excitation": {"dipoles": [{"kind": "electric", "position": [0, 0, "20 mm"]}]}})",
                    "inside of the body"));
    QVERIFY(refused(R"({"excitation": {"dipoles": [{"kind": "electric", "position": [0, 0, "50 mm"]}]}})",
                    "lies on a surface"));
    QVERIFY(refused(R"({"excitation": {"dipoles": [{"kind": "electric", "position": [0, 0, "55 mm"]}]}})",
                    "refine the surface there to"));
    QVERIFY(refused(R"({"excitation": {"dipoles": [{"kind": "electric", "position": [0, 0, "1 km"]}]}})",
                    "wavelengths away"));
    QVERIFY(refused(
        R"({"excitation": {"dipoles": [{"kind": "magnetic", "position": [0, 0, "90 mm"], "direction": [0, 0, 0]}]}})",
        "without a direction"));
    QVERIFY(refused(
        R"({"materials": {"m": {"permittivity": 3}}, "sphere": {"material": "m"}, "excitation": {"dipoles": [{"kind": "electric", "position": [0, 0, "20 mm"]}]}})",
        "lies inside of 'm'"));
    QVERIFY(refused(R"({"excitation": {"monostatic": {"count": 3}}})", "dipoles and a monostatic sweep"));
    QVERIFY(refused(R"({"parameters": {"form": "mixed"}})", "mixed form is of waves"));
    QVERIFY(refused(R"({"output": {"error_bar": true}})", "error bars are of echoes"));
    Json near = dipole_case();
    near["excitation"]["dipoles"][0]["position"] = read_json(R"([0, 0, "75 mm"])");
    QVERIFY(said(near, Severity::warning).contains("some tenths of a decibel"));
  }

  void places_in_meshes_with_an_outer_surface_are_looked_at() {
    const Mesh mesh =
        *spherical_shells({.radius = 0.05, .hollow = true, .divisions = 4, .shells = {{0.09, 3, "vacuum"}}});
    Json json = dipole_case();
    json.erase("sphere");
    json["output"].erase("exact");
    json["mesh"] = read_json(R"({"file": "body.msh", "unit": "m"})");
    json["boundaries"] = read_json(R"({"outer": {"kind": "outer"}, "body": {"kind": "pec"}})");
    const auto at = [&](double x) {
      json["excitation"]["dipoles"][0]["position"] = {0.0, x, 0.0};
      return said(json, Severity::error, &mesh);
    };
    QVERIFY(at(0.08).isEmpty());
    QVERIFY(at(0.02).contains("inside of the body"));
    QVERIFY(at(0.052).contains("refine the surface"));
  }
};

QTEST_APPLESS_MAIN(TestDipoles)
#include "test_dipoles.moc"
