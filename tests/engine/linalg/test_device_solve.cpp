// SPDX-License-Identifier: BSD-3-Clause
// LU, solutions and products of matrices on emulated devices equal those of the host; the checked one sees what they read and write.
// labels: unit emulated
#include <QTest>
#include <array>
#include <random>

#include "conoid/config.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/linalg/device_blocks.hpp"
#include "engine/linalg/device_solve.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "tests/engine/linalg/helmholtz_grid.hpp"

using namespace conoid;

namespace {

template <class T>
std::vector<T> random_values(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<T> out(static_cast<std::size_t>(count));
  for (T& v : out) {
    v = T(static_cast<typename T::value_type>(u(random)), static_cast<typename T::value_type>(u(random)));
  }
  return out;
}

template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
  double m = 0;
  for (std::size_t k = 0; k < a.size(); ++k) m = std::max(m, static_cast<double>(std::abs(a[k] - b[k])));
  return m;
}

/// A device with its library, vectors of the host that go there and back.
struct There {
  Device device;
  Stream stream;
  std::shared_ptr<dense::DeviceLibrary> library;
  explicit There(const char* name)
      : device(Device::open(name).value()), stream(device.stream()),
        library(dense::DeviceLibrary::open(device).value()) {}
  template <class T>
  DeviceBuffer<T> put(const std::vector<T>& values) {
    auto out = device.allocate<T>(values.size(), "values");
    stream.to_device(out, values);
    return out;
  }
  template <class T>
  std::vector<T> get(const DeviceBuffer<T>& from) {
    std::vector<T> out(from.size());
    stream.to_host(out, from);
    stream.synchronize();
    return out;
  }
};

/// Diagonally heavy enough that the condition stays moderate: errors are those of rounding, times n.
template <class T>
void equations_are_solved(const char* device, Index n, Index columns) {
  using Real = typename T::value_type;
  There there(device);
  std::vector<T> a = random_values<T>(n * n, static_cast<unsigned>(n));
  for (Index k = 0; k < n; ++k) a[static_cast<std::size_t>(k * n + k)] += T(static_cast<Real>(n));
  const std::vector<T> x = random_values<T>(n * columns, 7), r = random_values<T>(n * columns, 8);
  std::vector<T> b(x.size()), factors = a;
  dense::multiply<T>(a.data(), n, n, x.data(), columns, T(0), b.data(), 1);
  const double unit = sizeof(Real) == 8 ? 2.3e-16 : 1.2e-7, bound = 30 * unit * static_cast<double>(n + 1);

  const auto matrix = there.put(a), right = there.put(b), vectors = there.put(x), sums = there.put(r);
  there.library->multiply<T>(there.stream, matrix.data(), n, n, vectors.data(), columns, T(-1), T(1), sums.data());
  std::vector<T> want(r);
  for (std::size_t k = 0; k < want.size(); ++k) want[k] -= b[k];
  QVERIFY(apart(there.get(sums), want) < bound * static_cast<double>(n));

  auto lu = dense::DeviceLu<T>::factorise(there.library, there.stream, matrix.data(), n);
  QVERIFY(lu.ok());
  lu->solve(there.stream, right.data(), columns);
  const double error = apart(there.get(right), x);
  QVERIFY2(error < bound, qPrintable(QString("%1 %2").arg(error).arg(bound)));
  const auto host = dense::Lu<T>::factorise(factors.data(), n, 1);
  const double got = lu->reciprocal_condition(there.stream), ours = host->reciprocal_condition();
  QVERIFY2(std::abs(got - ours) < 1e-3 * ours, qPrintable(QString("%1 %2").arg(got).arg(ours)));
}

}  // namespace

class TestDeviceSolve : public QObject {
  Q_OBJECT
 private slots:
  void solves_data() {
    QTest::addColumn<QString>("device");
    QTest::newRow("emulated") << "emulated";
    if (CONOID_HAVE_EMULATED_CHECKED != 0) QTest::newRow("checked") << "emulated-checked";
  }
  void solves() {
    QFETCH(QString, device);
    const std::string name = device.toStdString();
    std::mt19937 random(11);
    std::vector<Index> sizes{1, 7};
    for (int k = 0; k < 3; ++k) sizes.push_back(2 * std::uniform_int_distribution<Index>(5, 70)(random) + 1);
    for (const Index n : sizes)
      for (const Index columns : {1, 5}) {
        equations_are_solved<std::complex<double>>(name.c_str(), n, columns);
        equations_are_solved<std::complex<float>>(name.c_str(), n, columns);
      }
  }

