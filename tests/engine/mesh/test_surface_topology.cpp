// SPDX-License-Identifier: BSD-3-Clause
// Holes, turned cells, sheets that touch, cavities, Möbius strips, surfaces that cut themselves: found and, where it can
// be, mended.
// labels: unit
#include "engine/mesh/describe.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <QTest>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

using namespace conoid;

namespace {

/// The mesh without some cells.
Mesh without(const Mesh& m, const std::vector<Index>& dropped) {
  std::vector<Index> kept;
  for (Index c = 0; c < m.cell_count(); ++c)
    if (std::find(dropped.begin(), dropped.end(), c) == dropped.end()) kept.push_back(c);
  return m.extract(kept);
}

/// Both meshes in one, no points shared.
Mesh joined(const Mesh& a, const Mesh& b) {
  Mesh out = a;
  const Index shift = a.point_count();
  for (Index i = 0; i < b.point_count(); ++i) out.add_point(b.point(i));
  for (Index c = 0; c < b.cell_count(); ++c) {
    std::vector<Index> n(b.nodes(c).begin(), b.nodes(c).end());
    for (Index& x : n) x += shift;
    out.add_cell(b.shape(c), n);
  }
  return out;
}

void turn(Mesh& m, Index cell) {
  auto& n = m.mutable_connectivity();
  const auto at = static_cast<std::size_t>(m.offsets()[static_cast<std::size_t>(cell)]);
  const auto k = static_cast<std::size_t>(corners_of(m.shape(cell)));
  std::reverse(n.begin() + static_cast<std::ptrdiff_t>(at), n.begin() + static_cast<std::ptrdiff_t>(at + k));
}

/// A band of quads around the z axis, closed after n steps, turning by half_turns on the way.
Mesh band(int n, int half_turns) {
  Mesh m;
  for (int i = 0; i < n; ++i) {
    const double phi = 2 * std::numbers::pi * i / n;
    const double tilt = phi * half_turns / 2;
    for (const double s : {-0.3, 0.3})
      m.add_point(
          {(1 + s * std::cos(tilt)) * std::cos(phi), (1 + s * std::cos(tilt)) * std::sin(phi), s * std::sin(tilt)});
  }
  for (Index i = 0; i < n; ++i) {
    const bool seam = i == n - 1 && half_turns % 2 == 1;
    const Index next = 2 * ((i + 1) % n);
    m.add_cell(CellShape::quad4, {2 * i, 2 * i + 1, seam ? next : next + 1, seam ? next + 1 : next});
  }
  return m;
}

}  // namespace

