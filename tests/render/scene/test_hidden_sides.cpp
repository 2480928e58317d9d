// SPDX-License-Identifier: BSD-3-Clause
// Triangles that look away from the eye are left out only where others hide them: a picture is the same without them.
// labels: unit gl
#include <algorithm>
#include <array>
#include <memory>

#include <QTest>

#include "render/capture/picture.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/surface_mesh.hpp"
#include "tests/render/sample_frames.hpp"
#include "tests/render/similarity.hpp"

using namespace conoid;

namespace {

/// The same cubes; of those from `first` on the near and the far side have changed places, so that they are inside out.
std::shared_ptr<Frame> inside_out(int count, int first) {
  auto frame = sample::cubes(count);
  auto& mesh = std::get<MeshGeometry>(frame->parts.front().geometry);
  auto nodes = std::make_shared<std::vector<Index>>(*mesh.connectivity);
  for (std::size_t cell = static_cast<std::size_t>(first); cell < static_cast<std::size_t>(count); ++cell)
    for (std::size_t k = 0; k < 4; ++k) std::swap((*nodes)[8 * cell + k], (*nodes)[8 * cell + 4 + k]);
  mesh.connectivity = nodes;
  return frame;
}

bool outward(const Frame& frame) {
  const auto& mesh = std::get<MeshGeometry>(frame.parts.front().geometry);
  const auto skin = make_surface(mesh);
  if (!skin) qFatal("no skin");
  std::vector<float> xyz;
  for (std::size_t i = 0; i < skin->nodes.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) xyz.push_back(static_cast<float>(skin->value(i, mesh.points->data(), 3, k)));
  return is_outward(*skin, mesh, xyz.data());
}

std::shared_ptr<FieldScene> scene_of(std::shared_ptr<const Frame> frame) {
  auto scene = std::make_shared<FieldScene>();
  if (!scene->set_frame(std::move(frame)).ok()) qFatal("frame");
  return scene;
}

Image picture(const std::shared_ptr<FieldScene>& scene) {
  auto image = take_picture(scene, {240, 180, 1, false});
  if (!image) qFatal("%s", image.error().render().c_str());
  return std::move(image).value();
}

}  // namespace

class TestHiddenSides : public QObject {
  Q_OBJECT
 private slots:
  void cells_inside_out_are_seen() {
    QVERIFY(outward(*sample::cubes(1)));
    QVERIFY(outward(*sample::cubes(5)));
    QVERIFY(!outward(*inside_out(1, 0)));
    QVERIFY(!outward(*inside_out(5, 4)));
    QVERIFY(!outward(*sample::plate()));  // sheets have two sides
  }

  /// Of cubes that are inside out nothing is left out: what the others lack then was hidden.
  void nothing_seen_is_left_out() {
    const auto scene = scene_of(sample::cubes(3)), whole = scene_of(inside_out(3, 0));
    for (const StandardView view :
         {StandardView::iso, StandardView::plus_x, StandardView::minus_y, StandardView::minus_z}) {
      scene->look(view);
      whole->look(view);
      QVERIFY(structural_similarity(picture(scene), picture(whole)) > 0.995);
    }
  }

  void who_looks_in_sees_the_far_side() {
    const auto scene = scene_of(sample::cubes(3));
    const Image outside = picture(scene);
    FieldView view;
    view.clip = ClipPlane{{1, 0, 0}, 0.5};
    view.color_bar = view.caption = view.triad = view.extents = view.outline = false;
    QVERIFY(scene->set_view(view).ok());
    scene->look(StandardView::plus_x);  // into the half that is left
    const Image open = picture(scene);
    const std::uint8_t* ground = open.at(1, 1);
    const std::uint8_t* middle = open.at(120, 90);
    QVERIFY(!std::equal(ground, ground + 3, middle));
    // And from a place within: the walls around.
    view.clip.reset();
    QVERIFY(scene->set_view(view).ok());
    scene->look(StandardView::iso);
    static_cast<void>(picture(scene));
    auto within = scene->camera().placement();
    const std::array<double, 6> from_to = {1.5, 0.5, 0.5, 3, 0.5, 0.5};
    std::copy(from_to.begin(), from_to.end(), within.begin());
    scene->camera().place(within);
    const Image inside = picture(scene);
    const std::uint8_t* wall = inside.at(120, 90);
    QVERIFY(!std::equal(ground, ground + 3, wall));
  }
};

QTEST_APPLESS_MAIN(TestHiddenSides)
#include "test_hidden_sides.moc"