  /// LU by blocks of columns equals LAPACK's: the same pivots, factors that differ by round-off; tall matrices, and exchanges in other columns.
  void blocks_of_columns_data() { solves_data(); }
  void blocks_of_columns() {
    QFETCH(QString, device);
    using C = std::complex<double>;
    There there(device.toUtf8().constData());
    for (const auto& [rows, columns, width] :
         {std::array<Index, 3>{1, 1, 0}, {37, 37, 5}, {50, 23, 7}, {61, 61, 61}, {64, 64, 16}}) {
      const auto a = random_values<C>(rows * columns, static_cast<unsigned>(rows)),
                 beside = random_values<C>(rows * 3, 4);
      const auto matrix = there.put(a), other = there.put(beside);
      dense::DeviceBlocks<C> blocks(there.library, there.stream, rows, columns, dense::Rounding::of_numbers, width);
      const auto pivots = blocks.factorise(matrix.data(), rows, columns, rows);
      QCOMPARE(blocks.zero_pivot(), 0);
      blocks.exchange(other.data(), 3, rows);
      const std::vector<C> lu = there.get(matrix), exchanged = there.get(other);
      // L U is A with its rows exchanged.
      std::vector<C> want = a, moved = beside;
      for (Index k = 0; k < columns; ++k) {
        const Index to = pivots[static_cast<std::size_t>(k)] - 1;
        QVERIFY(to >= k && to < rows);
        for (Index c = 0; c < columns; ++c)
          std::swap(want[static_cast<std::size_t>(c * rows + k)], want[static_cast<std::size_t>(c * rows + to)]);
        for (Index c = 0; c < 3; ++c)
          std::swap(moved[static_cast<std::size_t>(c * rows + k)], moved[static_cast<std::size_t>(c * rows + to)]);
      }
      QCOMPARE(exchanged, moved);
      double error = 0;
      for (Index c = 0; c < columns; ++c)
        for (Index r = 0; r < rows; ++r) {
          C sum = 0;
          for (Index k = 0; k <= std::min(r, c); ++k)
            sum += (k == r ? C(1) : lu[static_cast<std::size_t>(k * rows + r)]) *
                   lu[static_cast<std::size_t>(c * rows + k)];
          error = std::max(error, std::abs(sum - want[static_cast<std::size_t>(c * rows + r)]));
          if (r > c) QVERIFY(std::abs(lu[static_cast<std::size_t>(c * rows + r)]) < std::sqrt(2.0) + 1e-12);  // pivoted
        }
      QVERIFY2(error < 1e-13 * static_cast<double>(columns + 1), qPrintable(QString::number(error)));
    }
  }

  void a_singular_matrix_is_told_by_blocks() {
    There there("emulated");
    using C = std::complex<float>;
    const Index n = 60;
    auto a = random_values<C>(n * n, 3);
    for (Index r = 0; r < n; ++r) a[static_cast<std::size_t>(40 * n + r)] = 0;
    const auto matrix = there.put(a);
    const auto lu =
        dense::DeviceLu<C>::factorise(there.library, there.stream, matrix.data(), n, dense::Rounding::ten_bits);
    QVERIFY(!lu.ok() && lu.error().code == ErrorCode::not_converged);
    QVERIFY2(lu.error().text.find("pivot 41") != std::string::npos, lu.error().text.c_str());
    const auto through =
        dense::factorise_through<C>(there.library, there.stream, a.data(), n,
                                    dense::least_through<C>(*there.library, n), dense::Rounding::of_numbers, 2);
    QVERIFY(!through.ok() && through.error().code == ErrorCode::not_converged);
  }

  /// Products of ten bits leave errors of 2^-11 and not of 2^-24, on the diagonal's scale.
  void factors_of_ten_bits() {
    There there("emulated");
    using C = std::complex<float>;
    const Index n = 170;
    auto a = random_values<C>(n * n, 5);
    for (Index k = 0; k < n; ++k) a[static_cast<std::size_t>(k * n + k)] += C(static_cast<float>(n));
    const auto x = random_values<C>(n, 7);
    std::vector<C> b(x.size());
    dense::multiply<C>(a.data(), n, n, x.data(), 1, C(0), b.data(), 1);
    const auto matrix = there.put(a), right = there.put(b);
    const auto lu =
        dense::DeviceLu<C>::factorise(there.library, there.stream, matrix.data(), n, dense::Rounding::ten_bits);
    QVERIFY(lu.ok());
    lu->solve(there.stream, right.data(), 1);
    const double error = apart(there.get(right), x);
    QVERIFY2(error > 1e-6 && error < 1e-3, qPrintable(QString::number(error)));
  }

