// SPDX-License-Identifier: BSD-3-Clause
// Compressed matrices of a kernel that is known: products, errors that are told, blocks of zeros, the preconditioner.
// labels: unit
#include <QTest>

#include <cmath>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/linalg/cluster_preconditioner.hpp"
#include "engine/linalg/compressed_matrix.hpp"

using namespace conoid;
using Complex = std::complex<double>;

namespace {

/// Three components a point: waves from one point to another, the components coupled by the direction or, as tractions in a plane are, by
/// its part in the plane and the normal alone (zeros elsewhere). Two on the diagonal.
class Waves final : public MatrixSource {
 public:
  Waves(std::vector<Vec3> points, double wave_number, bool zeros)
      : points_(std::move(points)), k_(wave_number), zeros_(zeros) {}
  [[nodiscard]] Complex value(Index row, Index column, Index i, Index j) const {
    if (row == column) return i == j ? 2.0 * static_cast<double>(points_.size()) : 0.0;
    const Vec3 d = vec::sub(points_[static_cast<std::size_t>(row)], points_[static_cast<std::size_t>(column)]);
    const double r = vec::norm(d);
    const auto along = [&](Index c) { return d[static_cast<std::size_t>(c)] / r; };
    const double part =
        zeros_ ? (i == 2 ? along(j) : 0) - (j == 2 ? along(i) : 0) : (i == j ? 1 : 0) + along(i) * along(j);
    return part * std::exp(Complex(0, -k_ * r)) / r;
  }
  [[nodiscard]] std::unique_ptr<CrossBlock> far(std::span<const Index> rows,
                                                std::span<const Index> columns) const override {
    class Block final : public CrossBlock {
     public:
      Block(const Waves& of, std::span<const Index> r, std::span<const Index> c) : of_(of), rows_(r), columns_(c) {}
      void rows(Index point, Complex* out) override {
        for (Index i = 0; i < 3; ++i)
          for (const Index column : columns_)
            for (Index j = 0; j < 3; ++j) *out++ = of_.value(rows_[static_cast<std::size_t>(point)], column, i, j);
      }
      void columns(Index point, Complex* out) override {
        for (Index j = 0; j < 3; ++j)
          for (const Index row : rows_)
            for (Index i = 0; i < 3; ++i) *out++ = of_.value(row, columns_[static_cast<std::size_t>(point)], i, j);
      }

     private:
      const Waves& of_;
      std::span<const Index> rows_, columns_;
    };
    return std::make_unique<Block>(*this, rows, columns);
  }
  void near(std::span<const Index> rows, std::span<const Index> columns, Complex* out) const override {
    for (const Index column : columns)
      for (Index j = 0; j < 3; ++j)
        for (const Index row : rows)
          for (Index i = 0; i < 3; ++i) *out++ = value(row, column, i, j);
  }
  [[nodiscard]] const std::vector<Vec3>& points() const { return points_; }

 private:
  std::vector<Vec3> points_;
  double k_;
  bool zeros_;
};

std::vector<Vec3> scattered(Index count, bool flat) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Vec3> out;
  for (Index k = 0; k < count; ++k) out.push_back({unit(random), unit(random), flat ? 0.0 : unit(random)});
  return out;
}

std::vector<Complex> any_vectors(Index length) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<Complex> out(static_cast<std::size_t>(length));
  for (Complex& v : out) v = {normal(random), normal(random)};
  return out;
}

std::vector<Complex> dense_product(const Waves& source, const std::vector<Complex>& x, Index count) {
  const auto m = static_cast<Index>(source.points().size());
  std::vector<Complex> y(x.size());
  for (Index q = 0; q < count; ++q)
    for (Index row = 0; row < m; ++row)
      for (Index column = 0; column < m; ++column)
        for (Index i = 0; i < 3; ++i)
          for (Index j = 0; j < 3; ++j)
            y[static_cast<std::size_t>((3 * q + i) * m + row)] +=
                source.value(row, column, i, j) * x[static_cast<std::size_t>((3 * q + j) * m + column)];
  return y;
}

double apart(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double difference = 0, size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference += std::norm(a[k] - b[k]);
    size += std::norm(b[k]);
  }
  return std::sqrt(difference / size);
}

template <class T>
CompressedMatrix<T> built(const Waves& source, double tolerance) {
  const ClusterTree tree(source.points(), {}, 16);
  CompressedMatrix<T> out(source, tree, tree, {3, tolerance, 0.5});
  for (Index k = 0; k < out.items(); ++k) out.build(k);
  out.finish();
  return out;
}

}  // namespace

class TestCompressedMatrix : public QObject {
  Q_OBJECT
 private slots:
  /// Blocks whose columns all vectors leave zero are passed over; the first vector has values at one corner, the second at two points.
  void vectors_with_few_values_give_the_same_products() {
    const Waves source(scattered(700, false), 3.0, false);
    const auto a = built<Complex>(source, 1e-10);
    std::vector<Complex> x(static_cast<std::size_t>(3 * 700 * 2));
    Index used = 0;
    for (Index k = 0; k < 700; ++k) {
      const Vec3& at = source.points()[static_cast<std::size_t>(k)];
      if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
      ++used;
      for (Index c = 0; c < 3; ++c) x[static_cast<std::size_t>(c * 700 + k)] = Complex(at[0], static_cast<double>(c));
    }
    QVERIFY(used > 50 && used < 150);
    x[static_cast<std::size_t>(3 * 700 + 13)] = 1;
    x[static_cast<std::size_t>(5 * 700 + 611)] = Complex(0, 2);
    const std::vector<Complex> want = dense_product(source, x, 2);
    std::vector<Complex> y(x.size());
    a.multiply(x.data(), 2, y.data(), 2);
    for (Index q = 0; q < 2; ++q) {
      const auto half = [&](const std::vector<Complex>& v) {
        return std::vector<Complex>(v.begin() + q * 2100, v.begin() + (q + 1) * 2100);
      };
      QVERIFY2(apart(half(y), half(want)) < 1e-8, qPrintable(QString::number(apart(half(y), half(want)))));
    }
  }

