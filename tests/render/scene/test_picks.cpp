// SPDX-License-Identifier: BSD-3-Clause
// What is seen is what is read under the cursor: iso-surfaces, planes through meshes and arrows have the values of the field there.
// labels: unit gl
#include <cmath>
#include <memory>
#include <vector>

#include <QTest>

#include "render/scene/field_scene.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

namespace {

constexpr int side = 300;  // pixels

double radius(const Vec3& p) {
  return std::hypot(p[0], p[1], p[2]);
}
double slope(const Vec3& p) {
  return 0.5 + 0.3 * p[0] - 0.2 * p[1] + 0.1 * p[2];
}

/// Points of the cube from -1 to 1, `cells` along a side, x fastest.
std::vector<Vec3> points_of(int cells) {
  std::vector<Vec3> out;
  const auto at = [&](int i) { return -1 + 2.0 * i / cells; };
  for (int z = 0; z <= cells; ++z)
    for (int y = 0; y <= cells; ++y)
      for (int x = 0; x <= cells; ++x) out.push_back({at(x), at(y), at(z)});
  return out;
}

template <class What>
Field field_of(const std::vector<Vec3>& places, What what) {
  std::vector<float> values;
  for (const Vec3& p : places) values.push_back(static_cast<float>(what(p)));
  return make_field(sample::pressure(), std::move(values));
}

template <class What>
std::shared_ptr<Frame> grid(int cells, What what) {
  auto frame = std::make_shared<Frame>();
  const double h = 2.0 / cells;
  frame->parts.push_back({"volume",
                          ImageGeometry{{cells + 1, cells + 1, cells + 1}, {-1, -1, -1}, {h, h, h}},
                          {field_of(points_of(cells), what)}});
  return frame;
}

template <class What>
std::shared_ptr<Frame> solid(int cells, What what) {
  const std::vector<Vec3> places = points_of(cells);
  auto points = std::make_shared<std::vector<double>>();
  auto nodes = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  for (const Vec3& p : places) points->insert(points->end(), p.begin(), p.end());
  const Index row = cells + 1, layer = row * row;
  for (Index z = 0; z < cells; ++z)
    for (Index y = 0; y < cells; ++y)
      for (Index x = 0; x < cells; ++x) {
        const Index n = x + row * y + layer * z;
        for (const Index k : {Index{0}, layer})
          for (const Index m : {n, n + 1, n + 1 + row, n + row}) nodes->push_back(m + k);
        offsets->push_back(static_cast<Index>(nodes->size()));
      }
  MeshGeometry mesh;
  mesh.points = points;
  mesh.connectivity = nodes;
  mesh.offsets = offsets;
  mesh.types = std::make_shared<const std::vector<std::uint8_t>>(offsets->size() - 1, std::uint8_t{12});
  auto frame = std::make_shared<Frame>();
  frame->parts.push_back({"solid", mesh, {field_of(places, what)}});
  return frame;
}

/// All picks of a picture at every fifth pixel.
std::vector<Probe> picks(FieldScene& scene) {
  scene.layout(side, side, 1);
  std::vector<Probe> out;
  for (int y = 4; y < side; y += 5)
    for (int x = 4; x < side; x += 5)
      if (auto probe = scene.pick(x, y)) out.push_back(std::move(*probe));
  return out;
}

FieldView without_planes() {
  FieldView view;
  view.fixed_range = true;
  view.low = 0;
  view.high = 1;
  for (CutPlane& cut : view.cuts) cut.visible = false;
  return view;
}

}  // namespace

class TestPicks : public QObject {
  Q_OBJECT
 private slots:
  void an_iso_surface_of_a_grid_is_read_where_it_lies() {
    constexpr int cells = 32;
    FieldScene scene;
    scene.set_frame(grid(cells, radius)).or_throw();
    FieldView view = without_planes();
    QVERIFY(scene.set_view(view).ok());
    scene.look(StandardView::iso);
    QVERIFY(picks(scene).empty());
    view.iso = {0.5};
    QVERIFY(scene.set_view(view).ok());
    const auto found = picks(scene);
    QVERIFY(found.size() > 50);
    // Between points a distance of r is off by h²/8 times its second derivative along each axis, together 2/r at most.
    const double h = 2.0 / cells, off = h * h / 8 * 2 / 0.5;
    for (const Probe& p : found) {
      QVERIFY(std::abs(p.value - 0.5) < 1e-12);
      QVERIFY2(std::abs(radius(p.position) - 0.5) < off, qPrintable(QString::number(radius(p.position))));
    }
    // A value is a value, whatever the range of the colours.
    view.iso.clear();
    view.iso_values = {0.5};
    view.fixed_range = true;
    view.low = 0;
    view.high = 3;
    QVERIFY(scene.set_view(view).ok());
    QVERIFY(picks(scene).size() > 50);
    for (const Probe& p : picks(scene)) QVERIFY(std::abs(p.value - 0.5) < 1e-12);
    // From outside the near half is met, whatever planes lie behind it.
    scene.look(StandardView::plus_x);
    view.cuts[0].visible = true;
    QVERIFY(scene.set_view(view).ok());
    int on_ball = 0, on_plane = 0;
    for (const Probe& p : picks(scene)) {
      const bool ball = radius(p.position) < 0.5 + off && p.position[0] > 1e-9;
      ball ? ++on_ball : ++on_plane;
      if (!ball) QVERIFY(std::abs(p.position[0]) < 1e-9 && radius(p.position) > 0.5 - off);
    }
    QVERIFY(on_ball > 20 && on_plane > 100);
  }