  /// A matrix of the host by a device that holds a third, a fifth of it and its least; what comes back solves as factors of processors do.
  void matrices_pass_through_data() { solves_data(); }
  void matrices_pass_through() {
    QFETCH(QString, device);
    There there(device.toUtf8().constData());
    const auto check = [&](auto zero, Index n, Index columns_there) {
      using T = decltype(zero);
      using Real = typename T::value_type;
      const std::vector<T> a = random_values<T>(n * n, static_cast<unsigned>(n)), x = random_values<T>(2 * n, 9);
      std::vector<T> factors = a, b(x.size());
      dense::multiply<T>(a.data(), n, n, x.data(), 2, T(0), b.data(), 1);
      const auto lu = dense::factorise_through<T>(
          there.library, there.stream, factors.data(), n,
          dense::least_through<T>(*there.library, n) + static_cast<Bytes>(columns_there * n) * sizeof(T),
          dense::Rounding::of_numbers, 2);
      QVERIFY(lu.ok());
      lu->solve(b.data(), 2);
      std::vector<T> copy = a;
      const auto host = dense::Lu<T>::factorise(copy.data(), n, 1);
      // Both are backward stable: each is off by its rounding times the condition.
      const double unit = sizeof(Real) == 8 ? 2.3e-16 : 1.2e-7,
                   bound = 30 * unit * std::sqrt(static_cast<double>(n)) / host->reciprocal_condition(),
                   error = apart(b, x);
      QVERIFY2(error < bound, qPrintable(QString("%1 %2").arg(error).arg(bound)));
      QVERIFY(std::abs(lu->reciprocal_condition() / host->reciprocal_condition() - 1) < 0.01);
    };
    const bool checked = device != "emulated";
    for (const Index n : checked ? std::vector<Index>{53} : std::vector<Index>{5, 24, 25, 131, 200})
      for (const Index more : {Index{0}, Index{30}, Index{70}}) {
        check(std::complex<float>{}, n, more);
        check(std::complex<double>{}, n, more);
      }
  }

  void a_stop_ends_what_passes_through() {
    There there("emulated");
    using C = std::complex<float>;
    auto a = random_values<C>(100 * 100, 5);
    int asked = 0;
    const auto lu = dense::factorise_through<C>(there.library, there.stream, a.data(), 100,
                                                dense::least_through<C>(*there.library, 100),
                                                dense::Rounding::of_numbers, 1, [&] { return ++asked > 3; });
    QVERIFY(!lu.ok() && lu.error().code == ErrorCode::stopped);
    QCOMPARE(asked, 4);
  }

  void a_rectangular_product() {
    There there("emulated");
    using C = std::complex<double>;
    const Index rows = 37, cols = 11, columns = 3;
    const auto a = random_values<C>(rows * cols, 1), x = random_values<C>(cols * columns, 2);
    std::vector<C> want(static_cast<std::size_t>(rows * columns));
    dense::multiply<C>(a.data(), rows, cols, x.data(), columns, C(0), want.data(), 1);
    const auto matrix = there.put(a), vectors = there.put(x);
    const auto out = there.device.allocate<C>(want.size(), "product");  // never written before: β = 0 does not read it
    there.library->multiply<C>(there.stream, matrix.data(), rows, cols, vectors.data(), columns, C(1), C(0),
                               out.data());
    QVERIFY(apart(there.get(out), want) < 1e-13);
  }

  /// Of the library that stands behind an emulated device, against fronts of our own or Eigen's LU: several blocks, the last one not full.
  /// Round-off of a well conditioned matrix: 1e-16 times its condition, some hundreds.
  void sparse_factors_on_a_device_data() { solves_data(); }
  void sparse_factors_on_a_device() {
    QFETCH(QString, device);
    const SymmetricMatrix m = helmholtz_grid(7, 6, 5);
    const Device there = Device::open(device.toStdString()).value();
    DirectOptions options;
    options.method = own_fronts({}) ? DirectMethod::tree : DirectMethod::eigen;
    const auto want = factorise(m, options);
    options.method = DirectMethod::device;
    options.device = &there;
    options.block = 3;
    const auto got = factorise(m, options);
    if (!want) QSKIP("this processor has no kernels of our own fronts");
    QVERIFY2(got.ok(), got.ok() ? "" : got.error().text.c_str());
    QVERIFY((*got)->facts().method.ends_with(" on " + there.info().name));
    QVERIFY((*got)->facts().residual > 0 && (*got)->facts().residual < 1e-12);
    QVERIFY((*want)->facts().method != (*got)->facts().method);
    const Index count = 7;
    std::vector<std::complex<double>> x = random_values<std::complex<double>>(count * m.size, 8), y = x;
    (*want)->solve(x, count).or_throw();
    (*got)->solve(y, count).or_throw();
    QVERIFY2(apart(x, y) < 1e-12, qPrintable(QString::number(apart(x, y))));
  }

