// SPDX-License-Identifier: BSD-3-Clause
// Arrows lie on the field and are spread evenly; lines along a rotation are circles.
// labels: unit
#include <QTest>

#include <cmath>

#include "render/capture/picture.hpp"
#include "render/scene/arrows.hpp"
#include "render/scene/field_scene.hpp"
#include "tests/render/similarity.hpp"

using namespace conoid;

namespace {

/// v = (−y, x, 0) on a plane grid of n × n points over [−1, 1]².
FramePart rotation(Index n) {
  FramePart part;
  part.name = "plane";
  ImageGeometry grid;
  grid.points = {n, n, 1};
  grid.origin = {-1, -1, 0};
  const double h = 2.0 / static_cast<double>(n - 1);
  grid.spacing = {h, h, 1};
  part.geometry = grid;
  std::vector<float> v;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      v.push_back(static_cast<float>(1 - h * static_cast<double>(j)));
      v.push_back(static_cast<float>(-1 + h * static_cast<double>(i)));
      v.push_back(0);
    }
  FieldInfo info;
  info.name = "velocity";
  info.unit = "m/s";
  info.components = 3;
  part.fields.push_back(make_field(info, std::move(v)));
  return part;
}

}  // namespace

class TestArrows : public QObject {
  Q_OBJECT
 private slots:
  void arrows_are_values_of_the_field() {
    const FramePart part = rotation(65);
    const auto arrows = spread_arrows(part, part.fields[0], {}, 100);
    QVERIFY(arrows.ok());
    QVERIFY(arrows->size() >= 50 && arrows->size() <= 200);
    for (const Arrow& a : *arrows) {
      QVERIFY(std::abs(a.vector[0] + a.at[1]) < 1e-6);
      QVERIFY(std::abs(a.vector[1] - a.at[0]) < 1e-6);
    }
  }

  void a_scalar_field_has_no_arrows() {
    FramePart part = rotation(9);
    part.fields[0].info.components = 1;
    QVERIFY(!spread_arrows(part, part.fields[0], {}, 10).ok());
  }

  // RK4 of order 4 in the step on an exact (bilinear) field: the radius keeps to h⁴.
  void lines_of_a_rotation_are_circles() {
    const FramePart part = rotation(65);
    const VectorAt field = vector_field(part, part.fields[0], {});
    QVERIFY(static_cast<bool>(field));
    double before = 0;
    for (const double step : {0.08, 0.04}) {
      const auto line = flow_line(field, {0.5, 0, 0}, step, 1e-6, 40);
      QVERIFY(line.size() == 81);
      double worst = 0;
      for (const Vec3& p : line) worst = std::max(worst, std::abs(std::hypot(p[0], p[1]) - 0.5));
      QVERIFY(worst < 1e-4);
      if (before > 0) QVERIFY(worst < before / 10);
      before = worst;
    }
    QVERIFY(!field({2, 0, 0}));
    QVERIFY(flow_line(field, {3, 0, 0}, 0.1, 0, 10).size() == 1);
  }

  void arrows_change_the_picture_and_the_copy_is_the_same() {
    auto frame = std::make_shared<Frame>();
    frame->parts.push_back(rotation(33));
    auto scene = std::make_shared<FieldScene>();
    QVERIFY(scene->set_frame(frame).ok());
    const auto plain = take_picture(scene->copy(), {320, 240, 1, false});
    FieldView view = scene->view();
    view.arrow_field = "velocity";
    QVERIFY(scene->set_view(view).ok());
    const auto with = take_picture(scene->copy(), {320, 240, 1, false});
    QVERIFY(plain.ok() && with.ok());
    QVERIFY(structural_similarity(*plain, *with) < 0.99);
    const auto again = take_picture(scene, {320, 240, 1, false});
    QVERIFY(again.ok());
    QVERIFY(structural_similarity(*with, *again) > 0.999);
    // Lines along the flow are another picture, also in front of the plane.
    view.streamlines = true;
    QVERIFY(scene->set_view(view).ok());
    const auto lines = take_picture(scene->copy(), {320, 240, 1, false});
    QVERIFY(lines.ok());
    QVERIFY(structural_similarity(*plain, *lines) < 0.99);
    QVERIFY(structural_similarity(*with, *lines) < 0.99);
  }
};

QTEST_MAIN(TestArrows)
#include "test_arrows.moc"
