// SPDX-License-Identifier: BSD-3-Clause
// The sphere's series against an independent table, and its own identities.
// labels: unit
#include <QFile>
#include <QTest>
#include <QTextStream>
#include <cmath>
#include <numbers>

#include "engine/solvers/acoustic_bem/exact_sphere.hpp"

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

}  // namespace

class TestExactSphere : public QObject {
  Q_OBJECT

 private slots:
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
