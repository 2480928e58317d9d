// SPDX-License-Identifier: BSD-3-Clause
// Space-filling curves, and renumbering that takes groups and results along.
// labels: unit
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/ordering.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"

#include <QTest>
#include <numeric>
#include <random>

using namespace conoid;

class TestOrdering : public QObject {
  Q_OBJECT
 private slots:
  void keys_and_points_are_inverse() {
    std::mt19937 random(3);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t mask = i % 3 == 0 ? 0x1fffff : i % 3 == 1 ? 0xff : 0x3;
      const std::array<std::uint32_t, 3> p{static_cast<std::uint32_t>(random()) & mask,
                                           static_cast<std::uint32_t>(random()) & mask,
                                           static_cast<std::uint32_t>(random()) & mask};
      QVERIFY(morton_point(morton_key(p[0], p[1], p[2])) == p);
      QVERIFY(hilbert_point(hilbert_key(p[0], p[1], p[2])) == p);
    }
    QCOMPARE(morton_key(1, 0, 0), std::uint64_t{1});
    QCOMPARE(morton_key(0, 1, 0), std::uint64_t{2});
    QCOMPARE(morton_key(3, 0, 1), std::uint64_t{0b001101});
    QCOMPARE(morton_key(0x1fffff, 0x1fffff, 0x1fffff), (std::uint64_t{1} << 63) - 1);
  }
  void hilbert_curve_steps_to_a_neighbour() {
    // What tells it from every other order: consecutive keys are neighbours, and the first 8^k fill a cube of side 2^k.
    auto last = hilbert_point(0);
    for (std::uint64_t k = 1; k < 32768; ++k) {
      const auto p = hilbert_point(k);
      int distance = 0;
      for (std::size_t a = 0; a < 3; ++a) distance += std::abs(static_cast<int>(p[a]) - static_cast<int>(last[a]));
      QCOMPARE(distance, 1);
      QVERIFY(p[0] < 32 && p[1] < 32 && p[2] < 32);
      last = p;
    }
    const std::uint64_t far = (std::uint64_t{1} << 62) + 12345;
    for (std::uint64_t k = far; k < far + 1000; ++k) {
      const auto p = hilbert_point(k);
      const auto q = hilbert_point(k + 1);
      int distance = 0;
      for (std::size_t a = 0; a < 3; ++a) distance += std::abs(static_cast<int>(p[a]) - static_cast<int>(q[a]));
      QCOMPARE(distance, 1);
    }
  }
  void renumbering_takes_groups_and_results_along() {
    std::mt19937 random(11);
    for (const Curve curve : {Curve::morton, Curve::hilbert})
      for (const int order : {1, 2}) {
        const Mesh m = *box({.high = {1, 2, 3}, .divisions = {3, 5, 4}, .simplices = order == 1, .order = order});
        const auto r = curve_renumbering(m, curve);
        const Mesh n = reordered(m, r);
        QCOMPARE(n.point_count(), m.point_count());
        QVERIFY(std::abs(total_volume(n) - total_volume(m)) < 1e-12);
        for (const auto& g : m.groups()) {
          const auto* h = n.group(g.name);
          QCOMPARE(h->cells.size(), g.cells.size());
          QVERIFY(std::is_sorted(h->cells.begin(), h->cells.end()));
          double before = 0;
          double after = 0;
          for (const Index c : g.cells) before += cell_measure(m, c);
          for (const Index c : h->cells) after += cell_measure(n, c);
          QVERIFY(std::abs(before - after) < 1e-12);
        }
        for (Index c = 0; c < m.cell_count(); ++c) QCOMPARE(dimension_of(n.shape(c)), dimension_of(m.shape(c)));
        // A field of x + 10 y a point follows its point, a cell's centre its cell.
        std::vector<double> field;
        for (Index i = 0; i < m.point_count(); ++i) field.push_back(m.point(i)[0] + 10 * m.point(i)[1]);
        const auto moved = permuted<double>(field, r.points);
        for (Index i = 0; i < n.point_count(); ++i)
          QCOMPARE(moved[static_cast<std::size_t>(i)], n.point(i)[0] + 10 * n.point(i)[1]);
        QCOMPARE(permuted<double>(moved, inverse(r.points)), field);
        const auto centres = permuted<double>(cell_centres(m), r.cells, 3);
        const auto expected = cell_centres(n);
        for (std::size_t i = 0; i < centres.size(); ++i) QVERIFY(std::abs(centres[i] - expected[i]) < 1e-14);
      }
  }
  void hilbert_order_brings_neighbours_together() {
    // Mean distance in memory of the two ends of an edge, on a shuffled sphere: a curve must bring it far down.
    Mesh m = *icosphere({.divisions = 20});
    Renumbering shuffle;
    shuffle.points.resize(static_cast<std::size_t>(m.point_count()));
    shuffle.cells.resize(static_cast<std::size_t>(m.cell_count()));
    std::iota(shuffle.points.begin(), shuffle.points.end(), Index{0});
    std::iota(shuffle.cells.begin(), shuffle.cells.end(), Index{0});
    std::mt19937 random(1);
    std::shuffle(shuffle.points.begin(), shuffle.points.end(), random);
    std::shuffle(shuffle.cells.begin(), shuffle.cells.end(), random);
    const Mesh shuffled = reordered(m, shuffle);
    const auto spread = [](const Mesh& x) {
      double sum = 0;
      const auto edges = distinct_edges(x);
      for (const auto& [a, b] : edges) sum += static_cast<double>(b - a);
      return sum / static_cast<double>(edges.size());
    };
    QVERIFY(spread(reordered(shuffled, curve_renumbering(shuffled))) < spread(shuffled) / 10);
  }
  void flat_and_empty_meshes_have_an_order() {
    QVERIFY(curve_order({}, Curve::hilbert).empty());
    const std::vector<double> same{1, 1, 1, 1, 1, 1};
    QCOMPARE(curve_order(same, Curve::morton), (std::vector<Index>{0, 1}));
    const std::vector<double> wide{-1e308, 0, 0, 0.5e308, 0, 0};
    QCOMPARE(curve_order(wide, Curve::hilbert).size(), std::size_t{2});
  }
};

QTEST_APPLESS_MAIN(TestOrdering)
#include "test_ordering.moc"