  /// What goes to the device is single, so that one pass leaves 1e-7 or more; residuals in double end at 1e-12 for columns of any size, and
  /// solutions are those of double to that times the condition, some hundreds. A matrix singular to single rounding gets double factors.
  void single_factors_on_a_device_are_refined_in_double_data() { solves_data(); }
  void single_factors_on_a_device_are_refined_in_double() {
    QFETCH(QString, device);
    const SymmetricMatrix m = helmholtz_grid(7, 6, 5);
    const Device there = Device::open(device.toStdString()).value();
    DirectOptions options;
    options.method = has_mumps() ? DirectMethod::mumps : DirectMethod::eigen;
    const auto want = factorise(m, options);
    options.method = DirectMethod::device;
    options.device = &there;
    options.block = 3;
    options.single = true;
    options.threads = 2;
    const auto got = factorise(m, options);
    QVERIFY2(want.ok() && got.ok(), got.ok() ? "" : got.error().text.c_str());
    QVERIFY((*got)->facts().method.ends_with(", single precision refined in double"));
    const Index count = 7;
    std::vector<std::complex<double>> x = random_values<std::complex<double>>(count * m.size, 8);
    for (Index i = 0; i < m.size; ++i) {
      x[2 * m.size + i] *= 1e-60;
      x[3 * m.size + i] *= 1e60;
      x[4 * m.size + i] = 0;
    }
    auto y = x;
    (*want)->solve(x, count).or_throw();
    (*got)->solve(y, count).or_throw();
    for (Index c = 0; c < count; ++c) {
      double off = 0, size = 0;
      for (Index i = c * m.size; i < (c + 1) * m.size; ++i) {
        off = std::max(off, std::abs(x[i] - y[i]));
        size = std::max(size, std::abs(x[i]));
      }
      QVERIFY2(off <= 1e-9 * size, qPrintable(QString("column %1: %2").arg(c).arg(off / size)));
    }
    QVERIFY((*got)->facts().residual > 0 && (*got)->facts().residual < 1e-10);
    QVERIFY((*got)->facts().refinements >= 6);  // three blocks, each more than one pass
    SymmetricMatrix near;                       // smallest eigenvalue 1e-11 of the largest
    near.size = 40;
    for (Index i = 0; i < near.size; ++i) {
      const bool last = i + 1 == near.size;
      near.columns.push_back(static_cast<std::int32_t>(i));
      near.values.push_back(i == 0 ? 1 : last ? 1 + 1e-10 : 2);
      if (!last) {
        near.columns.push_back(static_cast<std::int32_t>(i + 1));
        near.values.push_back(-1);
      }
      near.row_start.push_back(static_cast<Index>(near.columns.size()));
    }
    const auto hard = factorise(near, options);
    QVERIFY2(hard.ok(), hard.ok() ? "" : hard.error().text.c_str());
    QVERIFY((*hard)->facts().method.ends_with(" on " + there.info().name));
  }

  /// Factors for which the device has no memory are kept with the host, and solve as before.
  void factors_stay_with_the_host_where_the_device_is_small() {
    const SymmetricMatrix m = helmholtz_grid(7, 6, 5);
    const Device device = Device::open("emulated").value();
    DirectOptions options;
    options.method = DirectMethod::device;
    options.device = &device;
    options.block = 2;
    const auto whole = factorise(m, options);
    QVERIFY(whole.ok());
    QCOMPARE((*whole)->facts().host_bytes, Bytes{0});
    const Bytes matrix = m.values.size() * 20 + static_cast<Bytes>(m.size) * (4 + 2 * 2 * 16);
    QVERIFY((*whole)->facts().bytes > matrix);
    options.device_memory = matrix + ((*whole)->facts().bytes - matrix) / 2;
    const auto half = factorise(m, options);
    QVERIFY2(half.ok(), half.ok() ? "" : half.error().text.c_str());
    QVERIFY((*half)->facts().method.ends_with(", factors in the host's memory"));
    QVERIFY((*half)->facts().host_bytes > 0 && (*half)->facts().bytes <= options.device_memory);
    std::vector<std::complex<double>> x = random_values<std::complex<double>>(3 * m.size, 8), y = x;
    (*whole)->solve(x, 3).or_throw();
    (*half)->solve(y, 3).or_throw();
    QVERIFY(x == y);
    options.memory = (*half)->facts().host_bytes / 2;
    const auto refused = factorise(m, options);
    QVERIFY(!refused.ok() && refused.error().code == ErrorCode::resources);
    QVERIFY2(refused.error().text.find("of a budget of") != std::string::npos, refused.error().text.c_str());
  }

