// SPDX-License-Identifier: BSD-3-Clause
// Sides of bodies are found by their edges and become groups; a mesh gets elements of another size and stays the body it was.
// labels: unit
#include <cmath>
#include <numbers>

#include <QTemporaryDir>
#include <QTest>

#include "engine/mesh/curvature.hpp"
#include "engine/mesh/describe.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

using namespace conoid;

namespace {

Mesh brick_surface(int divisions, bool quads = false) {
  BoxSurfaceOptions options;
  options.high = {1, 2, 3};
  options.divisions = {divisions, divisions, divisions};
  options.quads = quads;
  auto mesh = box_surface(options);
  if (!mesh) qFatal("box");
  return std::move(mesh).value();
}

Mesh tet_box(int n) {
  return *box({.divisions = {n, n, n}, .simplices = true, .boundary = false});
}

/// A cylinder along x as CAD programs write it, `around` strips from end to end, with flat ends or the first one drawn out to a tip.
Mesh strips(int around, double radius, double length, double tip) {
  Mesh mesh;
  const auto ring = [&](double x) {
    const Index first = mesh.point_count();
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * std::numbers::pi * i / around;
      mesh.add_point({x, radius * std::cos(angle), radius * std::sin(angle)});
    }
    return first;
  };
  const Index low = ring(0), high = ring(length), front = mesh.add_point({-tip, 0, 0}),
              back = mesh.add_point({length, 0, 0});
  for (Index i = 0; i < around; ++i) {
    const Index j = (i + 1) % around;
    mesh.add_cell(CellShape::triangle3, {front, low + j, low + i});
    mesh.add_cell(CellShape::triangle3, {low + i, low + j, high + j});
    mesh.add_cell(CellShape::triangle3, {low + i, high + j, high + i});
    mesh.add_cell(CellShape::triangle3, {high + i, high + j, back});
  }
  return mesh;
}

const MeshSummary::Group* named_group(const MeshSummary& summary, const std::string& name) {
  for (const auto& group : summary.groups)
    if (group.name == name) return &group;
  return nullptr;
}

}  // namespace

