// SPDX-License-Identifier: BSD-3-Clause
// Dense LU, least squares and products by LAPACK and by Eigen: same answers, condition estimate, singular matrices told.
// labels: unit
#include <QTest>
#include <array>
#include <limits>
#include <random>

#include "engine/linalg/dense.hpp"

using namespace conoid;
using dense::Backend;

namespace {

using C = std::complex<double>;

std::vector<C> random_matrix(Index rows, Index cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<C> a(static_cast<std::size_t>(rows * cols));
  for (C& v : a) v = {u(random), u(random)};
  return a;
}

double largest(const std::vector<C>& a, const std::vector<C>& b) {
  double m = 0;
  for (std::size_t k = 0; k < a.size(); ++k) m = std::max(m, std::abs(a[k] - b[k]));
  return m;
}

/// Own products against sums in long double, β = 0 (over what is no number), 1 and another; bound: k + 2 roundings of terms below 2.
template <class Real>
void check_products() {
  using T = std::complex<Real>;
  using Wide = std::complex<long double>;
  for (const auto& [m, k, n] : {std::array<Index, 3>{1, 1, 1},
                                {7, 3, 2},
                                {8, 200, 6},
                                {33, 193, 7},
                                {129, 385, 12},
                                {131, 1601, 5},
                                {257, 40, 103},
                                {3, 4001, 13},
                                {5, 0, 4}}) {
    const auto narrow = [](const std::vector<C>& from) { return std::vector<T>(from.begin(), from.end()); };
    const std::vector<T> a = narrow(random_matrix(m, k, 21)), x = narrow(random_matrix(k, n, 22)),
                         before = narrow(random_matrix(m, n, 23));
    for (const T beta : {T(0), T(1), T(Real(0.5), Real(-2))}) {
      std::vector<T> y = before;
      if (beta == T(0)) std::fill(y.begin(), y.end(), T(std::numeric_limits<Real>::quiet_NaN()));
      dense::multiply<T>(a.data(), m, k, x.data(), n, beta, y.data(), 2, Backend::own);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i) {
          Wide sum = Wide(beta) * Wide(before[static_cast<std::size_t>(j * m + i)]);
          for (Index p = 0; p < k; ++p)
            sum += Wide(a[static_cast<std::size_t>(p * m + i)]) * Wide(x[static_cast<std::size_t>(j * k + p)]);
          const auto off = std::abs(Wide(y[static_cast<std::size_t>(j * m + i)]) - sum);
          const double bound = std::numeric_limits<Real>::epsilon() * static_cast<double>((k + 2) * 2 + 6);
          QVERIFY2(
              static_cast<double>(off) <= bound,
              qPrintable(
                  QString("%1 x %2 x %3: %4, bound %5").arg(m).arg(k).arg(n).arg(static_cast<double>(off)).arg(bound)));
        }
    }
  }
}

}  // namespace

class TestDense : public QObject {
  Q_OBJECT

