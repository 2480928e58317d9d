// SPDX-License-Identifier: BSD-3-Clause
// Bases, and the numbering of nodes on zones that are turned against each other.
// labels: unit
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <QTest>
#include <algorithm>

#include <algorithm>
#include <set>

using namespace conoid;
using namespace conoid::hydro_fem;

class TestZonesAndNodes : public QObject {
  Q_OBJECT

 private slots:
  /// Of a vector of full length a rank has memory for what it writes, and can give back what it no longer needs.
  void vectors_take_pages_as_they_are_written() {
    PagedVector v;
    v.resize(std::size_t{8} << 20);  // 64 MiB
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), all = v.size() * sizeof(double) / page;
    const auto resident = [&] {
      std::vector<unsigned char> there(all);
      if (mincore(v.data(), v.size() * sizeof(double), there.data()) != 0) return all;
      return static_cast<std::size_t>(std::count_if(there.begin(), there.end(), [](auto p) { return (p & 1) != 0; }));
    };
    constexpr std::size_t middle = std::size_t{4} << 20, large = 512;  // pages that the system may give for one
    QCOMPARE(resident(), std::size_t{0});
    v.front() = 1;
    v[middle] = 2;
    v.back() = 3;
    QVERIFY(resident() >= 3 && resident() <= 3 * large);
    keep_entries(v, {{Index{middle}, Index{middle} + 1}});
    QVERIFY(resident() >= 1 && resident() <= large);
    QCOMPARE(v[middle], 2.0);
    QVERIFY(v.front() == 0 && v.back() == 0 && v[middle + 1] == 0);
    PagedVector few;
    few.resize(3);
    few[1] = 1;
    keep_entries(few, {});  // too few for pages of their own
    QCOMPARE(few[1], 1.0);
  }

  void rules_and_tables_are_exact() {
    for (int k = 1; k <= 12; ++k) {
      const Tables t(k);
      // Gauss: x^(4k-1) over [0,1]; values: partition of unity; derivative: of x^k through its nodes.
      double integral = 0, weights = 0;
      for (std::size_t q = 0; q < t.rule.points.size(); ++q) {
        integral += t.rule.weights[q] * std::pow(t.rule.points[q], 4 * k - 1);
        weights += t.rule.weights[q];
      }
      QVERIFY(std::abs(integral * 4 * k - 1) < 1e-12);
      QVERIFY(std::abs(weights - 1) < 1e-14);
      for (int q = 0; q < t.q; ++q) {
        double sum = 0, slope = 0, energy = 0;
        for (int i = 0; i < t.h1; ++i) {
          sum += t.B(q, i);
          slope += t.G(q, i) * std::pow(t.h1_nodes[static_cast<std::size_t>(i)], k);
        }
        for (int j = 0; j < t.l2; ++j) energy += t.L(q, j);
        QVERIFY(std::abs(sum - 1) < 1e-12 && std::abs(energy - 1) < 1e-12);
        QVERIFY2(std::abs(slope - k * std::pow(t.rule.points[static_cast<std::size_t>(q)], k - 1)) < 1e-10 * k,
                 qPrintable(QString::number(k)));
      }
    }
  }

  void turned_zones_share_their_nodes() {
    std::mt19937 random(3);
    for (int dim = 2; dim <= 3; ++dim)
      for (int k = 1; k <= 5; ++k) {
        ZoneMesh mesh = box_zones(
            dim, {flows::line(0, 1, 2), flows::line(0, 1, 3), dim > 2 ? flows::line(0, 1, 2) : std::vector<double>{}});
        const int corners = 1 << dim;
        for (Index z = 0; z < mesh.zone_count(); ++z) {
          // A random proper rotation of the reference cube: a permutation of axes and flips.
          std::array<int, 3> axis{0, 1, 2};
          std::array<int, 3> flip{};
          std::shuffle(axis.begin(), axis.begin() + dim, random);
          for (int d = 0; d < dim; ++d)
            flip[static_cast<std::size_t>(d)] = std::uniform_int_distribution<int>(0, 1)(random);
          std::vector<Index> old(mesh.zones.begin() + z * corners, mesh.zones.begin() + (z + 1) * corners);
          for (int c = 0; c < corners; ++c) {
            int from = 0;
            for (int d = 0; d < dim; ++d)
              if (((c >> d) & 1) ^ flip[static_cast<std::size_t>(d)]) from |= 1 << axis[static_cast<std::size_t>(d)];
            mesh.zones[static_cast<std::size_t>(z * corners + c)] = old[static_cast<std::size_t>(from)];
          }
        }
        mesh.faces.clear();
        const Space s(mesh, k);
        const Index expected = (2 * k + 1) * (3 * k + 1) * (dim > 2 ? 2 * k + 1 : 1);
        QCOMPARE(s.nodes, expected);
        // Each node has one place, and every zone that holds it agrees on it.
        const Tables t(k);
        std::set<std::array<long, 3>> places;
        for (Index i = 0; i < s.nodes; ++i) {
          std::array<long, 3> p{};
          for (int d = 0; d < dim; ++d)
            p[static_cast<std::size_t>(d)] = std::lround(1e9 * s.x0[static_cast<std::size_t>(d * s.nodes + i)]);
          places.insert(p);
        }
        QCOMPARE(static_cast<Index>(places.size()), expected);
        for (Index z = 0; z < s.zones; ++z)
          for (int i = 0; i < s.zone_nodes; ++i) {
            Vec3 p{};
            for (int c = 0; c < corners; ++c) {
              double w = 1;
              for (int d = 0, rest = i; d < dim; ++d, rest /= k + 1) {
                const double xi = t.h1_nodes[static_cast<std::size_t>(rest % (k + 1))];
                w *= (c >> d & 1) ? xi : 1 - xi;
              }
              for (int d = 0; d < dim; ++d)
                p[static_cast<std::size_t>(d)] +=
                    w * mesh.vertices[static_cast<std::size_t>(
                            mesh.zones[static_cast<std::size_t>(z * corners + c)] * dim + d)];
            }
            const Index node = s.map[static_cast<std::size_t>(z * s.zone_nodes + i)];
            for (int d = 0; d < dim; ++d)
              QVERIFY(std::abs(p[static_cast<std::size_t>(d)] - s.x0[static_cast<std::size_t>(d * s.nodes + node)]) <
                      1e-13);
          }
      }
  }

  void straight_zones_keep_their_plain_matrix_far_from_the_origin() {
    // Coordinates have so many digits: |J0| of a straight zone differs from point to point by what they leave of it, a bent one's by more.
    Team team({WorkerSpec{}});
    const auto plain = [&](double from, int n, double bend) {
      Setup s = flows::sedov(3, 2, 1, 1, 0.25);
      const std::vector<double> line = flows::line(from, from + 1, n);
      s.mesh = box_zones(3, {line, line, line});
      s.point_energy = 0;
      if (bend > 0) s.mesh.curve = [bend](const Vec3& x) { return Vec3{x[0] + bend * std::sin(7 * x[0]), x[1], x[2]}; };
      const Operator op(s, best_kernels(), team);
      const double* uniform = op.data().uniform;
      const Index zones = op.space().zones;  // a multiple of any kernel's lanes: none is repeated
      return static_cast<double>(std::count_if(uniform, uniform + zones, [](double m) { return m > 0; })) /
             static_cast<double>(zones);
    };
    QCOMPARE(plain(0, 24, 0), 1.0);
    QCOMPARE(plain(700, 8, 0), 1.0);
    QCOMPARE(plain(0, 4, 1e-6), 0.0);
  }

  void zones_of_one_radius_start_with_one_energy() {
    // Nine zones fill no vector: lanes that repeat the last zone must leave it the energy that was projected for it.
    Setup s = flows::sedov_axisymmetric(2, 3, 1, 0);
    s.energy = [](const Vec3& x, int) { return x[1] * x[1]; };
    Team team({WorkerSpec{}});
    const Operator op(s, best_kernels(), team);
    const PagedVector& e = op.initial().e;
    const Index each = op.data().zone_energies;
    double off = 0, far_from_nodes = 0;
    const std::vector<double>& nodes = op.tables().l2_nodes;
    for (Index zone = 0; zone < op.space().zones; ++zone)
      for (Index j = 0; j < each; ++j) {
        const double here = e[u(zone * each + j)];
        const double r = (static_cast<double>(zone / 3) + nodes[u(j / 2)]) / 3;
        off = std::max(off, std::abs(here - e[u(zone / 3 * 3 * each + j)]));
        far_from_nodes = std::max(far_from_nodes, std::abs(here - r * r));
      }
    QVERIFY2(off < 1e-13, qPrintable(QString::number(off)));
    QVERIFY(far_from_nodes > 1e-4);  // r^2 is not of the space, so that its projection is no interpolation
  }

  void points_are_found_where_they_are() {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> xi(0.02, 0.98);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= 3; ++k) {
        const Setup setup = testing::lively(dim, k, 0, random);
        Team team({WorkerSpec{"cpu", 1, 1}});
        const Operator op(setup, best_kernels(), team);
        const View view(op, setup);
        const auto boxes = view.boxes(op.initial());
        for (int n = 0; n < 10; ++n) {
          const Index zone = std::uniform_int_distribution<Index>(0, op.space().zones - 1)(random);
          const auto there = view.place(zone, {xi(random), xi(random), xi(random)});
          const PointValues v = view.at(op.initial(), there);
          const auto found = view.locate(op.initial(), boxes, v.position);
          QVERIFY(found.has_value());
          QCOMPARE(found->zone, zone);
          for (int d = 0; d < dim; ++d)
            QVERIFY(std::abs(found->xi[static_cast<std::size_t>(d)] - there.xi[static_cast<std::size_t>(d)]) < 1e-8);
          // Density at rest is what was given, to the order of its interpolation.
          if (k == 3)
            QVERIFY(std::abs(v.density / setup.density(v.position, setup.mesh.region[static_cast<std::size_t>(zone)]) -
                             1) < 0.03);
        }
        QVERIFY(!view.locate(op.initial(), boxes, {50, 50, 50}).has_value());
      }
  }
};

QTEST_APPLESS_MAIN(TestZonesAndNodes)
#include "test_zones_and_nodes.moc"
