// SPDX-License-Identifier: BSD-3-Clause
// Full-Blocking, Contiguous-Blocking and CSR compute what the slices compute; counts and scores on small examples.
// labels: unit
#include <QTest>
#include <cmath>
#include <random>

#include "engine/solvers/acoustic_bem/discretization/cutouts.hpp"
#include "engine/solvers/acoustic_bem/stepping/summation.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

template <class Real>
Slices<Real> sample(Index rows, Index count, Index columns) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> length(0, 11), step(-2, 2);
  std::uniform_real_distribution<double> value(-1, 1);
  Slices<Real> s(rows, count);
  std::vector<double> numbers(16);
  for (Index j = 0; j < count; ++j) {
    std::vector<std::uint16_t> first, last;
    Index at = 1 + j % 20;
    for (Index i = 0; i < rows; ++i) {
      const int n = length(random);
      at = std::clamp<Index>(at + step(random), 1, columns - 11);
      first.push_back(static_cast<std::uint16_t>(at));
      last.push_back(static_cast<std::uint16_t>(at + n - 1));
    }
    s.lay_out(j, first, last);
    s.allocate(j);
    for (Index panel = 0; panel < s.panels(); ++panel)
      s.fill(j, panel, [&](Index, Index) {
        for (double& v : numbers) v = value(random);
        return numbers.data();
      });
  }
  return s;
}

RowSpans spans_of(std::vector<std::pair<int, int>> rows) {
  RowSpans s{static_cast<Index>(rows.size()), 1, {}, {}};
  for (auto [first, last] : rows) {
    s.first.push_back(static_cast<std::uint16_t>(first));
    s.last.push_back(static_cast<std::uint16_t>(last));
  }
  return s;
}

template <class Real>
void compare() {
  const Index rows = 331, count = 23;
  const Slices<Real> slices = sample<Real>(rows, count, 47);
  History<Real> history(count, slices.columns() + 16, 8);
  for (int n = 0; n < 72; n += 8) {
    for (Index j = 0; j < count; ++j)
      for (Index g = 1; g <= 8; ++g)
        history.set(j, g, static_cast<Real>(std::sin(0.3 * static_cast<double>(n + g + 5 * j))));
    history.advance(8);
  }
  Team team({{"cpu", 1, 1}});
  std::vector<double> want;
  Summation<Real>("slices", slices, 8).add_up(team, std::span(&history, 1), 0, want);
  // Up to 23·11 products below 1 in another order.
  const double tolerance = 20 * std::sqrt(253.0) * static_cast<double>(std::numeric_limits<Real>::epsilon());

  for (int br : {32, 64}) {
    const FullBlocking blocks = full_blocking(RowSpans::of(slices), br, 16);
    QCOMPARE(blocks.nonzeros, slices.nonzeros());
    const AlignedVector<Real> values = full_block_values(slices, blocks);
    std::vector<const Real*> pasts;
    for (Index j = 0; j < count; ++j) pasts.push_back(history.past(j));
    for (KernelLevel level : {KernelLevel::reference, KernelLevel::avx2, KernelLevel::avx512}) {
      const std::size_t stride = static_cast<std::size_t>(rows + br);
      AlignedVector<Real> sums(8 * stride);
      full_block_kernel<Real>(level).add(blocks.places.data(), values.data(), blocks.places.size(), br, 16,
                                         pasts.data(), sums.data(), stride);
      for (std::size_t g = 0; g < 8; ++g)
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
          QVERIFY(std::abs(static_cast<double>(sums.data()[g * stride + i]) -
                           want[g * static_cast<std::size_t>(rows) + i]) < tolerance);
    }
  }

  const CsrMatrices<Real> csr = csr_matrices(slices);
  std::vector<std::vector<Real>> a;
  for (std::size_t k = 1; k <= csr.M.size(); ++k) {
    a.emplace_back();
    for (Index j = 0; j < count; ++j) a.back().push_back(history.value(j, static_cast<Index>(k) - 1));
  }
  std::vector<Real> s(static_cast<std::size_t>(rows), 0);
  csr.add(a, s);
  for (std::size_t i = 0; i < s.size(); ++i) QVERIFY(std::abs(static_cast<double>(s[i]) - want[i]) < tolerance);
}

}  // namespace

class TestCutouts : public QObject {
  Q_OBJECT

 private slots:
  void every_cut_out_computes_the_same() {
    compare<double>();
    compare<float>();
  }

  void greedy_blocks_start_anew_when_a_row_does_not_fit() {
    // Columns 1–4, 2–5, 3–6 fit six columns together; 9–12 does not; then four rows exceed b_r = 3.
    const RowSpans s = spans_of({{1, 4}, {2, 5}, {3, 6}, {9, 12}, {9, 12}, {8, 11}, {8, 11}});
    const FullBlocking f = full_blocking(s, 3, 6);
    QCOMPARE(f.places.size(), std::size_t{3});
    QCOMPARE(f.places[0].column, 1);
    QCOMPARE(f.places[1].row, 3);
    QCOMPARE(f.places[1].column, 8);
    QCOMPARE(f.places[2].row, 6);
    QCOMPARE(f.nonzeros, Index{28});
    QVERIFY(full_blocking(s, 3, 3).places.empty());  // narrower than the longest row-vector
  }

  void score_counts_shared_columns() {
    QCOMPARE(ordering_score(spans_of({{1, 4}, {2, 5}, {9, 12}})), 4.5);  // (3² + 0²)/2
  }
};

QTEST_APPLESS_MAIN(TestCutouts)
#include "test_cutouts.moc"
