// SPDX-License-Identifier: BSD-3-Clause
// The grouped summation: SIMD kernels = reference = sparse products, and n_g = 1 … 32 march alike.
// labels: unit
#include <Eigen/Cholesky>
#include <QTest>
#include <cmath>
#include <random>

#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_bem/random_slices.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

template <class Real>
void compare_kernels(int steps) {
  std::mt19937 random(91);
  const Index rows = 601, count = 37, columns = 83;
  const Slices<Real> slices = random_slices<Real>(rows, count, columns, 40, random);
  History<Real> history(count, slices.columns(), steps);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int round = 0; round < 60; ++round) {
    for (Index j = 0; j < count; ++j)
      for (Index g = 1; g <= steps; ++g) history.set(j, g, static_cast<Real>(value(random)));
    history.advance(steps);
  }
  std::vector<double> want(static_cast<std::size_t>(steps * rows), 0);
  for (Index j = 0; j < count; ++j)
    slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      for (Index g = 0; g < steps; ++g)
        for (Index d = 0; d < static_cast<Index>(v.size()); ++d) {
          const Index k = start + d - g;  // a^{n−k}, unknown while k ≤ 0
          if (k >= 1)
            want[static_cast<std::size_t>(g * rows + i)] +=
                static_cast<double>(v[static_cast<std::size_t>(d)]) * static_cast<double>(history.value(j, k - 1));
        }
    });
  // A sum of up to 37·40 products below 1: each rounding ≤ eps/2 of a partial sum of about √1480 ≈ 40.
  const double tolerance = 40.0 * std::sqrt(1480.0) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (KernelLevel level : {KernelLevel::reference, KernelLevel::avx2, KernelLevel::avx512}) {
    if (best_level(level) != level) continue;
    for (int workers : {1, 3}) {
      Team team(std::vector<WorkerSpec>(static_cast<std::size_t>(workers), {"cpu", 1, 1}));
      Summation<Real> sum("sum", slices, steps, level);
      std::vector<double> got;
      sum.add_up(team, std::span(&history, 1), 0, got);
      QCOMPARE(got.size(), want.size());
      for (std::size_t k = 0; k < got.size(); ++k) QVERIFY(std::abs(got[k] - want[k]) < tolerance);
      if (workers > 1) continue;
      for (int threads :
           {2, 3, 5}) {  // 3 panels: two threads share the middle one, five are more than there are pieces
        Team threaded({{"cpu", threads, 1}});
        Summation<Real> shared("sum", slices, steps, level);
        std::vector<double> same;
        shared.add_up(threaded, std::span(&history, 1), 0, same);
        QVERIFY(same == got);
      }
    }
  }
}

/// a^n of all steps.
template <class Real>
std::vector<double> march(const Surface& s, FormName name, MarchOptions options, Index steps, Team& team) {
  const Form f = form_for(s, name);
  Excitation excitation{"wave", {}};
  Wave wave;
  wave.pulse = ricker_of(2);
  excitation.waves.push_back(wave);
  set_onsets(excitation, s.vertices, 1);
  RightHandSide l(s, f, excitation);
  March<Real> m(assemble_all<Real>(s, f, {}, team), options);
  std::vector<double> out;
  while (m.step() < steps)
    m.advance(
        team,
        [&](Index n, Index, std::span<double> v) {
          l.triangles(n, {0, l.triangle_count()});
          l.gather({0, s.unknowns}, v.data());
        },
        [&](Index n) {
          if (n <= steps) out.insert(out.end(), m.current(0).begin(), m.current(0).end());
        });
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0, peak = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    worst = std::max(worst, std::abs(a[k] - b[k])), peak = std::max(peak, std::abs(b[k]));
  return worst / peak;
}

}  // namespace

class TestSummation : public QObject {
  Q_OBJECT

 private slots:
  void kernels_equal_plain_sums_data() {
    QTest::addColumn<int>("steps");
    for (int n : grouped_steps) QTest::addRow("n_g %d", n) << n;
  }
  void kernels_equal_plain_sums() {
    QFETCH(int, steps);
    compare_kernels<float>(steps);
    compare_kernels<double>(steps);
  }

  void grouped_steps_march_alike() {
    Team team({{"cpu", 2, 1}});
    const Surface s = unit_sphere(3);
    const auto one = march<double>(s, FormName::NC, {.steps = 1}, 96, team);
    for (int n : {2, 4, 8, 16, 32})
      QVERIFY(distance(march<double>(s, FormName::NC, {.steps = n}, 96, team), one) < 1e-13);
    QVERIFY(distance(march<double>(s, FormName::NC, {.steps = 4, .level = KernelLevel::reference}, 96, team), one) <
            1e-13);
  }

