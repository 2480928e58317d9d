// SPDX-License-Identifier: BSD-3-Clause
// Space-filling curves: keys have their places, neighbours come together.
// labels: unit
#include "engine/mesh/generators.hpp"
#include "engine/mesh/ordering.hpp"
#include "engine/mesh/surface.hpp"

#include <QTest>
#include <map>
#include <numeric>
#include <random>

using namespace conoid;

class TestOrdering : public QObject {
  Q_OBJECT
 private slots:
  void morton_keys_interleave_bits() {
    std::mt19937 random(3);
    for (int i = 0; i < 20000; ++i) {
      std::array<std::uint32_t, 3> p{};
      std::uint64_t wanted = 0;
      for (std::uint32_t a = 0; a < 3; ++a) {
        p[a] = static_cast<std::uint32_t>(random()) & 0x1fffff;
        for (std::uint32_t bit = 0; bit < 21; ++bit) wanted |= std::uint64_t{p[a] >> bit & 1} << (3 * bit + a);
      }
      QCOMPARE(morton_key(p[0], p[1], p[2]), wanted);
    }
    QCOMPARE(morton_key(3, 0, 1), std::uint64_t{0b001101});
    QCOMPARE(morton_key(0x1fffff, 0x1fffff, 0x1fffff), (std::uint64_t{1} << 63) - 1);
  }
  void hilbert_curve_steps_to_a_neighbour() {
    // What tells it from every other order: consecutive keys are neighbours, and the keys of a cube of side 2^k at multiples of 2^k are
    // 8^k consecutive ones; those of the first cube are the first.
    using Place = std::array<std::uint32_t, 3>;
    constexpr std::uint32_t side = 32;
    for (const Place& corner :
         {Place{0, 0, 0}, Place{0x1fffe0, 0x1fffe0, 0x1fffe0}, Place{0x155540, 0x0aaaa0, 0x100000}}) {
      std::map<std::uint64_t, Place> along;
      for (std::uint32_t z = 0; z < side; ++z)
        for (std::uint32_t y = 0; y < side; ++y)
          for (std::uint32_t x = 0; x < side; ++x) {
            const Place p{corner[0] + x, corner[1] + y, corner[2] + z};
            along[hilbert_key(p[0], p[1], p[2])] = p;
          }
      QCOMPARE(along.size(), std::size_t{side * side * side});
      const auto first = along.begin()->first;
      QCOMPARE(along.rbegin()->first - first, std::uint64_t{side * side * side - 1});
      if (corner == Place{0, 0, 0}) QCOMPARE(first, std::uint64_t{0});
      Place last = along.begin()->second;
      for (auto at = std::next(along.begin()); at != along.end(); ++at) {
        int distance = 0;
        for (std::size_t a = 0; a < 3; ++a)
          distance += std::abs(static_cast<int>(at->second[a]) - static_cast<int>(last[a]));
        QCOMPARE(distance, 1);
        last = at->second;
      }
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
