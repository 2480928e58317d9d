// SPDX-License-Identifier: BSD-3-Clause
// The exact series against tables, and dispersion laws against their formulas.
// labels: unit
#include <QTest>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"
#include "engine/solvers/maxwell_fem/discretization/media.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"

using namespace conoid::maxwell_fem;

namespace {

std::vector<std::vector<double>> table(const char* name) {
  std::ifstream in(std::string(CONOID_TEST_DATA "/maxwell_fem/") + name);
  std::vector<std::vector<double>> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || std::isalpha(static_cast<unsigned char>(line[0]))) continue;
    std::vector<double> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::strtod(cell.c_str(), nullptr));
    out.push_back(row);
  }
  return out;
}

void compare(const SphereSeries& series, const char* name) {
  const auto rows = table(name);
  QCOMPARE(rows.size(), std::size_t{181});
  for (const auto& row : rows) {
    const double cosine = std::cos(row[0] * std::numbers::pi / 180);
    QVERIFY2(std::abs(series.sigma_e(cosine) - row[1]) <= 1e-9 * (1 + row[1]), name);
    const double in_h = 4 / (series.x * series.x) * std::norm(series.s1(cosine));
    QVERIFY2(std::abs(in_h - row[2]) <= 1e-9 * (1 + row[2]), name);
    QVERIFY2(std::abs(series.s1(cosine) - std::complex(row[7], row[8])) < 1e-9, name);
    QVERIFY2(std::abs(series.s2(cosine) - std::complex(row[9], row[10])) < 1e-9, name);
  }
}

}  // namespace

class TestMie : public QObject {
  Q_OBJECT

 private slots:
  void series_equal_the_tables() {
    compare(conducting_sphere(1), "mie_pec_bistatic_ka1.csv");
    compare(conducting_sphere(6), "mie_pec_bistatic_ka6.csv");
    compare(homogeneous_sphere(2, {4, -1}, 1), "mie_diel_er4-1j_ka2.csv");
    compare(coated_conductor(2, 2.4, {4, -0.2}, 1), "mie_coated_pec_core.csv");
    compare(coated_sphere(1.5, 2.5, 6, 1, 2.25, 1.5), "mie_coated_diel.csv");
  }

  void metals_have_a_series() {
    // Copper at 1.4 GHz: the wave dies within 10^4 times its own argument; the surface impedance 1/m is the limit.
    const std::complex<double> epsilon{1, -7.3e8}, m = std::sqrt(epsilon);
    const SphereSeries copper = homogeneous_sphere(1.5, epsilon, 1), surface = impedance_sphere(1.5, 1.0 / m),
                       coat = coated_conductor(1.0, 1.5, epsilon, 1), core = coated_sphere(1.0, 1.5, 4, 1, epsilon, 1);
    for (double cosine : {-1.0, -0.3, 0.5, 1.0}) {
      QVERIFY(std::abs(copper.s1(cosine) - surface.s1(cosine)) < 1e-7);
      QVERIFY(std::abs(coat.s2(cosine) - copper.s2(cosine)) < 1e-10);
      QVERIFY(std::abs(core.s2(cosine) - copper.s2(cosine)) < 1e-10);
    }
  }

  void limits_hold() {
    const double x = 0.05;
    QVERIFY(std::abs(conducting_sphere(x).sigma_e(-1) / (9 * std::pow(x, 4)) - 1) < 0.01);  // Rayleigh
    const SphereSeries s = coated_sphere(1, 1.7, 4, 1, 4, 1), t = homogeneous_sphere(1.7, 4, 1);
    QVERIFY(std::abs(s.s1(0.3) - t.s1(0.3)) < 1e-12);  // coat like the core
    const SphereSeries loss = homogeneous_sphere(3, {2, -0.5}, 1), none = homogeneous_sphere(3, 2, 1);
    QVERIFY(loss.extinction() > loss.scattering());
    QVERIFY(std::abs(none.extinction() - none.scattering()) < 1e-12);
  }