class TestMeshEditing : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void initTestCase() { qputenv("XDG_CACHE_HOME", folder_.path().toUtf8()); }

  void a_side_of_a_box_is_a_region_and_a_sphere_is_one() {
    const Mesh mesh = brick_surface(3);
    const Index cell = nearest_face(mesh, {0.4, 1.1, 3.2});
    QVERIFY(cell >= 0);
    const auto top = smooth_region(mesh, cell, 40);
    QCOMPARE(top.size(), std::size_t{2 * 3 * 3});
    for (const Index c : top) QVERIFY(std::abs(cell_surface(mesh, c).centroid[2] - 3) < 1e-12);
    QCOMPARE(smooth_region(mesh, cell, 100).size(), static_cast<std::size_t>(mesh.cell_count()));
    const auto sphere = icosphere({});
    QVERIFY(sphere.ok());
    QCOMPARE(smooth_region(*sphere, 0, 40).size(), static_cast<std::size_t>(sphere->cell_count()));
    QVERIFY(smooth_region(mesh, -1, 40).empty());
    // A face turned over is still the neighbour that it was.
    Mesh crooked = brick_surface(2);
    auto& nodes = crooked.mutable_connectivity();
    std::swap(nodes[1], nodes[2]);
    QCOMPARE(smooth_region(crooked, 1, 40).size(), std::size_t{2 * 2 * 2});
    // All of them at once: the six sides of the box, each cell in one.
    const auto regions = smooth_regions(mesh, 40);
    QCOMPARE(regions.front(), Index{0});
    QCOMPARE(*std::max_element(regions.begin(), regions.end()), Index{5});
    for (const Index c : top) QCOMPARE(regions[static_cast<std::size_t>(c)], regions[static_cast<std::size_t>(cell)]);
  }

  void chosen_faces_become_a_group_and_leave_the_others() {
    const Mesh mesh = brick_surface(2);
    const auto side = smooth_region(mesh, nearest_face(mesh, {1, 1, 1.5}), 40);
    auto once = with_group(mesh, side, "inlet");
    QVERIFY(once.ok());
    const MeshSummary summary = summarize(*once);
    QVERIFY(named_group(summary, "inlet"));
    QVERIFY(std::abs(named_group(summary, "inlet")->measure - 6) < 1e-12);
    QCOMPARE(once->cell_count(), mesh.cell_count());
    std::size_t held = 0;
    for (const MeshGroup& group : once->groups()) held += group.cells.size();
    QVERIFY(held <= static_cast<std::size_t>(mesh.cell_count()));  // none in two groups
    // The same name again: the group is the new choice.
    const auto again = with_group(*once, smooth_region(mesh, nearest_face(mesh, {0.5, 1, 3}), 40), "inlet");
    QVERIFY(again.ok());
    QVERIFY(std::abs(named_group(summarize(*again), "inlet")->measure - 2) < 1e-12);
    QVERIFY(!with_group(mesh, side, "").ok());
    QVERIFY(!with_group(mesh, {}, "inlet").ok());
    QVERIFY(!with_group(mesh, std::vector<Index>{-3, 1000000}, "inlet").ok());
  }

  void faces_of_a_volume_become_cells() {
    const Mesh mesh = tet_box(3);
    const Mesh faces = outer_faces(mesh);
    QCOMPARE(faces.cell_count(), Index{6 * 9 * 2});
    const auto bottom = smooth_region(faces, nearest_face(faces, {0.5, 0.5, -1}), 40);
    auto once = with_group(mesh, bottom, "ground");
    QVERIFY(once.ok());
    QCOMPARE(once->cell_count(), mesh.cell_count() + 18);
    QVERIFY(std::abs(named_group(summarize(*once), "ground")->measure - 1) < 1e-12);
    // They are there now, and no second time.
    const Mesh faces_again = outer_faces(*once);
    const auto twice =
        with_group(*once, smooth_region(faces_again, nearest_face(faces_again, {0.5, 0.5, -1}), 40), "floor");
    QVERIFY(twice.ok());
    QCOMPARE(twice->cell_count(), once->cell_count());
    const MeshSummary summary = summarize(*twice);
    QVERIFY(!named_group(summary, "ground"));
    QVERIFY(std::abs(named_group(summary, "floor")->measure - 1) < 1e-12);
  }

  void what_cannot_be_made_again_says_why() {
    const auto why_not = [](const Mesh& mesh) { return why_not_remeshed(mesh); };
    QVERIFY(why_not(brick_surface(2)).empty());
    QVERIFY(!why_not(brick_surface(2, true)).empty());
    IcosphereOptions curved;
    curved.order = 2;
    QVERIFY(!why_not(*icosphere(curved)).empty());
    Mesh two = tet_box(2);
    QVERIFY(why_not(two).empty());
    two.add_group("lead", 3).cells = {0, 1, 2};
    QVERIFY(why_not(two).find("several groups") != std::string::npos);
    QVERIFY(!remeshed(two, 0.5).ok());
    Mesh inside = tet_box(2);  // a face between two tetrahedra
    const auto nodes = inside.nodes(0);
    const std::array<Index, 4> tet{nodes[0], nodes[1], nodes[2], nodes[3]};
    for (const auto& f : {std::array<std::size_t, 3>{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}})
      inside.add_cell(CellShape::triangle3, {tet[f[0]], tet[f[1]], tet[f[2]]});
    auto& wall = inside.add_group("wall", 2);
    for (Index c = inside.cell_count() - 4; c < inside.cell_count(); ++c) wall.cells.push_back(c);
    QVERIFY(why_not(inside).find("inside the body") != std::string::npos);
    QVERIFY(!remeshed(brick_surface(2), 0).ok());
    QVERIFY(!remeshed(brick_surface(2), 1e-6).ok());
  }

  void a_mesh_gets_elements_of_another_size() {
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    // A box keeps its edges, so area and volume are exact; coarser and finer, with a group whose border is an edge.
    const Mesh fine = brick_surface(8);
    const auto grouped = with_group(fine, smooth_region(fine, nearest_face(fine, {0.5, 1, 3}), 40), "top");
    QVERIFY(grouped.ok());
    for (const double size : {0.8, 0.2}) {
      const auto made = remeshed(*grouped, size);
      QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
      const MeshSummary summary = summarize(*made);
      QVERIFY(summary.surface.is_body());
      QVERIFY(std::abs(summary.quality.measure - 22) < 1e-9);
      QVERIFY(std::abs(summary.surface.volume - 6) < 1e-9);
      QVERIFY(named_group(summary, "top"));
      QVERIFY(std::abs(named_group(summary, "top")->measure - 2) < 1e-9);
      // Edges about as long as asked for: half to twice.
      QVERIFY(summary.quality.edge_mean > size / 2 && summary.quality.edge_mean < 2 * size);
    }
    auto body = tet_box(6);
    auto& whole = body.add_group("rock", 3);
    for (Index c = 0; c < body.cell_count(); ++c) whole.cells.push_back(c);
    const Mesh skin = outer_faces(body);
    auto named = with_group(body, smooth_region(skin, nearest_face(skin, {0.5, 0.5, 2}), 40), "top");
    QVERIFY(named.ok());
    const auto made = remeshed(*named, 0.5);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
    const MeshSummary summary = summarize(*made);
    QVERIFY(summary.cells < summarize(*named).cells);
    QVERIFY(std::abs(summary.quality.measure - 1) < 1e-9);
    QVERIFY(named_group(summary, "rock") && named_group(summary, "top"));
    QVERIFY(std::abs(named_group(summary, "rock")->measure - 1) < 1e-9);
    QVERIFY(std::abs(named_group(summary, "top")->measure - 1) < 1e-9);
  }

  void bends_of_facets_tell_the_curvature() {
    // Strips along a cylinder: exactly a bend over a width, 2 pi/64 over 2 R sin(pi/64), and only along the circle.
    const double pi = std::numbers::pi;
    const Mesh rod = strips(64, 0.04, 0.45, 0);
    const auto curvatures = corner_curvatures(rod, 40);
    const double expected = 2 * pi / 64 / (2 * 0.04 * std::sin(pi / 64));
    std::size_t round = 0;
    for (Index c = 0; c < rod.cell_count(); ++c)
      for (const double k : curvatures[static_cast<std::size_t>(c)]) {
        if (c % 4 == 0 || c % 4 == 3)
          QVERIFY(k < 1e-6);  // flat ends, whose sharp rims are no bends
        else
          QVERIFY2(std::abs(k / expected - 1) < 1e-6, qPrintable(QString::number(k / expected)));
        round += k > 0 ? 1 : 0;
      }
    QVERIFY(round >= 64 * 6);
    // A sphere by nearly even facets: 1/R on average; at single corners as uneven as its facets are.
    IcosphereOptions options;
    options.radius = 2;
    options.divisions = 8;
    const Mesh ball = *icosphere(options);
    double sum = 0;
    for (const auto& cell : corner_curvatures(ball, 40)) sum += cell[0] + cell[1] + cell[2];
    const double mean = sum / 3 / static_cast<double>(ball.cell_count());
    QVERIFY2(std::abs(mean * 2 - 1) < 0.15, qPrintable(QString::number(mean * 2)));
    // A box has none, however its sides are cut.
    for (const auto& cell : corner_curvatures(brick_surface(6), 40))
      for (const double k : cell) QVERIFY(k < 1e-6);
  }
  void elements_longer_than_a_body_is_thick_follow_it_all_the_same() {
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    // 20 facets around a circle of radius R enclose 1 − sin(x)/x less than it, x = 2 pi/20: 1.6 %; corners of triangles that lie between
    // each other cut twice of that at most.
    const double pi = std::numbers::pi;
    for (const double tip : {0.0, 0.15, 0.4}) {
      const Mesh body = strips(64, 0.04, 0.45, tip);
      QVERIFY(summarize(body).surface.is_body());
      const auto made = remeshed(body, 0.1);
      QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
      const MeshSummary summary = summarize(*made);
      QVERIFY(summary.surface.is_body());
      const double volume = pi * 0.04 * 0.04 * (0.45 + tip / 3);
      QVERIFY2(std::abs(summary.surface.volume / volume - 1) < 0.032,
               qPrintable(QString::number(summary.surface.volume / volume)));
      QVERIFY(self_intersections(*made, 1).empty());
      // The nose stays where it is, to a hundredth of the length, or it is told.
      const bool told = how_remeshed_differs(body, *made).find("a tip of the body") != std::string::npos;
      QCOMPARE(told, summary.low[0] + tip > 0.01 * (0.45 + tip));
      QVERIFY2(summary.low[0] + tip < 0.02 * (0.45 + tip), qPrintable(QString::number(summary.low[0])));
    }
  }
  void a_body_that_was_changed_by_its_elements_is_told_of() {
    const Mesh round = strips(64, 1, 2, 0), coarse = strips(6, 1, 2, 0);
    QVERIFY(how_remeshed_differs(round, round).empty());
    // Six strips: 1 − sin(x)/x with x = pi/3 is 17 %.
    const std::string words = how_remeshed_differs(round, coarse);
    QVERIFY2(words.find("the body is 17 % smaller") != std::string::npos, words.c_str());
    QVERIFY(how_remeshed_differs(coarse, round).find("larger") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestMeshEditing)
#include "test_mesh_editing.moc"
