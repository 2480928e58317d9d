// SPDX-License-Identifier: BSD-3-Clause
// The sphere's series against an independent table, and its own identities.
// labels: unit
#include <QFile>
#include <QTest>
#include <QTextStream>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

std::vector<std::vector<double>> table(const char* name) {
  QFile file(QString(CONOID_TEST_DATA "/acoustic_bem/") + name);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot open %s", name);
  std::vector<std::vector<double>> rows;
  QTextStream text(&file);
  while (!text.atEnd()) {
    const QString line = text.readLine();
    if (line.isEmpty() || !(line[0].isDigit() || line[0] == '-')) continue;
    std::vector<double> row;
    for (const QString& cell : line.split(',')) row.push_back(cell.toDouble());
    rows.push_back(row);
  }
  return rows;
}

std::complex<double> published(double mu, double rho, double cosine) {
  using Complex = std::complex<double>;
  const double x = mu * rho;
  // h_{m−1}, h_m by h_{−1} = i h_0, h_0 = −i e^{ix}/x, upwards, where y grows and carries it.
  Complex below_x = std::polar(1 / x, x), at_x = Complex(0, -1) * below_x, below = std::polar(1 / mu, mu),
          at = Complex(0, -1) * below, sum = 0;
  double before = 0, p = 1;
  for (int m = 0; m < 120 && std::abs(at) < 1e150 && std::abs(at_x) < 1e150; ++m) {
    sum += (2.0 * m + 1) * p * at_x / (below - (m + 1.0) / mu * at);
    below_x = std::exchange(at_x, (2.0 * m + 1) / x * at_x - below_x);
    below = std::exchange(at, (2.0 * m + 1) / mu * at - below);
    before = std::exchange(p, ((2.0 * m + 1) * cosine * p - m * before) / (m + 1));
  }
  return -rho / mu * std::polar(1.0, -x) * sum;
}

}  // namespace

class TestExactSphere : public QObject {
  Q_OBJECT

 private slots:
  /// Neighbouring numbers have neighbouring answers, also beside quarters of a turn, on which evenly spaced frequencies fall.
  void wave_numbers_beside_quarter_turns_are_like_others() {
    ExactSphere rigid{true, 1, 1, 0}, fluid{true, 1, 1, 0};
    fluid.filling = Filling{1, 2};  // the same wave number within
    for (int quarter = 1; quarter <= 8; ++quarter) {
      const double turn = quarter * std::numbers::pi / 2;
      double x = turn;
      for (int k = 0; k < 4; ++k) x = std::nextafter(x, 0.0);
      for (int k = 0; k < 9; ++k, x = std::nextafter(x, 10.0))
        for (const ExactSphere& s : {rigid, fluid})  // slopes are below 10 a unit of ka
          QVERIFY2(std::abs(s.surface(x, 0.3) - s.surface(turn + 1e-9, 0.3)) < 1e-7 &&
                       std::abs(s.scattered(x, 2, 0.3) - s.scattered(turn + 1e-9, 2, 0.3)) < 1e-7,
                   qPrintable(QString::number(x, 'g', 17)));
    }
  }

  void series_agree_with_the_table() {
    // The table's waves are e^{+iωt}: complex conjugates of ours. Its far field is in units of the radius.
    const ExactSphere sphere{true, 1, 1, 0};
    const auto rows = table("rigid_sphere.csv");
    QVERIFY(rows.size() > 100);
    for (const auto& r : rows) {
      const double cosine = std::cos(r[1] * std::numbers::pi / 180);
      const auto p = sphere.surface(r[0], cosine), f = sphere.far_field(r[0], cosine);
      QVERIFY(std::abs(p - std::complex<double>(r[2], -r[3])) < 1e-10);
      QVERIFY(std::abs(f - std::complex<double>(r[4], -r[5])) < 1e-10);
    }
  }

