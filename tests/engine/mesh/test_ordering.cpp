// SPDX-License-Identifier: BSD-3-Clause
// Space-filling curves: keys have their places, neighbours come together.
// labels: unit
#include "engine/mesh/generators.hpp"
#include "engine/mesh/ordering.hpp"
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
  void hilbert_order_brings_neighbours_together() {
    // Mean distance in memory of the two ends of an edge, on a shuffled sphere: a curve must bring it far down.
    const Mesh m = *icosphere({.divisions = 20});
    const auto spread = [&](const std::vector<Index>& order) {
      const std::vector<Index> position = inverse(order);
      double sum = 0;
      const auto edges = distinct_edges(m);
      for (const auto& [a, b] : edges)
        sum += std::abs(
            static_cast<double>(position[static_cast<std::size_t>(b)] - position[static_cast<std::size_t>(a)]));
      return sum / static_cast<double>(edges.size());
    };
    std::vector<Index> shuffled(static_cast<std::size_t>(m.point_count()));
    std::iota(shuffled.begin(), shuffled.end(), Index{0});
    std::mt19937 random(1);
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    std::vector<double> places;
    for (const Index i : shuffled)
      for (const double x : m.point(i)) places.push_back(x);
    std::vector<Index> along;  // the curve does not know how the points were numbered
    for (const Index i : curve_order(places, Curve::hilbert)) along.push_back(shuffled[static_cast<std::size_t>(i)]);
    QVERIFY(spread(along) < spread(shuffled) / 10);
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
