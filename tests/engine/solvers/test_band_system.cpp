// SPDX-License-Identifier: BSD-3-Clause
// Systems whose rows reach two unknowns to either side, solved by parts in windows: the known solution, the same bits for any workers,
// windows and memory, also where the last block is shorter than a row reaches, and no answer for a matrix that has none.
// labels: unit
#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/solvers/band_system.hpp"

using namespace conoid;

namespace {

/// A bent beam on springs: x_i + F (x_{i−2} − 4 x_{i−1} + 6 x_i − 4 x_{i+1} + x_{i+2}), zero beyond the ends; its diagonal as preconditioner.
struct Beam {
  static constexpr int block = 16, reach = 2;
  double stiffness = 0;
  [[nodiscard]] constexpr double row(const BandVector<reach>& v, int i) const {
    return v[i] + stiffness * (v[i - 2] - 4 * v[i - 1] + 6 * v[i] - 4 * v[i + 1] + v[i + 2]);
  }
  constexpr void solve_block(const double* r, double* z, int count) const {
    for (int i = 0; i < count; ++i) z[i] = r[i] / (1 + 6 * stiffness);
  }
};

std::vector<double> known(Index count) {
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(std::sin(0.37 * static_cast<double>(i * i % 101)));
  return out;
}

std::vector<double> loads(const std::vector<double>& x, const Beam& beam) {
  const double zeros[2] = {0, 0};
  const BandVector<2> all{x.data(), static_cast<int>(x.size()), zeros, zeros};
  std::vector<double> out;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) out.push_back(beam.row(all, i));
  return out;
}

struct Solved {
  std::vector<double> x;
  ConjugateEnd end;
  Bytes streamed = 0;
};
Solved solve(Index count, const Beam& beam, int workers, Bytes memory) {
  Team team(std::vector<WorkerSpec>(static_cast<std::size_t>(workers), WorkerSpec{"cpu", 1, 1, {}, 0}));
  ChosenTeam chosen;
  chosen.workers = team.workers();
  const auto alone = single_rank();
  BandSystem<Beam> system(BandLayout::of<Beam>(count, {}, memory, chosen), beam, {}, *alone, {});
  Solved out;
  out.x.assign(static_cast<std::size_t>(count), 0.25);  // a first guess
  out.end = system.solve(team, out.x, loads(known(count), beam), 1e-28, 50 * count + 100);
  for (const BalanceSample& one : team.take_samples()) out.streamed += one.streamed;
  return out;
}

}  // namespace

class TestBandSystem : public QObject {
  Q_OBJECT
 private slots:
  void any_parts_find_the_known_solution_with_the_same_bits_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 3, 16, 17, 18, 33, 1500}) QTest::addRow("%d unknowns", count) << count;
  }
  void any_parts_find_the_known_solution_with_the_same_bits() {
    QFETCH(int, count);
    const Beam beam{3};
    const Solved first = solve(count, beam, 1, Bytes{1} << 24);
    QVERIFY(first.end.converged && first.end.iterations >= 1);
    QCOMPARE(first.streamed, Bytes{0});
    const std::vector<double> wanted = known(count);
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(first.x[i] - wanted[i]));
    // The residual is 1e-14 of the first; the eigenvalues of A lie between 1 and 1 + 16 F.
    QVERIFY2(worst < 1e-14 * (1 + 16 * beam.stiffness) * 10 * std::sqrt(count), std::to_string(worst).c_str());
    for (const int workers : {1, 2, 3})
      for (const Bytes memory : {Bytes{1} << 24, Bytes{40} << 10}) {
        const Solved other = solve(count, beam, workers, memory);
        QCOMPARE(other.x, first.x);
        QCOMPARE(other.end.iterations, first.end.iterations);
        if (count > 1000) QCOMPARE(other.streamed > 0, memory < Bytes{1} << 20);
      }
  }

  void an_indefinite_matrix_has_no_answer() {
    for (const int workers : {1, 3}) QVERIFY(!solve(1000, Beam{-30}, workers, Bytes{1} << 24).end.converged);
  }
};

QTEST_APPLESS_MAIN(TestBandSystem)
#include "test_band_system.moc"
