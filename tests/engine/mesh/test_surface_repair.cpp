// SPDX-License-Identifier: BSD-3-Clause
// One repair for all surfaces: merging, orientation, holes, placing; what is done by itself and what is left alone.
// labels: unit
#include "engine/mesh/generators.hpp"
#include "engine/mesh/geometry_extent.hpp"
#include "engine/mesh/polygon.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/repair.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

#include <QTest>

#include <numbers>
#include <random>

using namespace conoid;

namespace {

const std::string inputs = CONOID_TEST_DATA "/inputs/";

PreparedMesh prepared(const std::string& file, const RepairOptions& repair = {}) {
  MeshRequest request;
  request.file = inputs + file;
  request.fallback = "m";
  request.repair = repair;
  auto out = prepare_mesh(request);
  if (!out) throw Failure(out.error());
  return std::move(*out);
}

/// A cube of twelve triangles, each with corners of its own; outwards.
Mesh torn_cube() {
  const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  Mesh m;
  for (const auto& f : faces)
    for (const auto& t : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
      std::array<Index, 3> nodes{};
      for (std::size_t k = 0; k < 3; ++k) {
        const int c = f[t[k]];
        nodes[k] =
            m.add_point({static_cast<double>(c & 1), static_cast<double>(c >> 1 & 1), static_cast<double>(c >> 2)});
      }
      m.add_cell(CellShape::triangle3, nodes);
    }
  return m;
}

}  // namespace