  /// Metal and coats as impedances against the full series: the thinner skin and coat, the nearer.
  void metals_and_thin_coats_are_impedances() {
    const double a = 0.05, f = 2e9, k = 2 * std::numbers::pi * f / light_speed, eta0 = vacuum_impedance;
    const auto apart = [](const SphereSeries& s, const SphereSeries& t) {
      return std::abs(s.s2(-1) - t.s2(-1)) / std::abs(s.s2(-1));
    };
    // Sea water, 4 S/m: a skin of 5.6 mm; copper.
    for (const auto& [sigma, limit] : {std::pair{4.0, 0.05}, {400.0, 0.005}, {5.8e7, 2e-5}}) {
      const std::complex<double> epsilon(1, -sigma * eta0 / k), z = metal_impedance(sigma, 1, f);
      const double error = apart(homogeneous_sphere(k * a, epsilon, 1), impedance_sphere(k * a, z / eta0));
      QVERIFY2(error < limit, qPrintable(QString("%1 S/m: %2").arg(sigma).arg(error)));
    }
    // A coat of 1 mm and of half of that on a conductor.
    const std::complex<double> epsilon(20, -5), mu(2, -1);
    double last = 0;
    for (const double d : {1e-3, 5e-4}) {
      const ThinCoat coat{[=](double) { return Medium{{epsilon, epsilon, epsilon}, {mu, mu, mu}}; }, d};
      const std::complex<double> z = coated_impedance(0, {coat}, f);
      const SphereSeries exact = coated_conductor(k * a, k * (a + d), epsilon, mu),
                         thin = impedance_sphere(k * (a + d), z / eta0);
      const double error = apart(exact, thin), bare = apart(exact, conducting_sphere(k * (a + d)));
      QVERIFY2(error < 0.01 && error < 0.2 * bare,
               qPrintable(QString("%1 m: %2, without %3").arg(d).arg(error).arg(bare)));
      QVERIFY(last == 0 || error < last);
      last = error;
    }
    // Two half coats are one; a lossless coat on a perfect conductor is a reactance.
    const ThinCoat half{[](double) { return Medium{{3, 3, 3}, {1, 1, 1}}; }, 1e-3}, whole{half.material, 2e-3};
    QVERIFY(std::abs(coated_impedance(0, {half, half}, f) - coated_impedance(0, {whole}, f)) < 1e-9);
    QVERIFY(std::abs(coated_impedance(0, {whole}, f).real()) < 1e-9 && coated_impedance(0, {whole}, f).imag() > 0);
  }

  /// One part in a thousand above a conductor: along it the field is 3 parts in a thousand of the wave's times sin θ, whatever its size; series of
  /// very small ones had more terms than doubles hold, and were no number.
  void fields_near_small_spheres_are_numbers() {
    for (const double kb : {1e-4, 0.05, 0.3, 1.0}) {
      const SphereSeries series = conducting_sphere(kb, terms_near(kb, 1.001 * kb));
      const double r = 1.001 * kb, c = std::cos(1.1), s = std::sin(1.1);
      const SphereField at = series.outside({r * s, 0, r * c});
      const auto along = std::abs(at.electric[0] * c - at.electric[2] * s),
                 away = std::abs(at.electric[0] * s + at.electric[2] * c);
      QVERIFY2(along < 4e-3 * std::max(1.0, away), qPrintable(QString("%1: %2").arg(kb).arg(along)));
      if (kb < 0.1) QVERIFY2(std::abs(away / (3 * s) - 1) < 0.02, qPrintable(QString("%1: %2").arg(kb).arg(away)));
    }
  }

  void surface_impedance_runs_from_conductor_to_magnetic_wall() {
    const double x = 2.3;
    const auto apart = [](const SphereSeries& s, const SphereSeries& t) {
      double out = 0;
      for (double cosine : {-1.0, -0.4, 0.3, 1.0})
        out = std::max({out, std::abs(s.s1(cosine) - t.s1(cosine)), std::abs(s.s2(cosine) - t.s2(cosine))});
      return out;
    };
    const SphereSeries metal = conducting_sphere(x);
    SphereSeries wall = metal;
    std::swap(wall.a, wall.b);
    QVERIFY(apart(impedance_sphere(x, 0), metal) < 1e-14);
    QVERIFY(apart(impedance_sphere(x, 1e9), wall) < 1e-7);
    // Duality: 1/eta exchanges TM and TE.
    SphereSeries dual = impedance_sphere(x, 1.0 / std::complex(0.6, 0.3));
    std::swap(dual.a, dual.b);
    QVERIFY(apart(impedance_sphere(x, {0.6, 0.3}), dual) < 1e-13);
    // eta = 1 sends nothing straight back (V. H. Weston, IEEE Trans. Antennas Propag. 11 (1963) 578).
    QVERIFY(impedance_sphere(x, 1).sigma_e(-1) < 1e-25);
    QVERIFY(impedance_sphere(x, 1).extinction() > impedance_sphere(x, 1).scattering());
    const SphereSeries reactive = impedance_sphere(x, {0, 0.8});  // takes no power
    QVERIFY(std::abs(reactive.extinction() / reactive.scattering() - 1) < 1e-13);
    // A core of large lossy m: eta = 1/m (1 + n(n+1)/2(mx)^2 ...), so the difference falls with m^-3.
    const std::complex<double> m{15, -15};
    const double coarse = apart(homogeneous_sphere(x, m * m, 1), impedance_sphere(x, 1.0 / m)),
                 fine = apart(homogeneous_sphere(x, 4.0 * m * m, 1), impedance_sphere(x, 0.5 / m));
    QVERIFY2(coarse / fine > 7 && coarse / fine < 9, qPrintable(QString("%1 %2").arg(coarse).arg(fine)));
  }

