// SPDX-License-Identifier: BSD-3-Clause
// Quality against known shapes, shape functions against their definition, defects of points and cells.
// labels: unit
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/order.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/shape_functions.hpp"

#include <QTest>
#include <cmath>
#include <random>

using namespace conoid;

namespace {

constexpr CellShape all_shapes[] = {CellShape::vertex, CellShape::line2, CellShape::triangle3, CellShape::quad4,
                                    CellShape::tet4,   CellShape::hex8,  CellShape::line3,     CellShape::triangle6,
                                    CellShape::quad8,  CellShape::tet10, CellShape::hex20,     CellShape::quad9,
                                    CellShape::hex27};

Mesh one_cell(CellShape shape, const std::vector<Vec3>& points) {
  Mesh m;
  std::vector<Index> n;
  for (const Vec3& p : points) n.push_back(m.add_point(p));
  m.add_cell(shape, n);
  return m;
}

CellQuality quality(CellShape shape, const std::vector<Vec3>& points) {
  return cell_quality(one_cell(shape, points)).front();
}

}  // namespace

class TestCellQuality : public QObject {
  Q_OBJECT
 private slots:
  void shape_functions_are_one_at_their_node_and_sum_to_one() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> u(0, 0.33);
    for (const CellShape s : all_shapes) {
      for (int i = 0; i < nodes_of(s); ++i) {
        const auto v = shape_values(s, reference_node(s, i));
        for (int k = 0; k < nodes_of(s); ++k)
          QVERIFY(std::abs(v.n[static_cast<std::size_t>(k)] - (i == k ? 1 : 0)) < 1e-14);
      }
      for (int trial = 0; trial < 5; ++trial) {
        const Vec3 x{u(random), u(random), u(random)};
        const auto v = shape_values(s, x);
        double sum = 0;
        Vec3 gradient{};
        Vec3 place{};
        for (int k = 0; k < nodes_of(s); ++k) {
          sum += v.n[static_cast<std::size_t>(k)];
          gradient = vec::add(gradient, v.dn[static_cast<std::size_t>(k)]);
          place = vec::axpy(v.n[static_cast<std::size_t>(k)], reference_node(s, k), place);
        }
        QVERIFY(std::abs(sum - 1) < 1e-14);
        QVERIFY(vec::norm(gradient) < 1e-13);
        for (int a = 0; a < dimension_of(s); ++a)
          QVERIFY(std::abs(place[static_cast<std::size_t>(a)] - x[static_cast<std::size_t>(a)]) < 1e-14);
        // Derivatives against central differences: error h² f'''/6, and the functions are of degree 2 an axis.
        const double h = 1e-4;
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimension_of(s)); ++a) {
          Vec3 up = x;
          Vec3 down = x;
          up[a] += h;
          down[a] -= h;
          const auto vu = shape_values(s, up);
          const auto vd = shape_values(s, down);
          for (std::size_t k = 0; k < static_cast<std::size_t>(nodes_of(s)); ++k)
            QVERIFY(std::abs((vu.n[k] - vd.n[k]) / (2 * h) - v.dn[k][a]) < 1e-10);
        }
      }
    }
  }
  void quadrature_is_exact_to_its_degree() {
    const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
    for (const int n : {1, 2, 3, 4, 5, 6, 11, 16}) {
      const double off = 2e-15 * std::max(5, n);  // weights are right to some n 1e-15
      for (int p = 0; p <= 2 * n - 1; ++p)
        for (int q = 0; p + q <= 2 * n - 1; ++q) {
          double quad = 0;
          for (const auto& w : quadrature(CellShape::quad4, n))
            quad += w.weight * std::pow(w.at[0], p) * std::pow(w.at[1], q);
          QVERIFY(std::abs(quad - 1.0 / ((p + 1) * (q + 1))) < off);
          if (p + q > 2 * n - 3) continue;
          double triangle = 0;
          double tet = 0;
          for (const auto& w : quadrature(CellShape::triangle3, n))
            triangle += w.weight * std::pow(w.at[0], p) * std::pow(w.at[1], q);
          for (const auto& w : quadrature(CellShape::tet4, n))
            tet += w.weight * std::pow(w.at[0], p) * std::pow(w.at[2], q);
          QVERIFY(std::abs(triangle - factorial(p) * factorial(q) / factorial(p + q + 2)) < off);
          QVERIFY(std::abs(tet - factorial(p) * factorial(q) / factorial(p + q + 3)) < off);
        }
    }
  }
  void ideal_shapes_have_quality_one() {
    const double s = std::sqrt(3.0) / 2;
    const auto t = quality(CellShape::triangle3, {{0, 0, 0}, {1, 0, 0}, {0.5, s, 0}});
    QVERIFY(std::abs(t.scaled_jacobian - 1) < 1e-14 && std::abs(t.aspect - 1) < 1e-14);
    const auto tet = quality(CellShape::tet4, {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}});
    QVERIFY(std::abs(std::abs(tet.scaled_jacobian) - 1) < 1e-14 && std::abs(tet.aspect - 1) < 1e-14);
    for (const int order : {1, 2})
      for (const bool serendipity : {false, true})
        for (const auto& q : cell_quality(*box({.divisions = {2, 2, 2}, .order = order, .serendipity = serendipity})))
          QVERIFY(std::abs(q.scaled_jacobian - 1) < 1e-13);
  }
  void known_values() {
    // Right isosceles triangle: 2/√3 · 1/√2 · … the largest edge product is √2 · 1; r = 1 − 1/√2, R = 1/√2.
    const auto t = quality(CellShape::triangle3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    QVERIFY(std::abs(t.scaled_jacobian - 2 / std::sqrt(3.0) / std::sqrt(2.0)) < 1e-14);
    QVERIFY(std::abs(t.aspect - 2 * (std::sqrt(2.0) - 1)) < 1e-14);
    // Corner tet: J = 1, largest product of edges at a corner 1·√2·√2.
    const auto tet = quality(CellShape::tet4, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    QVERIFY(std::abs(tet.scaled_jacobian - std::sqrt(2.0) / 2) < 1e-14);
    // r = 1/(3 + √3), R = √3/2.
    QVERIFY(std::abs(tet.aspect - 3 / (3 + std::sqrt(3.0)) / (std::sqrt(3.0) / 2)) < 1e-14);
    // A parallelogram of angle 30°: sin 30°.
    const auto q = quality(
        CellShape::quad4,
        {{0, 0, 0}, {2, 0, 0}, {2 + std::cos(0.5235987755982988), 0.5, 0}, {std::cos(0.5235987755982988), 0.5, 0}});
    QVERIFY(std::abs(q.scaled_jacobian - 0.5) < 1e-14);
    QVERIFY(std::abs(q.aspect - 0.5) < 1e-14);
  }
  void folded_and_inverted_cells_are_negative() {
    QVERIFY(quality(CellShape::quad4, {{0, 0, 0}, {1, 0, 0}, {0.2, 0.2, 0}, {0, 1, 0}}).scaled_jacobian < 0);
    QVERIFY(quality(CellShape::tet4, {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}}).scaled_jacobian < 0);
    Mesh hex = *box({.divisions = {1, 1, 1}, .boundary = false});
    QVERIFY(cell_measure(hex, 0) > 0);
    hex.mutable_points()[0] = 0.9;
    hex.mutable_points()[1] = 0.9;
    hex.mutable_points()[2] = 0.9;
    QVERIFY(cell_quality(hex).front().scaled_jacobian < 0);
    // A middle node pulled beyond the quarter of its edge folds an order-2 cell.
    Mesh curved = *box({.divisions = {1, 1, 1}, .simplices = true, .order = 2, .boundary = false});
    QVERIFY(cell_quality(curved).front().scaled_jacobian > 0);
    const auto middle = static_cast<std::size_t>(curved.nodes(0)[4]);
    const Vec3 end = curved.point(curved.nodes(0)[0]);
    for (std::size_t a = 0; a < 3; ++a)
      curved.mutable_points()[3 * middle + a] = 0.2 * curved.point(curved.nodes(0)[1])[a] + 0.8 * end[a];
    QVERIFY(cell_quality(curved).front().scaled_jacobian < 0);
  }
  void measures_of_curved_cells() {
    // The rectangle (0,4) x (0,1), its far side bent out by a parabola of height 1: 4 + 2/3 … by Simpson's rule exactly.
    Mesh m;
    const std::vector<Vec3> p{{0, 0, 0}, {4, 0, 0},   {4, 1, 0}, {0, 1, 0},
                              {2, 0, 0}, {5, 0.5, 0}, {2, 1, 0}, {0, 0.5, 0}};
    std::vector<Index> n;
    for (const auto& x : p) n.push_back(m.add_point(x));
    m.add_cell(CellShape::quad8, n);
    QVERIFY(std::abs(cell_measure(m, 0) - (4 + 2.0 / 3)) < 1e-13);
    const Mesh line = one_cell(CellShape::line3, {{0, 0, 0}, {3, 4, 0}, {1.5, 2, 0}});
    QVERIFY(std::abs(cell_measure(line, 0) - 5) < 1e-14);
  }
  void report_counts_defects() {
    Mesh m = *box({.divisions = {2, 2, 2}, .boundary = false});
    m.add_point(m.point(3));
    m.add_point({9, 9, 9});
    m.add_cell(CellShape::hex8, {0, 0, 0, 0, 1, 1, 1, 1});
    const auto r = mesh_quality(m, {.bins = 4, .worst = 2});
    QCOMPARE(r.cells, Index{9});
    QCOMPARE(r.degenerate_cells, Index{1});
    QCOMPARE(r.duplicate_points, Index{1});
    QCOMPARE(r.unused_points, Index{2});
    QCOMPARE(r.worst.size(), std::size_t{2});
    QCOMPARE(r.worst.front().cell, Index{8});
    QCOMPARE(r.scaled_jacobian.counts, (std::vector<Index>{1, 0, 0, 8}));
    QVERIFY(std::abs(r.edge_max - 0.5) < 1e-15);
    QVERIFY(std::abs(r.measure - 1) < 1e-14);
  }
  void points_are_one_within_the_tolerance() {
    Mesh m;
    for (const Vec3& p :
         {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{1.0005, 0, 0}, Vec3{1, 1, 0}, Vec3{0, 1, 0.0007}})
      m.add_point(p);
    m.add_cell(CellShape::triangle3, {0, 1, 2});
    m.add_cell(CellShape::triangle3, {3, 4, 5});
    QVERIFY(duplicate_points(m).empty());
    QCOMPARE(duplicate_points(m, 1e-3).size(), std::size_t{2});
  }
  void raised_order_keeps_the_corners() {
    for (const bool simplices : {false, true}) {
      const Mesh m = *box({.divisions = {2, 3, 1}, .simplices = simplices});
      const Mesh raised = to_order2(m);
      QVERIFY(std::equal(m.points().begin(), m.points().end(), raised.points().begin()));
      for (Index c = 0; c < m.cell_count(); ++c)
        QVERIFY(std::equal(m.nodes(c).begin(), m.nodes(c).end(), raised.nodes(c).begin()));
      QCOMPARE(to_order2(to_order2(m)).point_count(), to_order2(m).point_count());
    }
    // Euler: a hex27 grid of n³ cells has (2n+1)³ points.
    QCOMPARE(box({.divisions = {3, 3, 3}, .order = 2})->point_count(), Index{343});
  }
};

QTEST_APPLESS_MAIN(TestCellQuality)
#include "test_cell_quality.moc"