class TestSurfaceRepair : public QObject {
  Q_OBJECT
 private slots:
  void torn_surfaces_close_by_themselves() {
    for (const double shift : {0.0, 1e-9}) {
      Mesh torn = torn_cube();
      std::mt19937 random(5);
      std::uniform_real_distribution<double> off(-shift, shift);
      for (double& x : torn.mutable_points()) x += off(random);
      QVERIFY(!check_surface(torn).closed());
      RepairReport report;
      const auto whole = repaired(torn, {}, &report);
      QVERIFY(whole.ok());
      QCOMPARE(whole->point_count(), Index{8});
      QCOMPARE(report.merged_points, Index{28});
      QVERIFY(check_surface(*whole).is_body());
      QCOMPARE(report.said.size(), std::size_t{1});
      // And not when nobody wants it.
      QCOMPARE(repaired(torn, {.merge = RepairOptions::Merge::none})->point_count(), Index{36});
    }
  }
  void what_merging_would_spoil_is_left_alone() {
    // Three sheets along one edge, each with points of its own: merged they would make an edge of three cells.
    Mesh fan;
    for (int k = 0; k < 3; ++k) {
      const double a = 2 * std::numbers::pi * k / 3;
      const Index o = fan.add_point({0, 0, 0}), z = fan.add_point({0, 0, 1}),
                  x = fan.add_point({std::cos(a), std::sin(a), 0});
      fan.add_cell(CellShape::triangle3, {o, x, z});
    }
    RepairReport report;
    QCOMPARE(repaired(fan, {}, &report)->point_count(), Index{9});
    QVERIFY(!report.changed());
    // Asked for, it is done.
    QCOMPARE(repaired(fan, {.merge = RepairOptions::Merge::all})->point_count(), Index{5});
    // Coordinates of a micrometre and of a parsec are the same to it.
    for (const double size : {1e-6, 3e16}) {
      Mesh torn = torn_cube();
      for (double& x : torn.mutable_points()) x *= size;
      QCOMPARE(repaired(torn)->point_count(), Index{8});
    }
    // A tolerance beyond the edges leaves nothing, and says so.
    const auto gone = repaired(torn_cube(), {.merge = RepairOptions::Merge::all, .tolerance = 3});
    QVERIFY(!gone.ok() && !gone.error().hint.empty());
  }
  void files_of_others_are_closed_spheres() {
    for (const char* file : {"obj-split-vertices-sphere.obj", "stl-roundoff-1e-16.stl"}) {
      const PreparedMesh sphere = prepared(file);
      const auto r = check_surface(sphere.mesh);
      QVERIFY2(r.is_body(), file);
      QCOMPARE(r.components, Index{1});
      QCOMPARE(r.points - r.edges + r.cells, Index{2});  // Euler: no handle
      QVERIFY(!sphere.notes.empty());
      QVERIFY(sphere.notes.front().text.find("merged") != std::string::npos);
    }
  }
  void normals_are_turned_outwards_and_said() {
    for (const char* file : {"stl-normals-inward.stl", "stl-normals-mixed.stl"}) {
      const PreparedMesh sphere = prepared(file);
      QVERIFY2(check_surface(sphere.mesh).is_body(), file);
      QVERIFY(std::any_of(sphere.notes.begin(), sphere.notes.end(),
                          [](const Diagnostic& d) { return d.text.find("turned outwards") != std::string::npos; }));
      QVERIFY(!check_surface(prepared(file, {.orient = RepairOptions::Orient::keep}).mesh).is_body());
      QVERIFY(enclosed_volume(prepared(file, {.orient = RepairOptions::Orient::inward}).mesh) < 0);
      QVERIFY(enclosed_volume(prepared(file, {.flip = true}).mesh) < 0);
    }
  }
  void cavities_face_their_hollow_and_open_sheets_one_side() {
    Mesh two = torn_cube();
    Mesh inner = torn_cube();
    for (Index c = 0; c < inner.cell_count(); ++c) {
      std::array<Index, 3> nodes{};
      for (std::size_t k = 0; k < 3; ++k) {
        Vec3 p = inner.point(inner.nodes(c)[k]);
        for (double& x : p) x = 0.4 + 0.2 * x;
        nodes[k] = two.add_point(p);
      }
      two.add_cell(CellShape::triangle3, nodes);
    }
    const auto out = repaired(two);
    QVERIFY(std::abs(enclosed_volume(*out) - (1 - 0.008)) < 1e-12);
    Mesh sheet;
    for (int k = 0; k < 9; ++k) sheet.add_point({static_cast<double>(k % 3), static_cast<double>(k / 3), 0});
    sheet.add_cell(CellShape::quad4, {0, 1, 4, 3});
    sheet.add_cell(CellShape::quad4, {1, 2, 5, 4});
    sheet.add_cell(CellShape::quad4, {3, 6, 7, 4});  // the other way round
    sheet.add_cell(CellShape::quad4, {4, 5, 8, 7});
    RepairReport report;
    const auto flat = repaired(sheet, {}, &report);
    QCOMPARE(report.turned_cells, Index{1});
    QVERIFY(check_surface(*flat).consistent());
    QVERIFY(report.said.front().find("to the side of the others") != std::string::npos);
  }
  void cells_without_area_and_copies_are_left_out() {
    const Mesh whole = *icosphere({.divisions = 3});
    Mesh messy = whole;
    const auto n = whole.nodes(7);
    messy.add_cell(CellShape::triangle3, {n[0], n[0], n[1]});
    messy.add_cell(CellShape::triangle3, {n[2], n[2], n[2]});
    messy.add_cell(CellShape::triangle3, {n[1], n[0], n[2]});  // the other side of the same
    QVERIFY(!check_surface(messy).is_body());
    RepairReport report;
    const auto out = repaired(messy, {}, &report);
    QCOMPARE(out->cell_count(), whole.cell_count());
    QVERIFY2(check_surface(*out).is_body(), explain(check_surface(*out), *out).c_str());
    QCOMPARE(report.dropped_cells, Index{3});
    QCOMPARE(report.said.front(), std::string("2 cells without area and a copy of another were left out"));
    QCOMPARE(repaired(messy, {.merge = RepairOptions::Merge::none})->cell_count(), messy.cell_count());
    // A quadrilateral with a corner twice is a triangle, whose hole would be left; a cell of two groups may stand there twice.
    Mesh others = whole;
    others.add_point({3, 0, 0});
    const Index far = others.point_count() - 1;
    others.add_cell(CellShape::quad4, {n[0], n[1], far, far});
    others.add_group("one", 2).cells = {7};
    const Index again = others.add_cell(CellShape::triangle3, {n[0], n[1], n[2]});
    others.add_group("other", 2).cells = {again};
    QCOMPARE(repaired(others, {}, &report)->cell_count(), others.cell_count());
    QCOMPARE(report.dropped_cells, Index{0});
  }
  void one_sided_surfaces_are_refused_only_when_asked() {
    Mesh strip;  // Möbius
    constexpr int n = 12;
    for (int k = 0; k < n; ++k) {
      const double a = 2 * std::numbers::pi * k / n;
      for (const double w : {-0.3, 0.3})
        strip.add_point(
            {(1 + w * std::cos(a / 2)) * std::cos(a), (1 + w * std::cos(a / 2)) * std::sin(a), w * std::sin(a / 2)});
    }
    for (Index k = 0; k < n; ++k) {
      const bool last = k == n - 1;
      const Index a = 2 * k, b = a + 1, c = last ? 1 : a + 2, d = last ? 0 : a + 3;
      strip.add_cell(CellShape::quad4, {a, c, d, b});
    }
    RepairReport report;
    QVERIFY(repaired(strip, {}, &report).ok());
    QVERIFY(!report.changed());
    QVERIFY(!repaired(strip, {.orient = RepairOptions::Orient::outward}).ok());
  }
  void holes_are_filled() {
    Mesh open = *repaired(torn_cube());
    std::vector<Index> kept;
    for (Index c = 1; c < open.cell_count(); ++c) kept.push_back(c);
    kept.pop_back();  // two separate holes
    open = open.extract(kept);
    open.add_group("walls", 2).cells = {0, 1, 2};
    RepairReport report;
    const auto body = repaired(open, {.fill_holes = true}, &report);
    QVERIFY(check_surface(*body).is_body());
    QCOMPARE(report.filled_holes, Index{2});
    QVERIFY(std::abs(enclosed_volume(*body) - 1) < 1e-14);
    QCOMPARE(body->group("filled")->cells.size(), std::size_t{2});
    // A rim that is not convex.
    Mesh pot;
    const double rim[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    for (const auto& p : rim) pot.add_point({p[0], p[1], 0});
    for (const auto& p : rim) pot.add_point({p[0], p[1], 1});
    for (Index k = 0; k < 6; ++k) pot.add_cell(CellShape::quad4, {k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k});
    const auto closed = repaired(pot, {.fill_holes = true});
    QVERIFY(check_surface(*closed).is_body());
    QVERIFY(std::abs(enclosed_volume(*closed) - 3) < 1e-14);
  }
  void placing_is_scale_then_turn_then_shift() {
    Mesh m = *repaired(torn_cube());
    const auto placed = repaired(m, {.scale = 2, .rotate = {0, 0, std::numbers::pi / 2}, .translate = {10, 0, 0}});
    const auto [low, high] = placed->bounds();
    QVERIFY(std::abs(low[0] - 8) < 1e-14 && std::abs(high[0] - 10) < 1e-14 && std::abs(low[1]) < 1e-14 &&
            std::abs(high[1] - 2) < 1e-14);
    QVERIFY(std::abs(enclosed_volume(*placed) - 8) < 1e-13);
    QVERIFY(!repaired(m, {.scale = -1}).ok());
    QVERIFY(!repaired(m, {.scale = std::numeric_limits<double>::quiet_NaN()}).ok());
  }
  void volume_meshes_are_left_alone() {
    Mesh tet;
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) tet.add_point(p);
    tet.add_cell(CellShape::tet4, {0, 1, 2, 3});
    tet.add_cell(CellShape::triangle3, {0, 1, 2});
    RepairReport report;
    QVERIFY(repaired(tet, {}, &report).ok() && !report.changed());
    QVERIFY(!repaired(tet, {.orient = RepairOptions::Orient::outward}).ok());
    QVERIFY(!repaired(tet, {.fill_holes = true}).ok());
  }
  void concave_polygons_keep_their_area() {
    const PreparedMesh shape = prepared("concave-L.obj");
    QCOMPARE(shape.mesh.cell_count(), Index{4});
    QVERIFY(std::abs(total_area(shape.mesh) - 3) < 1e-14);
    // Stars of 2 n corners, in any plane: the area of the triangles is that of the polygon, and none is turned over.
    std::mt19937 random(3);
    std::uniform_real_distribution<double> radius(0.1, 1);
    for (int n = 4; n < 60; n += 7) {
      std::vector<Vec3> star;
      for (int k = 0; k < n; ++k) {
        const double a = 2 * std::numbers::pi * k / n, r = radius(random), x = r * std::cos(a), y = r * std::sin(a);
        star.push_back({5 + 0.6 * x, y, 0.8 * x - 3});
      }
      double whole = 0, sum = 0;
      const Vec3 up{-0.8, 0, 0.6};
      const auto twice = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
        const Vec3 u{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        return up[0] * (u[1] * v[2] - u[2] * v[1]) + up[1] * (u[2] * v[0] - u[0] * v[2]) +
               up[2] * (u[0] * v[1] - u[1] * v[0]);
      };
      for (std::size_t k = 1; k + 1 < star.size(); ++k) whole += twice(star[0], star[k], star[k + 1]);
      const auto triangles = triangulate(star);
      QCOMPARE(static_cast<int>(triangles.size()), n - 2);
      for (const auto& t : triangles) {
        const double area = twice(star[static_cast<std::size_t>(t[0])], star[static_cast<std::size_t>(t[1])],
                                  star[static_cast<std::size_t>(t[2])]);
        QVERIFY(area > -1e-12);
        sum += area;
      }
      QVERIFY(std::abs(sum - whole) < 1e-12);
    }
    // A quadrilateral with a corner turned in is two triangles.
    const auto dart = read_mesh_bytes("v 0 0 0\nv 2 -1 0\nv 0.5 0 0\nv 2 1 0\nf 1 2 3 4\n", "d.obj");
    QCOMPARE(dart->cell_count(), Index{2});
    QVERIFY(std::abs(total_area(*dart) - 0.5) < 1e-14);
  }
  void curved_cells_become_pieces_between_all_their_nodes() {
    Mesh m;
    for (const Vec3& p :
         {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0.5, 0, 0.2}, Vec3{0.5, 0.5, 0.2}, Vec3{0, 0.5, 0.2}})
      m.add_point(p);
    m.add_cell(CellShape::triangle6, {0, 1, 2, 3, 4, 5});
    const auto back = read_mesh_bytes(to_obj(m), "b.obj");
    QCOMPARE(back->cell_count(), Index{4});
    QCOMPARE(back->point_count(), Index{6});
    QVERIFY(what_is_lost(m, "b.obj").find("curved") != std::string::npos);
    QVERIFY(what_is_lost(m, "b.msh").empty());
  }
  void the_extent_of_a_solid_is_that_of_its_corners() {
    const std::string head = "ISO-10303-21;\n";
    QCOMPARE(
        geometry_extent(
            head + "#1=CARTESIAN_POINT('far (off)',(900.,0.,0.));\n#2 = CARTESIAN_POINT('a (1)',(1.,-2.E1,3.));\n"
                   "#3=CARTESIAN_POINT('',(2.5,\n  10.,3.));\n#12=VERTEX_POINT('',#2);#13 = VERTEX_POINT ('b',#3);\n"),
        30.0);
    QCOMPARE(geometry_extent(head + "#2=CARTESIAN_POINT('',(1.,2.,3.));\n#1=VERTEX_POINT('',#2);"), 0.0);
    QCOMPARE(geometry_extent(head + "#2=CARTESIAN_POINT('',(1.,nan,3.));\n#1=VERTEX_POINT('',#2);#1=VERTEX_POINT('',#"),
             0.0);
    QCOMPARE(geometry_extent("solid x\n#1=VERTEX_POINT('',#2);"), 0.0);
  }
  void units_that_files_state_are_read() {
    std::string name;
    const auto step = [](const std::string& unit) {
      return "ISO-10303-21;\n#9=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#1,#2,#3)));\n#2=("
             "NAMED_UNIT(*)PLANE_ANGLE_UNIT()"
             "SI_UNIT($,.RADIAN.));\n#3=(SI_UNIT($,.STERADIAN.));\n" +
             unit;
    };
    QCOMPARE(geometry_unit(step("#1 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) );"), name), 1.0);
    QCOMPARE(geometry_unit(step("#1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.CENTI.,.METRE.));"), name), 0.01);
    QCOMPARE(name, std::string("centimetre"));
    QVERIFY(
        std::abs(
            geometry_unit(
                step("#1=(CONVERSION_BASED_UNIT('INCH',#4)LENGTH_UNIT()NAMED_UNIT(#6));\n#4=LENGTH_MEASURE_WITH_UNIT("
                     "LENGTH_MEASURE(25.4),#5);\n#5=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));"),
                name) -
            0.0254) < 1e-16);
    QCOMPARE(name, std::string("inch"));
    QCOMPARE(geometry_unit(step("#1=(MASS_UNIT());"), name), 0.0);
    std::string iges(72, ' ');
    iges += "S      1\n";
    std::string global = "1H,,1H;,4Hpart,8Hpart.igs,4Htest,4Htest,32,38,6,308,15,4Hpart,1.0,";
    const auto with = [&](const std::string& rest) {
      std::string g = global + rest, out = iges;
      for (std::size_t at = 0; at < g.size(); at += 72) {
        std::string line = g.substr(at, 72);
        line.resize(72, ' ');
        out += line + "G      1\n";
      }
      return out;
    };
    QCOMPARE(geometry_unit(with("6,1HM,1,0.01;"), name), 1.0);
    QCOMPARE(geometry_unit(with("1,4HINCH,1,0.01;"), name), 0.0254);
    QCOMPARE(geometry_unit(with("3,2HMM,1,0.01;"), name), 1e-3);
    QCOMPARE(geometry_unit("solid x\n", name), 0.0);
  }
};

QTEST_APPLESS_MAIN(TestSurfaceRepair)
#include "test_surface_repair.moc"
