// SPDX-License-Identifier: BSD-3-Clause
// Rational admittances: their recursion is the exact convolution, fits are passive and say how good they are, poles of no wall are refused.
// labels: unit
#include <QTest>
#include <cmath>
#include <numbers>

#include "engine/solvers/acoustic_bem/discretization/admittance.hpp"
#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using Complex = std::complex<double>;

class TestAdmittance : public QObject {
  Q_OBJECT
 private slots:
  /// p grows evenly from 0: ∫ β * p of each pole in closed form.
  void the_recursion_is_exact_for_linear_signals() {
    const RationalAdmittance wall = ringing_wall();
    for (const double dt : {0.003, 0.3}) {
      const WallMemory memory = memory_of(wall, dt);
      std::vector<Complex> psi(wall.poles.size());
      double sum = wall.rest * 0;
      const int steps = 40;
      double before = 0;
      for (int n = 1; n <= steps; ++n) {
        // cΔt σ is the increase of β * p over the step.
        const double p = n * dt;
        const double now = memory.now * p + memory.before * (p - dt) + before;
        sum += now;
        before = memory.advance(psi.data(), p, p - dt);
      }
      const double t = steps * dt;
      double want = wall.rest * t;
      for (const AdmittancePole& k : wall.poles) {
        const Complex r = k.residue, l = k.pole, v = r * (std::exp(l * t) - 1.0 - l * t) / (l * l);
        want += (l.imag() != 0 ? 2 : 1) * v.real();
      }
      QVERIFY2(std::abs(sum - want) < 1e-12 * std::abs(want), qPrintable(QString("%1 %2").arg(sum).arg(want)));
    }
  }
  /// The transfer over many steps of a wave that begins long before.
  void the_transfer_is_that_of_the_recursion() {
    const WallMemory memory = memory_of(ringing_wall(), 0.1);
    const double omega = 1.7;
    std::vector<Complex> psi(memory.poles.size());
    double worst = 0;
    for (int n = 1; n <= 1000; ++n) {
      const auto p = [&](int k) { return std::cos(omega * 0.1 * k); };
      const double got = memory.advance(psi.data(), p(n), p(n - 1));
      const Complex z = std::polar(1.0, omega * 0.1), want = memory.transfer(z) * std::polar(1.0, -omega * 0.1 * n);
      if (n > 900) worst = std::max(worst, std::abs(got - want.real()));
    }
    QVERIFY2(worst < 1e-12, qPrintable(QString::number(worst)));
  }
  void fits_are_close_and_passive_data() {
    QTest::addColumn<double>("resistivity");
    QTest::addColumn<double>("thickness");
    QTest::addRow("mineral wool of 5 cm") << 12000.0 << 0.05;
    QTest::addRow("foam of 2 cm") << 30000.0 << 0.02;
    QTest::addRow("grass") << 200000.0 << 0.0;
    QTest::addRow("wool of 20 cm, which rings") << 6000.0 << 0.2;
  }
  void fits_are_close_and_passive() {
    QFETCH(double, resistivity);
    QFETCH(double, thickness);
    std::vector<double> f;
    std::vector<Complex> beta;
    for (int k = 0; k <= 60; ++k) {
      f.push_back(100 * std::pow(30.0, k / 60.0));
      beta.push_back(porous_admittance(resistivity, thickness, 343, f.back()));
      QVERIFY(beta.back().real() > 0);
    }
    const AdmittanceFit fit = fit_admittance(f, beta);
    qInfo("%d poles, worst %g, reflection %g", static_cast<int>(fit.admittance.poles.size()), fit.worst,
          fit.reflection);
    QVERIFY(check_passive(fit.admittance).ok());
    QVERIFY2(fit.reflection < 0.02, qPrintable(QString::number(fit.reflection)));
  }
  /// The surface impedance Z_c coth(jkd) with the figures that Miki printed, for f over resistivity, to two or three digits: 0.070 stands for
  /// 0.0695 to 0.0705, 0.7 %, the worst of the four; Z_s follows from Z_c by as much and from k by |d ln Z_s/d ln k| times 0.5 %.
  void porous_layers_have_the_impedance_of_miki() {
    for (const double resistivity : {5000.0, 20000.0, 100000.0})
      for (const double f : {100.0, 400.0, 1600.0}) {
        const double x = f / resistivity, thickness = 0.05, c = 343;
        const auto impedance = [&](double of_number) {
          const Complex zc(1 + 0.070 * std::pow(x, -0.632), -0.107 * std::pow(x, -0.632));
          const Complex k = of_number * 2 * std::numbers::pi * f / c *
                            Complex(1 + 0.109 * std::pow(x, -0.618), -0.160 * std::pow(x, -0.618));
          return zc / std::tanh(Complex(0, 1) * k * thickness);
        };
        const Complex want = impedance(1), got = 1.0 / porous_admittance(resistivity, thickness, c, f);
        const double sensitive = std::abs(impedance(1.001) / want - 1.0) / 0.001;
        QVERIFY2(std::abs(got / want - 1.0) < 0.007 + 0.005 * sensitive,
                 qPrintable(QString("%1 %2: %3").arg(resistivity).arg(f).arg(std::abs(got / want - 1.0))));
        QVERIFY((1.0 / porous_admittance(resistivity, 0, c, f)).imag() < 0);  // under exp(jωt)
      }
  }
  /// To the last digit, with the figures for 1000 f over resistivity.
  void porous_layers_follow_their_law() {
    for (const double f : {63.0, 250.0, 1000.0, 4000.0}) {
      const double x = 1000 * f / 12000;
      const Complex zc = 1.0 + Complex(5.50, -8.43) * std::pow(x, -0.632),
                    gamma = Complex(0, 1) * (2 * std::numbers::pi * f / 343) *
                            (1.0 + Complex(7.81, -11.41) * std::pow(x, -0.618));
      const Complex e = std::exp(-2.0 * gamma * 0.05), want = (1.0 - e) / (1.0 + e) / zc;
      QVERIFY(std::abs(porous_admittance(12000, 0.05, 343, f) / want - 1.0) < 1e-12);
      QVERIFY(std::abs(porous_admittance(12000, 0, 343, f) * zc - 1.0) < 1e-12);
    }
  }
  /// Delany and Bazley fitted the same measurements: where they were made both laws agree within their scatter. And only Miki's is causal.
  void porous_layers_are_near_delany_and_bazley_and_causal() {
    for (const double x : {20.0, 100.0, 500.0}) {
      const Complex old(1 + 9.08 * std::pow(x, -0.75), -11.9 * std::pow(x, -0.73)),
          z = 1.0 / porous_admittance(1000, 0, 343, x);
      QVERIFY2(std::abs(z / old - 1.0) < 0.08, qPrintable(QString("%1 %2").arg(x).arg(std::abs(z / old - 1.0))));
      // (jω)^−n turns by −n π/2 whatever the frequency; 5.50 and 8.43 are rounded to 0.1 %.
      const Complex power = z - 1.0;
      QVERIFY(std::abs(std::tan(-std::arg(power)) / std::tan(0.632 * std::numbers::pi / 2) - 1) < 1.5e-3);
    }
  }
  void a_wall_whose_poles_the_fit_does_not_have_is_fitted() {
    std::vector<double> f;
    std::vector<Complex> beta;
    const RationalAdmittance wall = ringing_wall();
    for (int k = 0; k <= 60; ++k) {
      f.push_back(0.05 * std::pow(40.0, k / 60.0));
      beta.push_back(wall.at(2 * std::numbers::pi * f.back()));
    }
    const AdmittanceFit fit = fit_admittance(f, beta);
    QVERIFY2(fit.worst < 0.02, qPrintable(QString::number(fit.worst)));
    QVERIFY(check_passive(fit.admittance).ok());
  }
  void coarse_tables_are_followed_between_their_frequencies_data() {
    QTest::addColumn<double>("octaves");
    QTest::addColumn<int>("law");
    QTest::addColumn<double>("most");
    // Measured 0.019, 0.0033, 0.0015, 0.046, 0.011, 0.037, of which monotone cubics through the table are 0.008, 0.0003, 0.0004, 0.058, 0.014
    // and 0.065 off themselves; exact at the frequencies alone fits were 0.14, 0.14, 0.11, 0.38, 0.21 and 0.67 off between them.
    QTest::addRow("resonance in octaves") << 1.0 << 0 << 0.03;
    QTest::addRow("resonance in thirds") << 1.0 / 3 << 0 << 0.006;
    QTest::addRow("sharp resonance in thirds") << 1.0 / 3 << 1 << 0.005;
    QTest::addRow("layer of 5 cm in thirds") << 1.0 / 3 << 2 << 0.07;
    QTest::addRow("layer of 20 cm in thirds") << 1.0 / 3 << 3 << 0.02;
    QTest::addRow("layer of 20 cm in octaves") << 1.0 << 3 << 0.06;
  }
  /// Such as laboratories give.
  void coarse_tables_are_followed_between_their_frequencies() {
    QFETCH(double, octaves);
    QFETCH(int, law);
    QFETCH(double, most);
    const auto beta = [&](double f) {
      const double w = 2 * std::numbers::pi * f;
      return law == 0   ? 1.0 / Complex(0.6, w * 1e-4 - 800 / w)
             : law == 1 ? 1.0 / Complex(0.15, w * 3e-4 - 1200 / w)
                        : porous_admittance(law == 2 ? 8000 : 6000, law == 2 ? 0.05 : 0.2, 343, f);
    };
    std::vector<double> f;
    std::vector<Complex> values;
    for (int k = 0; k <= static_cast<int>(std::lround(6 / octaves)); ++k) {
      f.push_back(63 * std::pow(2.0, k * octaves));
      values.push_back(beta(f.back()));
    }
    const AdmittanceFit fit = fit_admittance(f, values);
    QVERIFY(check_passive(fit.admittance).ok());
    double worst = 0;
    for (int k = 0; k <= 2000; ++k) {
      const double at = f.front() * std::pow(f.back() / f.front(), k / 2000.0);
      const Complex got = fit.admittance.at(2 * std::numbers::pi * at), want = beta(at);
      worst = std::max(worst, std::abs((1.0 - got) / (1.0 + got) - (1.0 - want) / (1.0 + want)));
    }
    qInfo("%d poles, at the frequencies %g, between them %g, off the law %g",
          static_cast<int>(fit.admittance.poles.size()), fit.reflection, fit.between, worst);
    QVERIFY2(worst < most, qPrintable(QString::number(worst)));
    QVERIFY(fit.reflection < 0.01 && fit.between > 0 && fit.between < most);
  }
  /// Damping between those of the first grid: its tails were 18 % off.
  void a_resonance_between_the_functions_of_the_fit_is_met() {
    std::vector<double> f;
    std::vector<Complex> beta;
    for (int k = 0; k <= 200; ++k) {
      f.push_back(63 * std::pow(62.0, k / 200.0));
      const double w = 2 * std::numbers::pi * f.back();
      beta.push_back(1.0 / Complex(0.15, w * 3e-4 - 1200 / w));
    }
    const AdmittanceFit fit = fit_admittance(f, beta);
    QVERIFY2(fit.reflection < 0.005 && fit.worst < 0.02, qPrintable(QString::number(fit.worst)));
  }
  /// A table that gives energy at some frequencies: the fit does not, and says that it is far off.
  void a_table_that_gives_energy_is_not_followed() {
    const std::vector<double> f{100, 200, 400, 800};
    const std::vector<Complex> beta{{0.5, 0.1}, {0.4, 0.1}, {-0.5, 0}, {0.4, -0.1}};
    const AdmittanceFit fit = fit_admittance(f, beta);
    QVERIFY(check_passive(fit.admittance).ok());
    QVERIFY(fit.worst > 0.5);
  }
  void poles_of_no_wall_are_refused() {
    QVERIFY(check_passive(ringing_wall()).ok());
    QVERIFY(!check_passive({0.1, {{1, 0.5}}}).ok());            // grows
    QVERIFY(!check_passive({0.1, {{-1, -0.5}}}).ok());          // gives energy at low frequencies
    QVERIFY(!check_passive({0, {}}).ok());                      // rigid
    QVERIFY(!check_passive({1, {{{-1, -3}, {0.1, 0}}}}).ok());  // the conjugate
    QVERIFY(!check_passive({1, {{-1, Complex(0.1, 0.1)}}}).ok());
    // A resonance that is too sharp on one side, between the samples of a coarse search.
    const auto sharp = check_passive({0.0, {{{-0.01, 50}, {0.1, -0.1}}}});
    QVERIFY(!sharp.ok());
    QVERIFY2(sharp.error().text.find("gives energy at") != std::string::npos, sharp.error().text.c_str());
  }
};

QTEST_APPLESS_MAIN(TestAdmittance)
#include "test_admittance.moc"