 private slots:
  void lu_solves_many_right_hand_sides_data() {
    QTest::addColumn<int>("backend");
    QTest::newRow("automatic") << static_cast<int>(Backend::automatic);
    QTest::newRow("eigen") << static_cast<int>(Backend::eigen);
    QTest::newRow("own") << static_cast<int>(Backend::own);
    QTest::newRow("lapack") << static_cast<int>(Backend::lapack);
  }
  void lu_solves_many_right_hand_sides() {
    QFETCH(int, backend);
    const auto by = static_cast<Backend>(backend);
    for (Index n : {1, 7, 61, 133, 211}) {
      const std::vector<C> a = random_matrix(n, n, 1), x = random_matrix(n, 5, 2);
      std::vector<C> b(static_cast<std::size_t>(5 * n)), factors = a;
      dense::multiply<C>(a.data(), n, n, x.data(), 5, C(0), b.data(), 2, by);
      // <A x, y> = <x, Aᴴ y>
      std::vector<C> back(static_cast<std::size_t>(5 * n));
      dense::multiply_adjoint<C>(a.data(), n, n, x.data(), 5, back.data(), 2, by);
      C left = 0, right = 0;
      for (std::size_t k = 0; k < b.size(); ++k) {
        left += std::conj(b[k]) * x[k];
        right += std::conj(x[k]) * back[k];
      }
      QVERIFY(std::abs(left - right) < 1e-10 * static_cast<double>(n * n));
      auto lu = dense::Lu<C>::factorise(factors.data(), n, 2, by);
      QVERIFY(lu.ok());
      lu->solve(b.data(), 5);
      QVERIFY(largest(b, x) < 1e-9);
      // Estimate within a factor of ten of the truth: ‖A⁻¹‖₁ from all unit vectors.
      std::vector<C> inverse(static_cast<std::size_t>(n * n));
      for (Index k = 0; k < n; ++k) inverse[static_cast<std::size_t>(k * n + k)] = 1;
      lu->solve(inverse.data(), n);
      const auto norm1 = [n](const std::vector<C>& m) {
        double most = 0;
        for (Index j = 0; j < n; ++j) {
          double sum = 0;
          for (Index i = 0; i < n; ++i) sum += std::abs(m[static_cast<std::size_t>(j * n + i)]);
          most = std::max(most, sum);
        }
        return most;
      };
      const double truth = 1 / (norm1(a) * norm1(inverse)), estimate = lu->reciprocal_condition();
      QVERIFY2(estimate >= 0.99 * truth && estimate < 10 * truth,
               qPrintable(QString("%1 %2").arg(estimate).arg(truth)));
    }
  }
  void back_ends_agree() {
    const Index n = 40;
    std::vector<C> a = random_matrix(n, n, 3), b = random_matrix(n, 3, 4), a2 = a, b2 = b;
    auto one = dense::Lu<C>::factorise(a.data(), n, 1), two = dense::Lu<C>::factorise(a2.data(), n, 1, Backend::eigen);
    one->solve(b.data(), 3);
    two->solve(b2.data(), 3);
    QVERIFY(largest(b, b2) < 1e-10);
    QVERIFY(std::abs(one->reciprocal_condition() / two->reciprocal_condition() - 1) < 0.5);
  }
  void own_factors_do_not_see_the_number_of_threads() {
    for (Index n : {199, 305, 450}) {
      const std::vector<C> a = random_matrix(n, n, 7);
      std::vector<C> one = a, three = a, reference = a;
      QVERIFY(dense::Lu<C>::factorise(one.data(), n, 1, Backend::own).ok());
      QVERIFY(dense::Lu<C>::factorise(three.data(), n, 3, Backend::own).ok());
      QVERIFY(one == three);
      QVERIFY(dense::Lu<C>::factorise(reference.data(), n, 1, Backend::lapack).ok());
      QVERIFY(largest(one, reference) < 1e-9);  // the same pivots: no ties among random numbers
    }
  }
  void own_products_at_odd_sizes() {
    check_products<double>();
    check_products<float>();
  }
  void own_products_do_not_see_the_number_of_threads() {
    const Index m = 131, k = 5000, n = 13;  // sums in several pieces
    const std::vector<C> a = random_matrix(m, k, 11), x = random_matrix(k, n, 12);
    std::vector<C> one(static_cast<std::size_t>(m * n)), three = one, lapack = one;
    dense::multiply<C>(a.data(), m, k, x.data(), n, C(0), one.data(), 1, Backend::own);
    dense::multiply<C>(a.data(), m, k, x.data(), n, C(0), three.data(), 3, Backend::own);
    if (dense::backend_name(Backend::own) == "own kernels") QVERIFY(one == three);
    dense::multiply<C>(a.data(), m, k, x.data(), n, C(0), lapack.data(), 1, Backend::eigen);
    QVERIFY(largest(one, lapack) < 4e-16 * static_cast<double>(k));
  }
  void a_stop_is_heard_while_factorising() {
    if (dense::backend_name(Backend::own) != "own kernels") QSKIP("no kernels of our own for this processor");
    const Index n = 701;
    const std::vector<C> a = random_matrix(n, n, 9);
    const auto looks_until = [&](Index at, bool& given_up) {
      std::vector<C> copy = a;
      Index looks = 0;
      const auto lu = dense::Lu<C>::factorise(copy.data(), n, 1, Backend::own, [&] { return ++looks == at; });
      given_up = !lu.ok() && lu.error().code == ErrorCode::stopped;
      return looks;
    };
    bool given_up = false;
    const Index whole = looks_until(0, given_up);
    QVERIFY(!given_up);
    // Between two looks a fiftieth of 10⁹ operations at most, on average, whatever the size.
    QVERIFY2(static_cast<double>(whole) > 8.0 / 3 * n * n * n / 2e7, qPrintable(QString::number(whole)));
    for (Index at = 1; at <= whole; at += 9) {
      QCOMPARE(looks_until(at, given_up), at);
      QVERIFY(given_up);
    }
  }

  void singular_matrices_are_told() {
    for (Backend by : {Backend::automatic, Backend::eigen, Backend::own}) {
      std::vector<C> a(16, C(0));
      const auto lu = dense::Lu<C>::factorise(a.data(), 4, 1, by);
      QVERIFY(!lu.ok());
      QCOMPARE(lu.error().code, ErrorCode::not_converged);
    }
  }
  void least_squares_has_an_orthogonal_residual() {
    for (Backend by : {Backend::automatic, Backend::eigen}) {
      const Index rows = 37, cols = 20;
      const std::vector<C> a = random_matrix(rows, cols, 5), b = random_matrix(rows, 2, 6);
      std::vector<C> a2 = a, x = b;
      QVERIFY(dense::least_squares<C>(a2.data(), rows, cols, x.data(), 2, 1, by).ok());
      for (Index c = 0; c < 2; ++c)
        for (Index j = 0; j < cols; ++j) {
          C dot = 0;
          for (Index i = 0; i < rows; ++i) {
            C r = b[static_cast<std::size_t>(c * rows + i)];
            for (Index k = 0; k < cols; ++k)
              r -= a[static_cast<std::size_t>(k * rows + i)] * x[static_cast<std::size_t>(c * rows + k)];
            dot += std::conj(a[static_cast<std::size_t>(j * rows + i)]) * r;
          }
          QVERIFY(std::abs(dot) < 1e-11);
        }
    }
  }
};

QTEST_GUILESS_MAIN(TestDense)
#include "test_dense.moc"