  void slices_march_as_sparse_products() {
    // The loop a user would write first: K_max sparse products a step, in double.
    Team team({{"cpu", 1, 1}});
    const Surface s = unit_sphere(2);
    const Form f = form_for(s, FormName::DC);
    const Matrices<double> m = assemble_all<double>(s, f, {}, team);
    const auto got = march<double>(s, FormName::DC, {.steps = 8}, 80, team);
    std::vector<Eigen::MatrixXd> M;
    for (Index k = 0; k <= m.slices.columns(); ++k) M.push_back(dense_matrix(m, k));
    const Eigen::LLT<Eigen::MatrixXd> factors(M[0]);
    Excitation excitation{"wave", {}};
    Wave wave;
    wave.pulse = ricker_of(2);
    excitation.waves.push_back(wave);
    set_onsets(excitation, s.vertices, 1);
    RightHandSide l(s, f, excitation);
    std::vector<Eigen::VectorXd> a{Eigen::VectorXd::Zero(s.unknowns)};
    std::vector<double> want;
    for (Index n = 1; n <= 80; ++n) {
      Eigen::VectorXd rhs(s.unknowns);
      l.triangles(n, {0, l.triangle_count()});
      l.gather({0, s.unknowns}, rhs.data());
      for (Index k = 1; k <= std::min<Index>(n, m.slices.columns()); ++k)
        rhs -= M[static_cast<std::size_t>(k)] * a[static_cast<std::size_t>(n - k)];
      a.push_back(factors.solve(rhs));
      want.insert(want.end(), a.back().data(), a.back().data() + s.unknowns);
    }
    QVERIFY(distance(got, want) < 1e-12);
  }

  void single_precision_and_gradients_march_close() {
    Team team({{"cpu", 2, 1}});
    const Surface s = unit_sphere(3);
    const auto exact = march<double>(s, FormName::NC, {.steps = 8}, 160, team);
    // Rounding of M_k and a at 6e-8, a few hundred terms a row, no growth in the combined form.
    QVERIFY(distance(march<float>(s, FormName::NC, {.steps = 8}, 160, team), exact) < 5e-6);
    QVERIFY(distance(march<double>(s, FormName::NC, {.steps = 8, .conjugate_gradients = true}, 160, team), exact) <
            1e-11);
  }

  /// Of rows that several threads share, against factors; of the same bits for any of them.
  void gradients_have_the_same_bits_on_any_threads() {
    constexpr Index n = 3000;
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
      entries.emplace_back(i, i, 4 + std::sin(0.1 * i));
      if (i + 1 < n) entries.insert(entries.end(), {{i, i + 1, 1.0}, {i + 1, i, 1.0}});
      if (i + 70 < n) entries.insert(entries.end(), {{i, i + 70, 0.3}, {i + 70, i, 0.3}});
    }
    SparseMatrix M(n, n);
    M.setFromTriplets(entries.begin(), entries.end());
    std::vector<double> right(n), factors(n), one(n), some(n);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = std::cos(0.37 * static_cast<double>(i * i % 101));
    InstantSolver(M, false).solve(right, factors);
    InstantSolver gradients(M, true);
    gradients.solve(right, one);
    QVERIFY(gradients.iterations() > 5);
    QVERIFY(distance(one, factors) < 1e-11);
    for (const int threads : {2, 3, 16}) {
      gradients.solve(right, some, threads);
      QVERIFY(some == one);
    }
  }

  void several_excitations_share_the_matrices() {
    Team team({{"cpu", 2, 1}});
    const Surface s = unit_sphere(2);
    const Form f = form_for(s, FormName::NC);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<std::vector<double>> l[2];
    for (auto& run : l)
      for (int n = 0; n < 32; ++n) {
        std::vector<double> v(static_cast<std::size_t>(s.unknowns));
        for (double& e : v) e = uniform(random);
        run.push_back(v);
      }
    const auto together = [&](Index runs, Index first) {
      March<double> m(assemble_all<double>(s, f, {}, team), {.steps = 4, .runs = runs});
      std::vector<double> out;
      while (m.step() < 32)
        m.advance(
            team,
            [&](Index n, Index r, std::span<double> v) {
              const auto& from = l[r + first][static_cast<std::size_t>(n - 1)];
              std::copy(from.begin(), from.end(), v.begin());
            },
            [&](Index) { out.insert(out.end(), m.current(runs - 1).begin(), m.current(runs - 1).end()); });
      return out;
    };
    QCOMPARE(together(2, 0), together(1, 1));  // same operations in the same order: same bits
  }
};

QTEST_APPLESS_MAIN(TestSummation)
#include "test_summation.moc"
