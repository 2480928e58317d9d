// SPDX-License-Identifier: BSD-3-Clause
// Points are found in, and on, cells of every shape, straight and curved.
// labels: unit
#include <QTest>

#include <cmath>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/cell_locator.hpp"
#include "engine/mesh/shape_functions.hpp"

using namespace conoid;

namespace {

constexpr std::array every_shape = {CellShape::line2, CellShape::line3, CellShape::triangle3, CellShape::triangle6,
                                    CellShape::quad4, CellShape::quad8, CellShape::quad9,     CellShape::tet4,
                                    CellShape::tet10, CellShape::hex8,  CellShape::hex20,     CellShape::hex27};

/// A map of space that bends straight cells; the same for all, so that neighbours fit.
Vec3 bent(const Vec3& p, double by) {
  return {p[0] + by * p[1] * p[1], p[1] + by * p[2] * p[0], p[2] + 0.5 * by * p[0] * p[0]};
}

/// `count` cells of one shape side by side along x, bent.
struct Row {
  std::vector<double> points;
  std::vector<Index> connectivity, offsets{0};
  std::vector<std::uint8_t> types;

  Row(CellShape shape, int count, double by) {
    for (int c = 0; c < count; ++c) {
      for (int i = 0; i < nodes_of(shape); ++i) {
        Vec3 p = reference_node(shape, i);
        p[0] += c;
        p = bent(p, by);
        connectivity.push_back(static_cast<Index>(points.size() / 3));
        points.insert(points.end(), p.begin(), p.end());
      }
      offsets.push_back(static_cast<Index>(connectivity.size()));
      types.push_back(static_cast<std::uint8_t>(shape));
    }
  }
  [[nodiscard]] CellArrays arrays() const { return {points, connectivity, offsets, types}; }
};

Vec3 random_reference(CellShape shape, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const int dim = dimension_of(shape);
  for (;;) {
    Vec3 r{};
    double sum = 0;
    for (int a = 0; a < dim; ++a) sum += r[static_cast<std::size_t>(a)] = uniform(random);
    if (corners_of(shape) == dim + 1 && dim > 1 && sum > 1) continue;
    return r;
  }
}

}  // namespace

class TestCellLocator : public QObject {
  Q_OBJECT
 private slots:
  void a_place_of_a_cell_is_found_in_it() {
    std::mt19937 random(7);
    for (const CellShape shape : every_shape) {
      const Row row(shape, 40, 0.15);
      QVERIFY(check_cells(row.arrays()).ok());
      const CellLocator locator(row.arrays());
      for (int i = 0; i < 200; ++i) {
        const auto cell = static_cast<Index>(random() % 40);
        const Vec3 r = random_reference(shape, random);
        const Vec3 p = place_in_cell(row.arrays(), cell, r);
        const CellSpot spot = locator.find(p, 1e-9);
        QVERIFY2(spot.cell >= 0, std::string(name_of(shape)).c_str());
        // On a border both neighbours hold it; elsewhere it is the cell itself and the place on it.
        QVERIFY(vec::distance(place_in_cell(row.arrays(), spot.cell, spot.reference), p) < 1e-9);
        if (spot.cell == cell) QVERIFY(vec::distance(spot.reference, r) < 1e-6);
      }
    }
  }

  void what_lies_outside_is_not_found_in_it() {
    for (const CellShape shape : every_shape) {
      const Row row(shape, 5, 0.1);
      const CellLocator locator(row.arrays());
      QCOMPARE(locator.find({2, 2.5, 0.3}, 1e-3).cell, Index{-1});
      QCOMPARE(locator.find({-1, 0, 0}, 0.5).cell, Index{-1});
      QCOMPARE(locator.find({std::nan(""), 0, 0}, 1).cell, Index{-1});
    }
  }

  void the_nearest_place_of_a_surface_is_at_its_distance() {
    // A flat square and a point above, beside an edge and beyond a corner: distances by Pythagoras.
    for (const CellShape shape : {CellShape::quad4, CellShape::quad8, CellShape::quad9}) {
      const Row row(shape, 1, 0);
      const CellLocator locator(row.arrays());
      const auto distance = [&](const Vec3& p) { return locator.find(p, 10).distance; };
      QVERIFY(std::abs(distance({0.3, 0.6, 0.25}) - 0.25) < 1e-12);
      QVERIFY(std::abs(distance({0.3, 1.4, 0.3}) - 0.5) < 1e-9);
      QVERIFY(std::abs(distance({2, 2, 1}) - std::sqrt(3.0)) < 1e-9);
      QCOMPARE(locator.find({0.3, 0.6, 0.25}, 0.2).cell, Index{-1});
    }
  }

  void the_nearest_place_of_a_curved_surface_beats_every_sample() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> off(-0.3, 0.3);
    for (const CellShape shape : {CellShape::triangle6, CellShape::quad9, CellShape::line3}) {
      const Row row(shape, 6, 0.2);
      const CellLocator locator(row.arrays());
      for (int i = 0; i < 20; ++i) {
        Vec3 p = place_in_cell(row.arrays(), static_cast<Index>(random() % 6), random_reference(shape, random));
        for (double& x : p) x += off(random);
        const double found = locator.find(p, 10).distance;
        double sampled = 1e300;
        for (int s = 0; s < 20000; ++s)
          sampled = std::min(sampled, vec::distance(p, place_in_cell(row.arrays(), static_cast<Index>(random() % 6),
                                                                     random_reference(shape, random))));
        QVERIFY2(found <= sampled + 1e-9, qPrintable(QString("%1 > %2").arg(found).arg(sampled)));
      }
    }
  }

  void a_skin_has_the_faces_of_one_cell_only() {
    // Two cubes that share a side: 12 − 2 faces. The points of Row are not shared, so they are named by hand.
    Row two(CellShape::hex8, 2, 0);
    QCOMPARE(skin_of(two.arrays()).types.size(), std::size_t{12});
    const std::array<std::pair<int, int>, 4> same{{{0, 1}, {3, 2}, {4, 5}, {7, 6}}};
    for (const auto& [second, first] : same) two.connectivity[static_cast<std::size_t>(8 + second)] = first;
    const CellSkin skin = skin_of(two.arrays());
    QCOMPARE(skin.types.size(), std::size_t{10});
    QCOMPARE(skin_of(Row(CellShape::quad9, 3, 0).arrays()).types.front(), std::uint8_t{21});
    QCOMPARE(skin_of(Row(CellShape::hex27, 1, 0).arrays()).types.front(), std::uint8_t{28});
  }

  void damaged_arrays_are_errors() {
    Row row(CellShape::tet4, 3, 0);
    QVERIFY(check_cells(row.arrays()).ok());
    row.connectivity[5] = 1000;
    QVERIFY(!check_cells(row.arrays()).ok());
    row.connectivity[5] = 5;
    row.types[1] = static_cast<std::uint8_t>(CellShape::hex8);
    QVERIFY(!check_cells(row.arrays()).ok());
    row.types[1] = 77;  // not known: left out
    QVERIFY(check_cells(row.arrays()).ok());
    QCOMPARE(CellLocator(row.arrays()).count(), Index{2});
    row.offsets.back() = 11;
    QVERIFY(!check_cells(row.arrays()).ok());
  }
};

QTEST_APPLESS_MAIN(TestCellLocator)
#include "test_cell_locator.moc"