  // R. O. Duda and W. L. Martens, J. Acoust. Soc. Am. 104 (1998) 3048, equation 4, over the free field at the centre:
  // H = −(ρ/μ) e^{−iμρ} Σ (2m+1) P_m(cos θ) h_m(μρ)/h′_m(μ), summed by its own recurrences.
  void sources_nearby_are_heard_as_published() {
    for (const double rho : {1.25, 2.0, 3.0, 100.0})
      for (const double mu : {0.5, 1.0, 3.0, 10.0})
        for (const double theta : {0.0, 40.0, 100.0, 150.0, 180.0}) {
          const double cosine = std::cos(theta * std::numbers::pi / 180);
          const auto got = ExactSphere{true, 1, 1, rho}.surface(mu, -cosine) /
                           std::polar(1 / (4 * std::numbers::pi * rho), mu * rho);
          QVERIFY2(std::abs(got - published(mu, rho, cosine)) < 1e-6 * std::abs(got),
                   qPrintable(QString("rho %1, mu %2, theta %3: %4 for %5")
                                  .arg(rho)
                                  .arg(mu)
                                  .arg(theta)
                                  .arg(std::abs(got))
                                  .arg(std::abs(published(mu, rho, cosine)))));
        }
    // At rest the sum is known where the ear faces the source: 2ρ/(ρ − 1) + ρ ln(1 − 1/ρ), 18 dB at ρ = 1.25.
    for (const double rho : {1.25, 2.0}) {
      const double still = std::abs(ExactSphere{true, 1, 1, rho}.surface(0.02, -1)) * 4 * std::numbers::pi * rho;
      const double want = 2 * rho / (rho - 1) + rho * std::log(1 - 1 / rho);
      QVERIFY2(std::abs(still / want - 1) < 1e-3, qPrintable(QString("%1 for %2").arg(still).arg(want)));
    }
    // Waves from afar reach ears at both ends of a diameter 3 a/c apart where they are long (G. F. Kuhn, J. Acoust. Soc. Am. 62 (1977) 157).
    const ExactSphere far{true, 1, 1, 0};
    QVERIFY(std::abs(std::arg(far.surface(0.01, 1) / far.surface(0.01, -1)) / 0.01 - 3) < 1e-3);
  }

  void cross_sections_agree_with_the_table() {
    for (const auto& r : table("rigid_sphere_sigma.csv")) {
      for (bool rigid : {true, false}) {
        const ExactSphere sphere{rigid, 1, 1, 0};
        // Q = (1/π) ∮|f|² dΩ = 2 ∫|f|² d cosθ; the integrand is a polynomial of degree ≤ 2 l: Simpson on 4000 parts.
        double q = 0;
        const int n = 4000;
        for (int k = 0; k <= n; ++k)
          q += (k == 0 || k == n ? 1
                : k % 2          ? 4
                                 : 2) *
               std::norm(sphere.far_field(r[0], -1 + 2.0 * k / n)) * 2 / (3 * n);
        q *= 2;
        const double want = rigid ? r[1] : r[3];
        QVERIFY2(std::abs(q - want) < 1e-7 * want, qPrintable(QString("%1 %2").arg(q).arg(want)));
      }
    }
  }

  void rigid_surface_is_incident_plus_scattered() {
    for (double rs : {0.0, 3.0})
      for (double ka : {0.3, 1.0, 4.0}) {
        const ExactSphere sphere{true, 1, 1, rs};
        for (double cosine : {-1.0, -0.3, 0.6, 1.0}) {
          const double distance = std::sqrt(1 + rs * rs + 2 * rs * cosine);
          const std::complex<double> incident =
              rs > 0 ? std::polar(1 / (4 * std::numbers::pi * distance), ka * distance) : std::polar(1.0, ka * cosine);
          QVERIFY(std::abs(sphere.surface(ka, cosine) - incident - sphere.scattered(ka, 1, cosine)) < 1e-10);
        }
      }
  }

  void soft_surface_has_no_pressure() {
    const ExactSphere sphere{false, 1, 1, 0};
    for (double ka : {0.3, 1.0, 4.0})
      for (double cosine : {-1.0, 0.2, 1.0})
        QVERIFY(std::abs(std::polar(1.0, ka * cosine) + sphere.scattered(ka, 1, cosine)) < 1e-10);
  }

  void far_signals_tend_to_the_far_field() {
    const ExactSphere sphere{true, 1, 1, 0};
    const double ka = 2, r = 4000;
    const auto u = sphere.scattered(ka, r, 0.4) * r * std::polar(1.0, -ka * r);
    QVERIFY(std::abs(u - sphere.far_field(ka, 0.4)) < 3e-3);  // next term is of order l²/(kr)
  }
};

QTEST_APPLESS_MAIN(TestExactSphere)
#include "test_exact_sphere.moc"
