// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients end after as many iterations as the matrix has different eigenvalues, and say when a matrix is not for them.
// labels: unit
// links: conoid_linalg
#include <cmath>
#include <limits>
#include <vector>

#include <QTest>

#include "engine/linalg/conjugate_gradients.hpp"

using namespace conoid;

namespace {

/// Vectors in memory, a diagonal matrix beside a rotation of planes (so that it is not diagonal), M its diagonal or the identity.
struct InMemory {
  std::vector<double> x, r, z, p, q, b, eigenvalues;
  bool scaled = false;

  InMemory(std::vector<double> spectrum, bool preconditioned)
      : x(spectrum.size()), r(x), z(x), p(x), q(x), b(x), eigenvalues(std::move(spectrum)), scaled(preconditioned) {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + 0.1 * static_cast<double>(i % 7);
  }
  /// A = G diag(λ) Gᵀ with G a rotation by 0.6, 0.8 in each plane of neighbours.
  [[nodiscard]] std::vector<double> times(const std::vector<double>& v) const {
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i + 1 < v.size(); i += 2) {
      const double u = eigenvalues[i] * (0.6 * v[i] - 0.8 * v[i + 1]);
      const double w = eigenvalues[i + 1] * (0.8 * v[i] + 0.6 * v[i + 1]);
      out[i] = 0.6 * u + 0.8 * w;
      out[i + 1] = -0.8 * u + 0.6 * w;
    }
    return out;
  }
  [[nodiscard]] double diagonal(std::size_t i) const {
    const double u = eigenvalues[i / 2 * 2], w = eigenvalues[i / 2 * 2 + 1];
    return i % 2 == 0 ? 0.36 * u + 0.64 * w : 0.64 * u + 0.36 * w;
  }
  static double dot(const std::vector<double>& v, const std::vector<double>& w) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * w[i];
    return sum;
  }
  double precondition() {
    for (std::size_t i = 0; i < r.size(); ++i) z[i] = scaled ? r[i] / diagonal(i) : r[i];
    return dot(r, z);
  }
  double start() {
    const std::vector<double> product = times(x);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - product[i];
    const double rz = precondition();
    p = z;
    return rz;
  }
  double product() { return q = times(p), dot(p, q); }
  double update(double alpha) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    return precondition();
  }
  void direction(double beta) {
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + beta * p[i];
  }
  [[nodiscard]] double error() const {
    const std::vector<double> product = times(x);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(product[i] - b[i]));
    return worst;
  }
};

std::vector<double> spectrum(Index different) {
  std::vector<double> out(24);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = 1 + 3 * static_cast<double>(i % static_cast<std::size_t>(different));
  return out;
}

}  // namespace

class TestConjugateGradients : public QObject {
  Q_OBJECT
 private slots:
  void iterations_are_the_different_eigenvalues() {
    for (const Index different : {1, 2, 3, 6}) {
      InMemory system(spectrum(different), false);
      const ConjugateEnd end = conjugate_gradients(system, 1e-26, 100);
      QVERIFY(end.converged);
      QCOMPARE(end.iterations, different);
      QVERIFY2(system.error() < 1e-11, qPrintable(QString::number(system.error())));
    }
  }

  void a_preconditioner_changes_the_way_and_not_the_end() {
    InMemory plain(spectrum(6), false), scaled(spectrum(6), true);
    QVERIFY(conjugate_gradients(plain, 1e-28, 100).converged);
    QVERIFY(conjugate_gradients(scaled, 1e-28, 100).converged);
    for (std::size_t i = 0; i < plain.x.size(); ++i) QVERIFY(std::abs(plain.x[i] - scaled.x[i]) < 1e-12);
  }

  void a_solution_takes_no_iteration() {
    InMemory system(spectrum(3), false);
    QVERIFY(conjugate_gradients(system, 1e-28, 100).converged);
    system.b = system.times(system.x);
    QCOMPARE(conjugate_gradients(system, 1e-28, 100).iterations, Index(0));
  }

  void what_does_not_end_is_said() {
    InMemory system(spectrum(6), false);
    ConjugateEnd end = conjugate_gradients(system, 1e-26, 3);
    QVERIFY(!end.converged);
    QCOMPARE(end.iterations, Index(3));
    InMemory indefinite({2, -2, 1, 1}, false);
    QVERIFY(!conjugate_gradients(indefinite, 1e-26, 100).converged);
    InMemory nothing({2, 1}, false);
    nothing.b[0] = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!conjugate_gradients(nothing, 1e-26, 100).converged);
  }
};

QTEST_APPLESS_MAIN(TestConjugateGradients)
#include "test_conjugate_gradients.moc"
