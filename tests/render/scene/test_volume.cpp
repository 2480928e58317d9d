// SPDX-License-Identifier: BSD-3-Clause
// Volume rendering holds back the light that it says: a slab of one value lets through what the formula of absorption says.
// labels: unit
#include <QTest>

#include <cmath>

#include "render/capture/picture.hpp"
#include "render/scene/color_map.hpp"
#include "render/scene/field_scene.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

namespace {

/// The same number everywhere in a unit cube of n³ points.
std::shared_ptr<const Frame> cube(float value, Association association, FieldKind kind, Index n = 21) {
  auto frame = std::make_shared<Frame>();
  ImageGeometry grid;
  grid.points = {n, n, n};
  const double h = 1.0 / static_cast<double>(n - 1);
  grid.spacing = {h, h, h};
  const Index side = association == Association::point ? n : n - 1;
  FieldInfo info = sample::pressure();
  info.kind = kind;
  info.association = association;
  frame->parts.push_back(
      {"volume", grid, {make_field(info, std::vector<float>(static_cast<std::size_t>(side * side * side), value))}});
  return frame;
}

/// The colour in the middle of the picture, seen along x in parallel, 0 … 255.
std::array<double, 3> middle(const std::shared_ptr<const Frame>& frame, FieldView view) {
  view.outline = view.color_bar = view.caption = view.triad = view.extents = false;
  for (CutPlane& cut : view.cuts) cut.visible = false;
  auto scene = std::make_shared<FieldScene>();
  scene->set_theme(light_theme());
  scene->set_frame(frame).or_throw();
  scene->set_view(view).or_throw();
  scene->look(StandardView::plus_x);
  const auto image = take_picture(scene, {120, 120, 1, false, 1});
  if (!image) return {-1, -1, -1};
  const auto* p = image->pixels.data() + 4 * (static_cast<std::size_t>(60) * 120 + 60);
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

/// What a way through `parts` fortieths of the side leaves of the background, mixed with the colour of the map at `place`.
std::array<double, 3> expected(const std::string& map, double place, double opacity, double parts) {
  const double through = std::pow(1 - opacity, parts);
  const auto table = find_color_map(map)->table(1024);
  const auto& c = table[static_cast<std::size_t>(place * 1023)];
  const Theme theme = light_theme();
  std::array<double, 3> out{};
  for (std::size_t k = 0; k < 3; ++k) out[k] = (1 - through) * c[k] + through * 255 * theme.background[k];
  return out;
}

bool close(const std::array<double, 3>& a, const std::array<double, 3>& b, double within) {
  for (std::size_t k = 0; k < 3; ++k)
    if (std::abs(a[k] - b[k]) > within) {
      qWarning("%g %g %g, expected %g %g %g", a[0], a[1], a[2], b[0], b[1], b[2]);
      return false;
    }
  return true;
}

// Rays begin and end between samples: half a step of a cell, of twenty, at each end; and colours are bytes.
constexpr double tolerance = 6;

}  // namespace

class TestVolume : public QObject {
  Q_OBJECT
 private slots:
  void a_slab_holds_back_what_the_formula_says() {
    FieldView view;
    view.fixed_range = true;
    view.low = 0;
    view.high = 2;
    view.color_map = "depth";
    for (const double most : {0.02, 0.06}) {
      view.volume = most;
      // Halfway up the range half of the opacity, through forty fortieths of the side.
      QVERIFY(close(middle(cube(1, Association::point, FieldKind::magnitude), view),
                    expected("depth", 0.5, most / 2, 40), tolerance));
      QVERIFY(close(middle(cube(2, Association::point, FieldKind::magnitude), view), expected("depth", 1, most, 40),
                    tolerance));
    }
    // Values of cells reach from the middle of the first to that of the last.
    view.volume = 0.02;
    QVERIFY(close(middle(cube(2, Association::cell, FieldKind::magnitude), view),
                  expected("depth", 1, 0.02, 40 * 19.0 / 20), tolerance));
    // The lower end holds back nothing, beyond the upper one it is as there.
    QVERIFY(close(middle(cube(0, Association::point, FieldKind::magnitude), view), expected("depth", 0, 0, 40), 1));
    QVERIFY(close(middle(cube(50, Association::point, FieldKind::magnitude), view), expected("depth", 1, 0.02, 40),
                  tolerance));
  }

  void signed_values_are_clear_at_zero() {
    FieldView view;
    view.fixed_range = true;
    view.low = -2;
    view.high = 2;
    view.color_map = "swing";
    view.volume = 0.04;
    QVERIFY(
        close(middle(cube(0, Association::point, FieldKind::signed_value), view), expected("swing", 0.5, 0, 40), 1));
    QVERIFY(close(middle(cube(-1, Association::point, FieldKind::signed_value), view),
                  expected("swing", 0.25, 0.02, 40), tolerance));
    QVERIFY(close(middle(cube(2, Association::point, FieldKind::signed_value), view), expected("swing", 1, 0.04, 40),
                  tolerance));
  }

  void missing_values_and_flat_grids_are_left_out() {
    FieldView view;
    view.fixed_range = true;
    view.low = 0;
    view.high = 2;
    view.color_map = "depth";
    view.volume = 0.06;
    QVERIFY(close(middle(cube(std::nanf(""), Association::point, FieldKind::magnitude), view),
                  expected("depth", 0, 0, 40), 1));
    // Logarithmic colours: the place of 1 between 0.01 and 100 is the middle.
    view.map_log = true;
    view.low = 0.01;
    view.high = 100;
    QVERIFY(close(middle(cube(1, Association::point, FieldKind::magnitude), view), expected("depth", 0.5, 0.03, 40),
                  tolerance));
    // A plane has no depth: it is drawn as it was.
    auto flat = std::make_shared<Frame>(*cube(1, Association::point, FieldKind::magnitude));
    std::get<ImageGeometry>(flat->parts[0].geometry).points = {1, 21, 21};
    flat->parts[0].fields = {make_field(flat->parts[0].fields[0].info, std::vector<float>(441, 1.0F))};
    FieldView plain = view;
    plain.volume = 0;
    QVERIFY(close(middle(flat, view), middle(flat, plain), 0));
  }

  void another_frame_and_another_range_are_drawn() {
    auto scene = std::make_shared<FieldScene>();
    FieldView view;
    view.volume = 0.4;
    for (CutPlane& cut : view.cuts) cut.visible = false;
    scene->set_frame(sample::wave(0.1)).or_throw();
    scene->set_view(view).or_throw();
    const auto first = take_picture(scene, {200, 160, 1, false, 1});
    scene->set_frame(sample::wave(0.3)).or_throw();
    const auto second = take_picture(scene, {200, 160, 1, false, 1});
    view.volume = 0;
    scene->set_view(view).or_throw();
    const auto without = take_picture(scene, {200, 160, 1, false, 1});
    QVERIFY(first.ok() && second.ok() && without.ok());
    QVERIFY(first->pixels != second->pixels && second->pixels != without->pixels);
  }
};

QTEST_APPLESS_MAIN(TestVolume)
#include "test_volume.moc"
