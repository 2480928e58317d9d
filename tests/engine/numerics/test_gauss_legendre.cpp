// SPDX-License-Identifier: BSD-3-Clause
// Gauss rules integrate polynomials up to their degree and no further, and matrices of a point invert.
// labels: unit
#include <QTest>

#include <array>
#include <cmath>

#include "engine/numerics/gauss_legendre.hpp"
#include "engine/numerics/small_matrix.hpp"

class TestGaussLegendre : public QObject {
  Q_OBJECT
  template <int D>
  static void invert(const std::array<double, 9>& J, double det) {
    using M = conoid::SmallMatrix<double, D>;
    std::array<double, 9> A{}, one{};
    M::adjugate(J.data(), A.data());
    M::product(J.data(), A.data(), one.data());
    QCOMPARE(M::det(J.data()), det);  // whole numbers: no rounding
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) QCOMPARE(one[static_cast<std::size_t>(i * D + j)], i == j ? det : 0.0);
  }
 private slots:
  void polynomials_up_to_the_degree_and_no_further() {
    for (int n = 1; n <= 40; ++n) {
      const conoid::LineRule rule = conoid::gauss_legendre(n);
      QCOMPARE(rule.points.size(), static_cast<std::size_t>(n));
      const auto sum = [&](int power) {
        double s = 0;
        for (std::size_t i = 0; i < rule.points.size(); ++i)
          s += rule.weights[i] * std::pow(2 * rule.points[i] - 1, power);
        return s;
      };
      // ∫ (2x − 1)^m dx = 1/(m + 1) or 0, each weight right to some n times the round-off.
      for (int m = 0; m < 2 * n; ++m) QVERIFY(std::abs(sum(m) - (m % 2 == 0 ? 1.0 / (m + 1) : 0)) < 2e-16 * (n + 2));
      // The next even power is missed by the mean of the square of P_n with leading coefficient 1, 4ⁿ (n!)⁴ / ((2n + 1) ((2n)!)²).
      const double missed =
          std::exp(n * std::log(4.0) + 4 * std::lgamma(n + 1.0) - 2 * std::lgamma(2 * n + 1.0)) / (2 * n + 1);
      QVERIFY(std::abs(1.0 / (2 * n + 1) - sum(2 * n) - missed) < 2e-16 * (n + 2) + 1e-12 * missed);
      for (std::size_t i = 1; i < rule.points.size(); ++i) QVERIFY(rule.points[i] > rule.points[i - 1]);
    }
  }
  void legendre_polynomials_and_slopes() {
    const double x = 0.3;
    const auto [p3, d3] = conoid::legendre(3, x);
    QVERIFY(std::abs(p3 - (5 * x * x * x - 3 * x) / 2) < 1e-15);
    QVERIFY(std::abs(d3 - (15 * x * x - 3) / 2) < 2e-15);
    QCOMPARE(conoid::legendre(0, x).first, 1.0);
    QCOMPARE(conoid::legendre(0, x).second, 0.0);
  }
  void a_matrix_times_its_adjugate_is_its_determinant() {
    invert<1>({3}, 3);
    invert<2>({2, 3, -1, 4}, 11);
    invert<3>({2, 0, 1, -1, 3, 2, 4, 1, 5}, 13);
  }
};

QTEST_APPLESS_MAIN(TestGaussLegendre)
#include "test_gauss_legendre.moc"
