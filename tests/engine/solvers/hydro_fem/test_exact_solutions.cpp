// SPDX-License-Identifier: BSD-3-Clause
// The exact solutions obey the laws that they stand for.
// labels: unit
#include "engine/solvers/hydro_fem/discretization/exact.hpp"
#include "engine/solvers/hydro_fem/verify/converging.hpp"
#include "engine/solvers/hydro_fem/verify/free_air.hpp"

#include <QTest>
#include <cmath>
#include <numbers>
#include <vector>

using namespace conoid::hydro_fem;

class TestExactSolutions : public QObject {
  Q_OBJECT

 private slots:
  void the_blast_keeps_mass_and_energy() {
    for (int j = 1; j <= 3; ++j)
      for (const double gamma : {1.2, 1.4, 5.0 / 3}) {
        const double rho0 = 1.7, E = 3.1, t = 0.4;
        const SedovBlast blast(j, gamma, rho0, E);
        const double R = blast.shock_radius(t);
        const double surface = j == 1 ? 2 : j == 2 ? 2 * std::numbers::pi : 4 * std::numbers::pi;
        double mass = 0, energy = 0;
        constexpr int n = 4000;
        for (int i = 0; i < n; ++i) {
          const double r = R * (1 - std::pow(1 - (i + 0.5) / n, 2));  // finer towards the shock
          const double dr = R * 2 * (1 - (i + 0.5) / n) / n;
          const GasState s = blast.at(r, t);
          const double dV = surface * std::pow(r, j - 1) * dr;
          mass += s.density * dV;
          energy += (0.5 * s.density * s.velocity * s.velocity + s.pressure / (gamma - 1)) * dV;
        }
        QVERIFY2(std::abs(mass / (rho0 * surface * std::pow(R, j) / j) - 1) < 2e-5, qPrintable(QString::number(mass)));
        QVERIFY2(std::abs(energy / E - 1) < 2e-5, qPrintable(QString::number(energy)));
        // Strong shock behind the front.
        const GasState behind = blast.at(R * (1 - 1e-9), t);
        QVERIFY(std::abs(behind.density / rho0 - (gamma + 1) / (gamma - 1)) < 1e-5);
        const double speed = 2.0 / (j + 2) * R / t;
        QVERIFY(std::abs(behind.velocity / (2 * speed / (gamma + 1)) - 1) < 1e-6);
        QCOMPARE(blast.at(1.01 * R, t).density, rho0);
      }
  }

  void the_blast_has_its_published_constant() {
    QVERIFY(std::abs(SedovBlast(3, 1.4, 1, 1).alpha() - 0.851072) < 1e-6);  // Kamm, LA-UR-00-6055
  }

  void the_tube_has_its_published_star_state() {
    const ShockTube sod({1, 0, 1}, 1.4, {0.125, 0, 0.1}, 1.4);  // Toro, table 4.3
    QVERIFY(std::abs(sod.at(0.5).pressure - 0.30313) < 1e-5);
    QVERIFY(std::abs(sod.at(0.5).velocity - 0.92745) < 1e-5);
    QVERIFY(std::abs(sod.at(0.5).density - 0.42632) < 1e-5);
    QVERIFY(std::abs(sod.at(1.2).density - 0.26557) < 1e-5);
    QCOMPARE(sod.at(-5).density, 1.0);
    QCOMPARE(sod.at(5).density, 0.125);
  }

  // Swisdak's simplified polynomials (1994) of a hemispherical surface burst of W/1.8: kPa, ms/kg^(1/3), kPa ms/kg^(1/3).
  void blast_curves_agree_with_simplified_ones() {
    const struct {
      double z, peak, impulse, arrival;
    } all[] = {
        {1, 885.7, 174.5, 0.5499}, {2, 181.9, 90.33, 2.0002}, {3, 77.50, 64.50, 4.0842}, {4, 45.34, 49.98, 6.4971}};
    for (const auto& want : all) {
      const KingeryBulmash got(want.z);
      QVERIFY(std::abs(1e-3 * got.peak / want.peak - 1) < 0.08);
      QVERIFY(std::abs(got.impulse / want.impulse - 1) < 0.03);
      QVERIFY(std::abs(1e3 * got.arrival / want.arrival - 1) < 0.04);
    }
  }

  void the_exponent_of_a_converging_shock_is_found_with_its_focus() {
    std::vector<ShockPlace> places;
    for (double before = 0.3; before > 0.01; before *= 0.93) places.push_back({2 - before, std::pow(before, 0.717174)});
    QVERIFY(std::abs(similarity_exponent(places) - 0.717174) < 1e-3);
  }
};

QTEST_APPLESS_MAIN(TestExactSolutions)
#include "test_exact_solutions.moc"