  void resistive_shell_runs_from_conductor_to_vacuum() {
    const double x = 1.7;
    const auto apart = [](const SphereSeries& s, const SphereSeries& t) {
      double out = 0;
      for (double cosine : {-1.0, -0.4, 0.3, 1.0})
        out = std::max({out, std::abs(s.s1(cosine) - t.s1(cosine)), std::abs(s.s2(cosine) - t.s2(cosine))});
      return out;
    };
    QVERIFY(apart(resistive_shell(x, 0), conducting_sphere(x)) < 1e-13);
    QVERIFY(resistive_shell(x, 1e6).extinction() < 1e-5);
    QVERIFY(resistive_shell(x, 0.5).extinction() > resistive_shell(x, 0.5).scattering());
    const SphereSeries reactive = resistive_shell(x, {0, -0.7});  // takes no power
    QVERIFY(std::abs(reactive.extinction() / reactive.scattering() - 1) < 1e-13);
    // A thin shell of epsilon with the same current, eta = 1/(jk (epsilon - 1) d): the difference falls with d (times epsilon, since
    // the wave's normal component is not that of a sheet).
    const auto thin = [&](double d) {
      const std::complex<double> epsilon(1, -2 / d);
      return apart(coated_sphere(x - d / 2, x + d / 2, 1, 1, epsilon, 1),
                   resistive_shell(x, 1.0 / (std::complex<double>(0, d) * (epsilon - 1.0))));
    };
    QVERIFY2(thin(2e-3) < 0.02 && thin(2e-3) / thin(1e-3) > 1.5,
             qPrintable(QString("%1 %2").arg(thin(2e-3)).arg(thin(1e-3))));
  }

  void convergence_of_the_truncation_equals_the_table() {
    const auto rows = table("modal_convergence.csv");
    QVERIFY(rows.size() > 20);
    for (const auto& row : rows)
      QVERIFY(std::abs(truncation_radius(row[0], row[0] + 2 * std::numbers::pi * row[1]) - row[2]) <
              2e-5 * (1 + row[2]));
  }

  void dispersion_laws_follow_their_formulas() {
    const double f = 3e9;
    const std::complex<double> water = debye(5, {{73, 9e-12}}, 0, f),
                               expected = 5.0 + 73.0 / std::complex<double>(1, 2 * std::numbers::pi * f * 9e-12);
    QVERIFY(std::abs(water - expected) < 1e-12);
    QVERIFY(water.imag() < 0);
    QVERIFY(std::abs(debye(1, {}, 1, f).imag() + 1 / (2 * std::numbers::pi * f * 8.8541878128e-12)) < 1e-9);
    QVERIFY(std::abs(lorentz(1, {{2, 4e9, 0}}, 0) - 3.0) < 1e-12);
    QVERIFY(lorentz(1, {{2, 4e9, 1e8}}, 4e9).imag() < -10);
    QCOMPARE(interpolate({1, 2, 4}, {10, 20, 0}, 3, 1), 10.0);
    QCOMPARE(interpolate({1, 2, 4}, {10, 20, 0}, 9, 1), 0.0);
    QCOMPARE(interpolate({1, 2}, {}, 9, 1), 1.0);
  }
};

QTEST_APPLESS_MAIN(TestMie)
#include "test_mie.moc"