  void products_are_those_of_all_values_to_the_tolerance_data() {
    QTest::addColumn<double>("wave_number");
    QTest::addColumn<bool>("flat");
    QTest::addColumn<double>("tolerance");
    QTest::newRow("static, in space") << 0.0 << false << 1e-4;
    QTest::newRow("waves, in space") << 8.0 << false << 1e-4;
    QTest::newRow("waves, in space, 1e-8") << 8.0 << false << 1e-8;
    QTest::newRow("components that a plane parts") << 3.0 << true << 1e-6;
  }
  void products_are_those_of_all_values_to_the_tolerance() {
    QFETCH(double, wave_number);
    QFETCH(bool, flat);
    QFETCH(double, tolerance);
    const Waves source(scattered(700, flat), wave_number, flat);
    const auto a = built<Complex>(source, tolerance);
    const std::vector<Complex> x = any_vectors(3 * 700 * 2), want = dense_product(source, x, 2);
    std::vector<Complex> y(x.size()), again(x.size());
    a.multiply(x.data(), 2, y.data(), 1);
    a.multiply(x.data(), 2, again.data(), 3);
    // The diagonal is as large as all others together, so that the error of the product is less than that of the blocks.
    const double error = apart(y, want);
    qInfo("far blocks of rank %.1f, error %.2g, sampled %.2g", a.average_rank(), error, a.sampled_error());
    QVERIFY(a.average_rank() > 1);
    QVERIFY(error < tolerance);
    QVERIFY(error > 0);
    QVERIFY(a.sampled_error() < 1.5 * tolerance);
    QVERIFY(a.sampled_error() > 0.02 * tolerance);
    QVERIFY(y == again);  // whatever the number of threads
  }

  void what_is_kept_in_single_precision_takes_half() {
    const Waves source(scattered(500, false), 4, false);
    const auto twice = built<Complex>(source, 1e-4);
    const auto once = built<std::complex<float>>(source, 1e-4);
    QCOMPARE(2 * once.bytes(), twice.bytes());
    const std::vector<Complex> x = any_vectors(1500);
    std::vector<Complex> y(x.size()), z(x.size());
    twice.multiply(x.data(), 1, y.data(), 2);
    once.multiply(x.data(), 1, z.data(), 2);
    QVERIFY(apart(z, y) < 1e-6);
    QVERIFY(apart(z, y) > 0);
  }

  void blocks_on_the_diagonal_are_those_of_the_matrix() {
    const Waves source(scattered(300, false), 2, false);
    const auto a = built<Complex>(source, 1e-7);
    const ClusterTree::Cluster& half = a.rows()[a.rows()[0].child[1]];
    const Index n = 3 * half.size();
    std::vector<std::complex<float>> values(static_cast<std::size_t>(n * n));
    a.diagonal_block(half, values.data());
    double worst = 0;
    for (Index c = 0; c < n; ++c)
      for (Index r = 0; r < n; ++r) {
        const auto point = [&](Index k) { return a.rows().order()[static_cast<std::size_t>(half.begin + k / 3)]; };
        worst = std::max(worst, std::abs(Complex(values[static_cast<std::size_t>(c * n + r)]) -
                                         source.value(point(r), point(c), r % 3, c % 3)));
      }
    QVERIFY2(worst < 1e-4, qPrintable(QString::number(worst)));  // the diagonal is 600
  }

  void the_preconditioner_is_nearly_the_inverse() {
    const Waves source(scattered(600, false), 2, false);
    const auto a = built<std::complex<float>>(source, 1e-5);
    const auto apply = [&](const Complex* x, Index count, Complex* y) { a.multiply(x, count, y, 1); };
    const auto motion = [](Index, Index k, double* v) {
      for (Index d = 0; d < 3; ++d) v[d] = d == k ? 1 : 0;
    };
    const std::vector<Complex> x = any_vectors(1800);
    std::vector<Complex> y(x.size()), back(x.size());
    apply(x.data(), 1, y.data());
    double error[2];
    for (const int coarse : {0, 1}) {
      const auto near = ClusterPreconditioner<std::complex<float>>::make(
          a, {.points = 40, .coarse_points = coarse == 1 ? 60 : 0, .threads = 2}, 3, motion, apply);
      QVERIFY(near);
      QCOMPARE(near->coarse() > 0, coarse == 1);
      near->solve(y.data(), 1, back.data());
      error[coarse] = apart(back, x);
    }
    qInfo("apart from the inverse: %.2g with clusters, %.2g with their motions", error[0], error[1]);
    QVERIFY(error[0] < 0.5);
    QVERIFY(error[1] < error[0]);
  }
};

QTEST_APPLESS_MAIN(TestCompressedMatrix)
#include "test_compressed_matrix.moc"
