// SPDX-License-Identifier: BSD-3-Clause
// Plates with their enclosing surface, tensor grids, bodies of revolution: counts, volumes, orientation.
// labels: unit
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <QTest>
#include <cmath>
#include <numbers>

using namespace conoid;

namespace {
using std::numbers::pi;
double near(double a, double b) {
  return std::abs(a - b) / std::abs(b);
}
}  // namespace

class TestGridAndPlateGenerators : public QObject {
  Q_OBJECT
 private slots:
  void enclosed_plates_have_the_published_counts() {
    // Elements, unknown elements and nodes of five soil models: m = N², n = 2N² + 4N(rings + walls), n + 2 nodes.
    struct Row {
      int n, rings, walls;
      Index elements, ground, nodes;
    };
    for (const Row& r : {Row{10, 0, 1, 240, 100, 242}, Row{20, 1, 1, 960, 400, 962}, Row{30, 2, 1, 2160, 900, 2162},
                         Row{40, 0, 5, 4000, 1600, 4002}, Row{80, 0, 5, 14400, 6400, 14402}}) {
      for (const bool above : {false, true}) {
        const Mesh m = *plate({.divisions = {r.n, r.n},
                               .body_above = above,
                               .enclosing = true,
                               .rings = r.rings,
                               .extent = 10,
                               .walls = r.walls,
                               .depth = 5});
        QCOMPARE(m.cell_count(), r.elements);
        QCOMPARE(m.point_count(), r.nodes);
        QCOMPARE(static_cast<Index>(m.group("ground")->cells.size()), r.ground);
        QCOMPARE(static_cast<Index>(m.group("enclosing")->cells.size()), r.elements - r.ground);
        const double side = r.rings > 0 ? 30 : 10;
        QVERIFY(near(enclosed_volume(m), side * side * 5) < 1e-13);
        QVERIFY(check_surface(m).closed());
        QVERIFY(check_surface(m).consistent());
        const auto g = surface_geometry(m, m.group("ground")->cells);
        for (const Vec3& normal : g.normals) QVERIFY(vec::distance(normal, {0, 0, above ? -1.0 : 1.0}) < 1e-14);
      }
    }
    const Mesh open = *plate({.low = {0, 0}, .high = {3, 2}, .divisions = {6, 5}});
    QCOMPARE(open.cell_count(), Index{30});
    QVERIFY(near(total_area(open), 6) < 1e-14);
  }
  void grids_fill_their_box_in_every_kind() {
    const auto x = graded(0, 2, 5, 1.3);
    const auto y = graded(-1, 1, 4, 2);
    const auto z = graded(1, 4, 3);
    for (const bool simplices : {false, true})
      for (const int order : {1, 2})
        for (const bool serendipity : {false, true}) {
          const Mesh m = *tensor_grid(
              {.coordinates = {x, y, z}, .simplices = simplices, .order = order, .serendipity = serendipity});
          QVERIFY(near(total_volume(m), 12) < 1e-13);
          QCOMPARE(static_cast<Index>(m.group("domain")->cells.size()), Index{simplices ? 360 : 60});
          // The boundary groups are the outside of the volume cells, as a closed outward surface.
          const Mesh skin = m.extract(2);
          QVERIFY(check_surface(skin).closed());
          QVERIFY(check_surface(skin).consistent());
          QVERIFY(near(enclosed_volume(skin), 12) < 1e-13);
          QCOMPARE(boundary_surface(m).cell_count(), skin.cell_count());
          QVERIFY(near(enclosed_volume(boundary_surface(m)), 12) < 1e-13);
          for (const auto& g : surface_geometry(m, m.group("zmax")->cells).normals)
            QVERIFY(vec::distance(g, {0, 0, 1}) < 1e-12);
          const Mesh flat = *tensor_grid(
              {.coordinates = {x, y, {}}, .simplices = simplices, .order = order, .serendipity = serendipity});
          QVERIFY(near(total_area(flat), 4) < 1e-13);
          QCOMPARE(flat.dimension(), 2);
          QCOMPARE(flat.groups().size(), std::size_t{5});
          // With the domain on its left, ∮ x dy over the boundary is the area (Green).
          double green = 0;
          for (Index c = 0; c < flat.cell_count(); ++c) {
            if (dimension_of(flat.shape(c)) != 1) continue;
            const Vec3 a = flat.point(flat.nodes(c)[0]);
            const Vec3 b = flat.point(flat.nodes(c)[1]);
            green += (a[0] + b[0]) / 2 * (b[1] - a[1]);
          }
          QVERIFY(near(green, 4) < 1e-13);
        }
  }
  void graded_lengths_grow_by_the_ratio() {
    const auto x = graded(1, 3, 7, 1.25);
    QCOMPARE(x.size(), std::size_t{8});
    QCOMPARE(x.front(), 1.0);
    QCOMPARE(x.back(), 3.0);
    for (std::size_t i = 2; i < x.size(); ++i) QVERIFY(near((x[i] - x[i - 1]) / (x[i - 1] - x[i - 2]), 1.25) < 1e-12);
  }
  void bodies_of_revolution_are_closed_and_outward() {
    RevolutionOptions o;
    const int n = 24;
    for (int i = 0; i <= n; ++i) {
      const double t = pi * i / n;
      o.profile.push_back({i == 0 || i == n ? 0.0 : std::sin(t), -std::cos(t)});
    }
    o.around = 48;
    const Mesh ball = *revolution(o);
    QVERIFY(check_surface(ball).closed());
    QVERIFY(check_surface(ball).consistent());
    // Inscribed body of spacing h = 2π/48 both ways: volume error of h²·O(1/2).
    QVERIFY(enclosed_volume(ball) < 4 * pi / 3 &&
            near(enclosed_volume(ball), 4 * pi / 3) < 0.6 * std::pow(2 * pi / 48, 2));

    const double alpha = 7 * pi / 180;
    const double r = 0.0749;
    const double s = std::sin(alpha);
    const double h = r * std::cos(alpha) / std::tan(alpha);  // height of the circle of contact
    const double cap = r * (1 + s);
    const double volume = pi / 3 * std::pow(r * std::cos(alpha), 2) * h + pi * cap * cap * (r - cap / 3);
    const auto error = [&](double edge) {
      const Mesh m = *cone_sphere({.half_angle = alpha, .sphere_radius = r, .edge = edge});
      if (!check_surface(m).closed() || !check_surface(m).consistent()) return 1.0;
      return near(enclosed_volume(m), volume);
    };
    QVERIFY(error(0.01) < 1e-2);
    QVERIFY(error(0.005) < error(0.01) / 3);
  }
  void senseless_options_are_errors() {
    QVERIFY(!plate({.enclosing = true, .rings = 2, .extent = 0}));
    QVERIFY(!plate({.divisions = {1 << 20, 1 << 20}}));
    QVERIFY(!tensor_grid({.coordinates = {{{0, 1}, {0, 0}, {}}}}));
    QVERIFY(!tensor_grid({.coordinates = {{{0}, {0, 1}, {}}}}));
    QVERIFY(!tensor_grid({.coordinates = {{{0, std::nan("")}, {0, 1}, {}}}}));
    QVERIFY(!box({.divisions = {0, 1, 1}}));
    QVERIFY(!box({.divisions = {1 << 20, 1 << 20, 1 << 20}}));
    QVERIFY(!revolution({.profile = {{0, 0}, {1, 1}}}));
    QVERIFY(!revolution({.profile = {{0, 0}, {1, 1}, {1, 2}}}));
    QVERIFY(!cone_sphere({.half_angle = 2}));
    QVERIFY(!cone_sphere({.edge = 1e-30}));
  }
};

QTEST_APPLESS_MAIN(TestGridAndPlateGenerators)
#include "test_grid_and_plate_generators.moc"