class TestSurfaceTopology : public QObject {
  Q_OBJECT
 private slots:
  void a_sphere_is_a_body() {
    const auto r = check_surface(*icosphere({.divisions = 6}));
    QVERIFY(r.is_body());
    QCOMPARE(r.edges, Index{30 * 36});
    QCOMPARE(r.components, Index{1});
    QCOMPARE(r.points - r.edges + r.cells, Index{2});  // Euler: no handle
    QVERIFY(explain(r, *icosphere({.divisions = 6})).find("closed, 1 component") == 0);
  }
  void a_torus_has_one_handle() {
    Mesh m;
    const int n = 12;
    const int k = 7;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) {
        const double u = 2 * std::numbers::pi * i / n;
        const double v = 2 * std::numbers::pi * j / k;
        m.add_point({(2 + std::cos(v)) * std::cos(u), (2 + std::cos(v)) * std::sin(u), std::sin(v)});
      }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) {
        const auto at = [&](int a, int b) { return Index{(a % n) * k + b % k}; };
        m.add_cell(CellShape::quad4, {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    const auto r = check_surface(m);
    QVERIFY(r.is_body());
    QCOMPARE(r.components, Index{1});
    QCOMPARE(r.points - r.edges + r.cells, Index{0});  // Euler: one handle
  }
  void holes_are_counted_and_placed() {
    const Mesh whole = *icosphere({.divisions = 4});
    const Mesh m = without(whole, {17, 101, 222});
    const auto r = check_surface(m, 2);
    QVERIFY(!r.closed());
    QCOMPARE(r.open_edge_count, Index{9});
    QCOMPARE(r.open_edges.size(), std::size_t{2});
    QVERIFY(explain(r, m).find("open: 9 edges") != std::string::npos);
  }
  void turned_cells_are_found_and_turned_back() {
    std::mt19937 random(4);
    for (const bool quads : {false, true})
      for (const int order : {1, 2}) {
        Mesh m = *box_surface(
            {.low = {-3, 1, 0}, .high = {2, 4, 9}, .divisions = {3, 4, 5}, .quads = quads, .order = order});
        const double volume = enclosed_volume(m);
        Mesh broken = m;
        // Turned by mirroring the nodes; for order 2 through the inverse of the mend itself.
        if (order == 1) {
          for (Index c = 0; c < broken.cell_count(); ++c)
            if (random() % 3 == 0) turn(broken, c);
          QVERIFY(!check_surface(broken).consistent());
        } else {
          for (std::size_t i = 0; i < broken.mutable_points().size(); i += 3) broken.mutable_points()[i] *= -1;
          QVERIFY(check_surface(broken).volume < 0);
        }
        const auto change = orient_outward(broken);
        QVERIFY(change.turned > 0);
        QVERIFY(change.orientable);
        QCOMPARE(change.components, Index{1});
        QVERIFY(check_surface(broken).is_body());
        QVERIFY(std::abs(enclosed_volume(broken) / volume - 1) < 1e-12);
        Mesh again = broken;
        QCOMPARE(orient_outward(again).turned, Index{0});
      }
  }
  void cavities_point_into_the_hollow_and_bodies_inside_them_outwards() {
    Mesh m =
        joined(joined(*icosphere({.radius = 3, .divisions = 3}), *icosphere({.radius = 2, .divisions = 3})),
               joined(*icosphere({.radius = 1, .divisions = 3}), *icosphere({.divisions = 3, .centre = {9, 0, 0}})));
    std::mt19937 random(8);
    for (Index c = 0; c < m.cell_count(); ++c)
      if (random() % 2 == 0) turn(m, c);
    const auto change = orient_outward(m);
    QCOMPARE(change.components, Index{4});
    QCOMPARE(change.cavities, Index{1});
    const double v = enclosed_volume(*icosphere({.divisions = 3}));
    QVERIFY(std::abs(enclosed_volume(m) / (v * (27 - 8 + 1 + 1)) - 1) < 1e-12);
    QCOMPARE(check_surface(m).components, Index{4});
    const auto number = surface_components(m);
    QCOMPARE(number.front(), Index{0});
    QCOMPARE(number.back(), Index{3});
  }
  void pieces_that_cut_one_another_are_bodies_both() {
    // A point of one may lie in the other: whichever comes first, none is the other's cavity.
    for (const Vec3& centre :
         {Vec3{1.2, 0, 0}, Vec3{-1.2, 0, 0}, Vec3{0, 1.2, 0}, Vec3{0, 0, -1.2}, Vec3{0.7, 0.7, 0.7}}) {
      const Mesh one = *icosphere({.divisions = 3}),
                 other = *icosphere({.radius = 0.8, .divisions = 3, .centre = centre});
      for (Mesh m : {joined(one, other), joined(other, one)}) {
        const auto change = orient_outward(m);
        QCOMPARE(change.turned, Index{0});
        QCOMPARE(change.cavities, Index{0});
        const MeshSummary summary = summarize(m);
        QVERIFY(summary.cut.has_value());
        const auto lines = describe(summary, m);
        QVERIFY(std::any_of(lines.begin(), lines.end(),
                            [](const std::string& line) { return line.find("cuts itself") != std::string::npos; }));
        QVERIFY(to_json(summary).find("\"cuts_itself\":true") != std::string::npos);
      }
    }
    QVERIFY(!summarize(joined(*icosphere({.divisions = 3}), *icosphere({.radius = 0.5, .divisions = 3}))).cut);
  }
  void one_sided_bands_are_reported() {
    Mesh moebius = band(15, 1);
    QVERIFY(!orient_outward(moebius).orientable);
    Mesh cylinder = band(15, 0);
    turn(cylinder, 3);
    turn(cylinder, 4);
    const auto change = orient_outward(cylinder);
    QVERIFY(change.orientable);
    QCOMPARE(change.turned, Index{2});  // the majority keeps its direction
    QCOMPARE(change.open_components, Index{1});
    QVERIFY(check_surface(cylinder).consistent());
    QCOMPARE(check_surface(cylinder).open_edge_count, Index{30});
  }
  void sheets_that_meet_are_not_manifold() {
    Mesh fin;  // three triangles on one edge
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{-1, -1, 0}})
      fin.add_point(p);
    for (const Index tip : {2, 3, 4}) fin.add_cell(CellShape::triangle3, {0, 1, tip});
    QCOMPARE(check_surface(fin).non_manifold_edge_count, Index{1});
    QVERIFY(!check_surface(fin).manifold());
    Mesh bow;  // two triangles on one point
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{1, 1, 0}, Vec3{-1, 0, 0}, Vec3{-1, -1, 0}})
      bow.add_point(p);
    bow.add_cell(CellShape::triangle3, {0, 1, 2});
    bow.add_cell(CellShape::triangle3, {0, 3, 4});
    QCOMPARE(check_surface(bow).non_manifold_point_count, Index{1});
    QCOMPARE(check_surface(bow).components, Index{2});
  }
  void collapsed_cells_do_not_confuse_the_edges() {
    Mesh m = *icosphere({.divisions = 2});
    m.add_cell(CellShape::triangle3, {0, 0, 0});
    const auto r = check_surface(m);
    QCOMPARE(r.collapsed_cell_count, Index{1});
    QVERIFY(!r.is_body());
    Mesh copy = m;
    orient_outward(copy);
  }
  void winding_number_tells_inside_from_outside() {
    const Mesh m = *box_surface({.divisions = {3, 2, 4}, .quads = true});
    std::vector<Index> all;
    for (Index c = 0; c < m.cell_count(); ++c) all.push_back(c);
    std::mt19937 random(6);
    std::uniform_real_distribution<double> u(-0.5, 1.5);
    for (int i = 0; i < 500; ++i) {
      const Vec3 p{u(random), u(random), u(random)};
      const bool inside = std::all_of(p.begin(), p.end(), [](double x) { return x > 0 && x < 1; });
      QVERIFY(std::abs(winding_number(m, all, p) - (inside ? 1 : 0)) < 1e-9);
    }
  }
  void boundary_of_volume_cells_keeps_groups_and_links() {
    for (const bool simplices : {false, true})
      for (const int order : {1, 2}) {
        const Mesh m = *box({.divisions = {3, 2, 4}, .simplices = simplices, .order = order});
        BoundaryLinks links;
        const Mesh skin = boundary_surface(m, &links);
        QVERIFY(check_surface(skin).is_body());
        QCOMPARE(skin.group("xmax")->cells.size(), m.group("xmax")->cells.size());
        for (const auto& n : surface_geometry(skin, skin.group("ymin")->cells).normals) QVERIFY(n[1] < -0.999);
        QCOMPARE(links.volume_cells.size(), static_cast<std::size_t>(skin.cell_count()));
        for (Index i = 0; i < skin.point_count(); ++i)
          QCOMPARE(skin.point(i), m.point(links.points[static_cast<std::size_t>(i)]));
      }
  }
  void surfaces_that_cut_themselves_are_found() {
    QVERIFY(self_intersections(*icosphere({.divisions = 8})).empty());
    QVERIFY(self_intersections(*box_surface({.divisions = {4, 5, 6}, .quads = true})).empty());
    const Mesh two = joined(*icosphere({.divisions = 6}), *icosphere({.divisions = 5, .centre = {1.2, 0.1, 0}}));
    const auto pairs = self_intersections(two, 1000);
    // The same as comparing every pair: each sphere's triangles that reach across the other's surface are in the list.
    std::set<Index> cut;
    for (const auto& [a, b] : pairs) {
      QVERIFY(a < 720 && b >= 720);
      cut.insert(a);
      cut.insert(b);
    }
    std::vector<Index> first;
    for (Index c = 0; c < 720; ++c) first.push_back(c);
    for (Index c = 720; c < two.cell_count(); ++c) {
      int inside = 0;
      for (const Index n : two.nodes(c)) inside += winding_number(two, first, two.point(n)) > 0.5 ? 1 : 0;
      if (inside == 1 || inside == 2) QVERIFY(cut.contains(c));
    }
    QVERIFY(pairs.size() > 20);
    QCOMPARE(self_intersections(two, 3).size(), std::size_t{3});

    // A hundred thousand triangles in one place would be compared for minutes: the test would end by its time limit.
#if defined(__SANITIZE_ADDRESS__)
    constexpr Index count = 10000;
#else
    constexpr Index count = 100000;
#endif
    std::vector<double> points;
    std::vector<CellShape> shapes;
    std::vector<Index> nodes;
    for (Index k = 0; k < count; ++k) {
      for (const double v : {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}) points.push_back(v);
      shapes.push_back(CellShape::triangle3);
      for (Index n = 0; n < 3; ++n) nodes.push_back(3 * k + n);
    }
    const auto heap = Mesh::from_arrays(std::move(points), std::move(shapes), std::move(nodes), {});
    QVERIFY(heap.ok());
    QVERIFY(self_intersections(*heap).empty());
  }
};

QTEST_APPLESS_MAIN(TestSurfaceTopology)
#include "test_surface_topology.moc"