  /// Its memory does not hold the matrix; there is no device; a stop: `device` says so, `automatic` goes to processors.
  void what_a_device_cannot_factor_processors_do() {
    const SymmetricMatrix m = helmholtz_grid(7, 6, 5);
    const Device device = Device::open("emulated").value();
    DirectOptions options;
    options.device = &device;
    options.device_memory = 4096;
    options.method = DirectMethod::device;
    const auto refused = factorise(m, options);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::resources);
    QVERIFY2(refused.error().text.find("for a matrix of") != std::string::npos, refused.error().text.c_str());
    options.method = DirectMethod::automatic;
    const auto made = factorise(m, options);
    QVERIFY(made.ok());
    QVERIFY((*made)->facts().method.find(" on ") == std::string::npos);
    options.device_memory = 0;
    const auto there = factorise(m, options);
    QVERIFY(there.ok() && (*there)->facts().method.ends_with(" on " + device.info().name));
    options.method = DirectMethod::device;
    options.device = nullptr;
    const auto nowhere = factorise(m, options);
    QVERIFY(!nowhere.ok());
    QVERIFY(nowhere.error().text.find("none is among the workers") != std::string::npos);
    options.device = &device;
    std::stop_source stop;
    options.stop = stop.get_token();
    const auto stopped = factorise(m, options);
    QVERIFY(stopped.ok());
    stop.request_stop();
    std::vector<std::complex<double>> b(static_cast<std::size_t>(m.size), 1.0);
    const Status status = (*stopped)->solve(b, 1);
    QVERIFY(!status.ok() && status.error().code == ErrorCode::stopped && b.empty());
  }

  /// Numbers of its calls differ between releases: others are not guessed at.
  void only_known_releases_of_the_library_are_called() {
    QVERIFY(knows_cudss(0, 7) && knows_cudss(0, 8) && knows_cudss(1, 0));
    QVERIFY(!knows_cudss(0, 6) && !knows_cudss(0, 9) && !knows_cudss(1, 1) && !knows_cudss(2, 0));
  }

  void a_singular_matrix_is_told() {
    There there("emulated");
    using C = std::complex<float>;
    std::vector<C> a = random_values<C>(9 * 9, 3);
    std::fill_n(a.begin() + 4 * 9, 9, C(0));
    const auto matrix = there.put(a);
    const auto lu = dense::DeviceLu<C>::factorise(there.library, there.stream, matrix.data(), 9);
    QVERIFY(!lu.ok());
    QCOMPARE(lu.error().code, ErrorCode::not_converged);
  }

  /// Right-hand sides that nobody has filled, and a product that runs over its memory, are seen by the checked device.
  void the_checked_device_looks_at_the_libraries() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    using C = std::complex<double>;
    {
      There there("emulated-checked");
      std::vector<C> a = random_values<C>(25, 4);
      const auto matrix = there.put(a);
      const auto lu = dense::DeviceLu<C>::factorise(there.library, there.stream, matrix.data(), 5);
      QVERIFY(lu.ok());
      const auto right = there.device.allocate<C>(5, "right-hand side");
      lu->solve(there.stream, right.data(), 1);
      QVERIFY_THROWS_EXCEPTION(Failure, there.stream.synchronize());
    }
    There there("emulated-checked");
    const auto matrix = there.put(random_values<C>(25, 4)), x = there.put(random_values<C>(5, 4));
    const auto y = there.device.allocate<C>(4, "product");
    there.library->multiply<C>(there.stream, matrix.data(), 5, 5, x.data(), 1, C(1), C(0), y.data());
    QVERIFY_THROWS_EXCEPTION(Failure, there.stream.synchronize());
  }
};

QTEST_GUILESS_MAIN(TestDeviceSolve)
#include "test_device_solve.moc"
