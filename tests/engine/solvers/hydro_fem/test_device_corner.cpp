// SPDX-License-Identifier: BSD-3-Clause
// The source's kernels on emulated devices, checked and not: A_z, F_z by every variant of the product and by a library, F·1, F^T v and
// M_e^-1 of curved zones of odd counts equal plain loops, in every dimension, order and turn.
// labels: unit emulated
#include <QTest>

#include "engine/solvers/hydro_fem/cuda/device_corner.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;

namespace {

using Product = DeviceCorner::Product;

/// By plain loops, as the device has them: [zone][column][row].
struct Truth {
  std::vector<double> matrix, force, ones, rates;
};
Truth truth_of(Operator& op) {
  (void)op.update(op.initial());
  const State& s = op.initial();
  const reference::ZoneTables tables(op.tables(), op.space().dim);
  const int dim = op.space().dim, lanes = op.kernels().lanes, rows = dim * tables.nodes;
  const auto zones = static_cast<std::size_t>(op.space().zones);
  const auto size = [&](int numbers) { return zones * static_cast<std::size_t>(numbers); };
  Truth out{std::vector<double>(size(rows * tables.points)), std::vector<double>(size(rows * tables.energies)),
            std::vector<double>(size(rows)), std::vector<double>(op.initial().e.size())};
  for (std::size_t lane = op.lane_zones().size(); lane-- > 0;) {
    const Index zone = op.lane_zones()[lane];
    const auto at = [&](int numbers, int column, int row) {
      return static_cast<std::size_t>((zone * numbers + column) * rows + row);
    };
    const auto truth = reference::zone_force(op.data(), tables, op.space(), lanes, static_cast<Index>(lane), s.x.data(),
                                             s.v.data(), s.e.data());
    const auto ones = reference::times_one(truth.F);
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < tables.points; ++k) out.matrix[at(tables.points, k, r)] = truth.A(r, k);
      for (int j = 0; j < tables.energies; ++j) out.force[at(tables.energies, j, r)] = truth.F(r, j);
      out.ones[at(1, 0, r)] = ones[static_cast<std::size_t>(r)];
    }
  }
  op.kernels().force_transposed(op.data(), s.v.data(), out.rates.data(), {0, op.batches()});
  return out;
}

double off(const std::vector<double>& got, const std::vector<double>& want) {
  if (got.size() != want.size()) return 1e300;
  double most = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) return 1e300;
    most = std::max(most, std::abs(got[i] - want[i]));
    size = std::max(size, std::abs(want[i]));
  }
  return size > 0 ? most / size : 1e300;
}

/// Round-off; in three dimensions eigenvectors of nearly double eigenvalues are determined to its square root only.
void products_equal_plain_loops(const char* device, int dim, int k, int turned, std::mt19937& random) {
  const Setup setup = lively(dim, k, turned, random);
  Team team({WorkerSpec{"cpu", 1, 1}});
  Operator op(setup, best_kernels(), team);
  const Truth want = truth_of(op);
  DeviceZones zones(op, DevicePart(op), Device::open(device).value(), {}, -1);
  zones.update(Backend::Row::state, 0);
  DeviceCorner corner(op, zones);
  const double tolerance = dim == 3 ? 2e-8 : 1e-11;
  const QString what = QString("%1, %2D, order %3, turns %4: ").arg(device).arg(dim).arg(k).arg(turned);
  const auto near = [&](const char* name, const std::vector<double>& got, const std::vector<double>& right) {
    const double apart = off(got, right);
    QVERIFY2(apart < tolerance, qPrintable(what + name + QString(" off by %1").arg(apart)));
  };
  const int rows = corner.sizes().rows, points = corner.sizes().points;
  corner.matrices(true);
  const std::vector<double> padded = corner.matrix();
  const int leading = corner.sizes().leading;
  QVERIFY(leading % 32 == 0 && leading >= rows && leading < rows + 32);
  std::vector<double> dense;
  for (std::size_t i = 0; i < padded.size(); ++i) {
    const bool beyond = static_cast<int>(i % static_cast<std::size_t>(leading)) >= rows;
    if (!beyond) dense.push_back(padded[i]);
    QVERIFY(!beyond || padded[i] == 0);
  }
  near("A_z", dense, want.matrix);
  QCOMPARE(dense.size(), static_cast<std::size_t>(op.space().zones * rows * points));
  int computed = 0;
  for (const auto& [name, product] : {std::pair{"2.4", Product::padded},
                                      {"2.1", Product::global},
                                      {"2.2", Product::whole},
                                      {"2.3", Product::blocked},
                                      {"library", Product::library}}) {
    if (!corner.lacks(product).empty()) {
      QVERIFY2(product == Product::whole, name);  // the others take any order
      continue;
    }
    corner.matrices(product == Product::padded);
    corner.multiply(product);
    near(name, corner.corner_forces(), want.force);
    ++computed;
  }
  QVERIFY(computed >= 4);
  corner.times_one();
  near("F·1", corner.forces(), want.ones);
  corner.transposed_times({Backend::Row::state, Backend::Part::v});
  corner.energy_inverse();
  near("de/dt", corner.energy_rates(), want.rates);
}

}  // namespace

class TestDeviceCorner : public QObject {
  Q_OBJECT

 private slots:
  void every_product_equals_plain_loops() {
    std::mt19937 random(4096);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim == 3 ? 4 : 7); ++k)
        for (const int turned : turns_in(dim)) {
          products_equal_plain_loops("emulated", dim, k, turned, random);
          if (QTest::currentTestFailed()) return;
        }
  }

  /// No access outside, no race, nothing read that was not written.
  void the_checked_device_finds_nothing() {
    std::mt19937 random(5376);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= (dim == 3 ? 2 : 4); ++k) {
        products_equal_plain_loops("emulated-checked", dim, k, turns_in(dim).back(), random);
        if (QTest::currentTestFailed()) return;
      }
  }

  /// What does not fit is told in numbers, and nothing else is done.
  void a_matrix_that_a_block_has_no_room_for_is_told() {
    std::mt19937 random(9);
    Team team({WorkerSpec{"cpu", 1, 1}});
    Operator op(lively(3, 4, 0, random), best_kernels(), team);
    DeviceZones zones(op, DevicePart(op), Device::open("emulated").value(), {}, -1);
    const DeviceCorner corner(op, zones);
    QVERIFY2(corner.lacks(Product::whole).find("1536000 bytes") != std::string::npos,  // 375 rows, 512 points
             corner.lacks(Product::whole).c_str());
    QVERIFY(corner.lacks(Product::blocked).empty());
  }
};

QTEST_APPLESS_MAIN(TestDeviceCorner)
#include "test_device_corner.moc"