  void iso_surfaces_have_fewer_triangles_while_the_view_moves() {
    FieldScene scene;
    scene.set_frame(grid(96, radius)).or_throw();
    FieldView view = without_planes();
    view.iso = {0.5, 0.6, 0.7, 0.8, 0.9};
    QVERIFY(scene.set_view(view).ok());
    const std::size_t whole = scene.triangles_drawn();
    QVERIFY2(whole > 100000, qPrintable(QString::number(whole)));
    scene.set_detail(FieldScene::Detail::coarse);
    const std::size_t coarse = scene.triangles_drawn();
    QVERIFY2(coarse > 2000 && coarse < whole / 4, qPrintable(QString::number(coarse)));
    // Colours alone are no reason to find them anew, another value is; what is read stays that of the whole grid.
    scene.set_detail(FieldScene::Detail::whole);
    QCOMPARE(scene.triangles_drawn(), whole);
    view.iso = {0.5};
    QVERIFY(scene.set_view(view).ok());
    QVERIFY(scene.triangles_drawn() < whole / 4);
  }

  void planes_through_a_mesh_are_read() {
    FieldScene scene;
    scene.set_frame(solid(6, slope)).or_throw();
    FieldView view = without_planes();
    view.mesh_cuts = true;
    view.cuts[1] = {true, 0.3};
    QVERIFY(scene.set_view(view).ok());
    scene.look(StandardView::minus_y);
    const auto found = picks(scene);
    QVERIFY2(found.size() > 200, qPrintable(QString::number(found.size())));
    for (const Probe& p : found) {
      QVERIFY(std::abs(p.position[1] + 0.4) < 1e-6);
      QVERIFY2(std::abs(p.value - slope(p.position)) < 1e-5, qPrintable(QString::number(p.value)));
    }
  }

  void an_iso_surface_of_a_mesh_lies_where_the_field_has_its_value() {
    FieldScene scene;
    scene.set_frame(solid(6, slope)).or_throw();
    FieldView view = without_planes();
    view.iso = {0.4, 0.6};
    QVERIFY(scene.set_view(view).ok());
    scene.look(StandardView::iso);
    const auto found = picks(scene);
    QVERIFY(found.size() > 100);
    bool low = false, high = false;
    for (const Probe& p : found) {
      // The field is linear: what lies on the surface has its value exactly, but for single precision.
      QVERIFY(std::abs(p.value - slope(p.position)) < 1e-5);
      low = low || std::abs(p.value - 0.4) < 1e-5;
      high = high || std::abs(p.value - 0.6) < 1e-5;
      QVERIFY(std::abs(p.value - 0.4) < 1e-5 || std::abs(p.value - 0.6) < 1e-5);
    }
    QVERIFY(low && high);
    view.iso.clear();
    QVERIFY(scene.set_view(view).ok());
    for (const Probe& p : picks(scene)) {
      const double out = std::max({std::abs(p.position[0]), std::abs(p.position[1]), std::abs(p.position[2])});
      QVERIFY(std::abs(out - 1) < 1e-6);  // the skin again
    }
  }

  void arrows_are_read_with_their_vector() {
    auto frame = std::make_shared<Frame>();
    ImageGeometry flat{{9, 9, 1}, {0, 0, 0}, {1, 1, 1}};
    FieldInfo velocity;
    velocity.name = "velocity";
    velocity.label = "Velocity";
    velocity.unit = "m/s";
    velocity.components = 3;
    std::vector<float> vectors;
    for (int i = 0; i < 81; ++i) vectors.insert(vectors.end(), {3, 4, 0});
    frame->parts.push_back(
        {"plane", flat, {make_field(sample::pressure(), std::vector<float>(81, 7)), make_field(velocity, vectors)}});
    FieldScene scene;
    scene.set_frame(frame).or_throw();
    FieldView view;
    view.field = "pressure";
    view.arrow_field = "velocity";
    view.arrows = 9;
    QVERIFY(scene.set_view(view).ok());
    scene.look(StandardView::plus_z);
    int arrows = 0, plane = 0;
    for (const Probe& p : picks(scene)) {
      if (std::abs(p.value - 7) < 1e-6) {
        ++plane;
        continue;
      }
      ++arrows;
      QCOMPARE(p.value, 5.0);
      QVERIFY2(p.what.find("Velocity 5 m/s (3 m/s, 4 m/s, 0 m/s)") == 0, p.what.c_str());
      QCOMPARE(p.position[2], 0.0);
    }
    QVERIFY(arrows > 10 && plane > 10);
  }
};

QTEST_APPLESS_MAIN(TestPicks)
#include "test_picks.moc"
