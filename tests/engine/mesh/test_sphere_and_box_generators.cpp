// SPDX-License-Identifier: BSD-3-Clause
// Spheres, ellipsoids and box surfaces: counts, closedness, and areas and volumes that converge with the right order.
// labels: unit
#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/surface.hpp"

#include <QTest>
#include <cmath>
#include <numbers>

using namespace conoid;

namespace {

constexpr double pi = std::numbers::pi;

/// Observed order between two refinements by 2.
double order(double coarse, double fine) {
  return std::log2(std::abs(coarse / fine));
}

Vec3 sum_of_area_vectors(const Mesh& mesh) {
  Vec3 sum{};
  for (Index c = 0; c < mesh.cell_count(); ++c) sum = vec::add(sum, cell_surface(mesh, c).area_vector);
  return sum;
}

}  // namespace

class TestSphereAndBoxGenerators : public QObject {
  Q_OBJECT
 private slots:
  void icosphere_has_the_geodesic_counts() {
    for (const int d : {1, 2, 3, 4, 7, 12}) {
      const Mesh m = *icosphere({.divisions = d});
      QCOMPARE(m.point_count(), Index{10} * d * d + 2);
      QCOMPARE(m.cell_count(), Index{20} * d * d);
      QCOMPARE(m.group("surface")->cells.size(), static_cast<std::size_t>(m.cell_count()));
      QVERIFY(vec::norm(sum_of_area_vectors(m)) < 1e-12);
    }
  }
  void sphere_volume_and_area_converge_with_order_two() {
    const double area = 4 * pi * 0.49;
    const double volume = 4.0 / 3.0 * pi * 0.343;
    const auto errors = [&](int d) {
      const Mesh m = *icosphere({.radius = 0.7, .divisions = d, .centre = {3, -2, 10}});
      return std::pair{total_area(m) - area, enclosed_volume(m) - volume};
    };
    const auto [a1, v1] = errors(8);
    const auto [a2, v2] = errors(16);
    QVERIFY(v1 < 0 && v2 < 0);  // the points lie on the ball: the body is inside
    QVERIFY(std::abs(order(a1, a2) - 2) < 0.05);
    QVERIFY(std::abs(order(v1, v2) - 2) < 0.05);
  }
  void curved_triangles_converge_with_order_four() {
    bool on_sphere = true;
    const auto error = [&](int d) {
      const Mesh m = *icosphere({.divisions = d, .order = 2});
      for (Index i = 0; i < m.point_count(); ++i) on_sphere &= std::abs(vec::norm(m.point(i)) - 1) < 1e-14;
      return enclosed_volume(m) - 4.0 / 3.0 * pi;
    };
    const double e1 = error(4);
    const double e2 = error(8);
    QVERIFY(on_sphere);
    QVERIFY2(std::abs(order(e1, e2) - 4) < 0.2, qPrintable(QString::number(order(e1, e2))));
  }
  void equal_volume_is_exact() {
    for (const int d : {1, 3, 5}) {
      const double v = 4.0 / 3.0 * pi * 8;
      QVERIFY(std::abs(enclosed_volume(*icosphere({.radius = 2, .divisions = d, .equal_volume = true})) / v - 1) <
              1e-13);
      QVERIFY(std::abs(enclosed_volume(*cube_sphere({.radius = 2, .divisions = d, .equal_volume = true})) / v - 1) <
              1e-13);
    }
  }
  void ellipsoid_volume_scales_with_its_axes() {
    const double ball = enclosed_volume(*icosphere({.divisions = 5}));
    const double e = enclosed_volume(*ellipsoid({.semi_axes = {2, 3, 0.5}, .divisions = 5, .centre = {1, 1, 1}}));
    QVERIFY(std::abs(e / (3 * ball) - 1) < 1e-13);
  }
  void cube_sphere_is_closed_and_outward() {
    for (const bool equal : {true, false}) {
      const Mesh m = *cube_sphere({.divisions = 9, .equal_angles = equal});
      QCOMPARE(m.cell_count(), Index{6 * 81});
      QCOMPARE(m.point_count(), Index{6 * 81 + 2});
      QVERIFY(vec::norm(sum_of_area_vectors(m)) < 1e-12);
      const auto g = surface_geometry(m);
      for (std::size_t i = 0; i < g.cells.size(); ++i) QVERIFY(vec::dot(g.normals[i], g.centroids[i]) > 0.9);
    }
  }
  void box_surface_has_the_box_area_and_volume() {
    for (const bool quads : {false, true})
      for (const int order : {1, 2}) {
        const Mesh m = *box_surface(
            {.low = {-1, 2, 5}, .high = {1, 2.5, 8}, .divisions = {3, 5, 2}, .quads = quads, .order = order});
        QVERIFY(std::abs(enclosed_volume(m) / 3 - 1) < 1e-13);
        QVERIFY(std::abs(total_area(m) / (2 * (2 * 0.5 + 0.5 * 3 + 3 * 2)) - 1) < 1e-13);
        QCOMPARE(m.groups().size(), std::size_t{6});
        const auto g = surface_geometry(m, m.group("ymin")->cells);
        for (const Vec3& n : g.normals) QVERIFY(vec::distance(n, {0, -1, 0}) < 1e-13);
        if (order == 1) QCOMPARE(m.point_count(), Index{2 * (15 + 10 + 6) + 2});
      }
    QCOMPARE(box_surface({.divisions = {4, 4, 4}})->point_count(), Index{98});
    QCOMPARE(box_surface({.high = {1, 1, 0.1}, .divisions = {8, 8, 1}})->point_count(), Index{162});
  }
  void senseless_options_are_errors_that_name_the_option() {
    const auto text = [](const Result<Mesh>& r) { return r ? std::string() : r.error().text; };
    QVERIFY(text(icosphere({.radius = -1})).find("radius") != std::string::npos);
    QVERIFY(text(icosphere({.radius = std::nan("")})).find("radius") != std::string::npos);
    QVERIFY(text(icosphere({.divisions = 0})).find("divisions") != std::string::npos);
    QVERIFY(text(icosphere({.divisions = 1 << 20})).find("limit") != std::string::npos);
    QVERIFY(text(icosphere({.order = 3})).find("order") != std::string::npos);
    QVERIFY(text(box_surface({.low = {0, 0, 0}, .high = {1, 0, 1}})).find("low/high") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestSphereAndBoxGenerators)
#include "test_sphere_and_box_generators.moc"
