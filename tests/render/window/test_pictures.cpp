// SPDX-License-Identifier: BSD-3-Clause
// Pictures without a display: repeatable to the byte, of the right size, and different when the scene is.
// labels: unit
#include <QTest>

#include <cmath>

#include <vtkCamera.h>

#include "render/capture/picture.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/chart/chart_units.hpp"
#include "render/scene/color_map.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/raster_viewport.hpp"
#include "tests/render/read_png.hpp"
#include "tests/render/sample_frames.hpp"
#include "tests/render/similarity.hpp"

using namespace conoid;

namespace {

std::shared_ptr<FieldScene> scene_of(std::shared_ptr<const Frame> frame) {
  auto scene = std::make_shared<FieldScene>();
  const auto status = scene->set_frame(std::move(frame));
  if (!status) qFatal("%s", status.error().render().c_str());
  return scene;
}

Image picture(const std::shared_ptr<Scene>& scene, int width = 320, int height = 200, double scale = 1) {
  auto image = take_picture(scene, {width, height, scale, false});
  if (!image) qFatal("%s", image.error().render().c_str());
  return std::move(image).value();
}

/// A grid of n³ points over [−1, 1]³ with a function on it.
template <class F>
std::shared_ptr<const Frame> cube(Index n, F&& f) {
  auto frame = std::make_shared<Frame>();
  ImageGeometry grid;
  grid.points = {n, n, n};
  const double h = 2.0 / static_cast<double>(n - 1);
  grid.origin = {-1, -1, -1};
  grid.spacing = {h, h, h};
  std::vector<float> values;
  for (Index z = 0; z < n; ++z)
    for (Index y = 0; y < n; ++y)
      for (Index x = 0; x < n; ++x)
        values.push_back(static_cast<float>(
            f(-1 + h * static_cast<double>(x), -1 + h * static_cast<double>(y), -1 + h * static_cast<double>(z))));
  frame->parts.push_back({"volume", grid, {make_field(sample::pressure(), std::move(values))}});
  return frame;
}

FieldView bare(double low, double high) {
  FieldView view;
  view.fixed_range = true;
  view.low = low;
  view.high = high;
  view.color_bar = view.caption = view.triad = view.extents = view.outline = false;
  return view;
}

bool is_background(const std::uint8_t* p, const Image& image) {
  const auto* corner = image.at(0, 0);
  for (int c = 0; c < 3; ++c)
    if (std::abs(int(p[c]) - int(corner[c])) > 6) return false;
  return true;
}

int drawn(const Image& image, int x0, int x1) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = x0; x < x1; ++x) count += is_background(image.at(x, y), image) ? 0 : 1;
  return count;
}

}  // namespace

class TestPictures : public QObject {
  Q_OBJECT

 private slots:
  void same_scene_gives_same_bytes() {
    const Image a = picture(scene_of(sample::wave(0.3)));
    const Image b = picture(scene_of(sample::wave(0.3)));
    QVERIFY(!a.empty());
    QVERIFY(a == b);
    QCOMPARE(structural_similarity(a, b), 1.0);
  }

  void a_slightly_other_scene_is_told_apart() {
    const Image a = picture(scene_of(sample::wave(0.30)));
    const Image control = picture(scene_of(sample::wave(0.31)));
    QVERIFY(structural_similarity(a, control) < 0.999);
    QVERIFY(structural_similarity(a, control) > 0.5);
    auto turned = scene_of(sample::wave(0.30));
    turned->camera().orbit(3, 0);
    QVERIFY(structural_similarity(a, picture(turned)) < 0.999);
  }

  void size_is_logical_size_times_pixel_ratio() {
    for (const double ratio : {1.0, 1.5, 2.0}) {
      const Image image = picture(scene_of(sample::sphere()), 301, 199, ratio);
      QCOMPARE(image.width, static_cast<int>(std::lround(301 * ratio)));
      QCOMPARE(image.height, static_cast<int>(std::lround(199 * ratio)));
    }
    QVERIFY(!RasterViewport::make(0, 10));
    QVERIFY(!RasterViewport::make(20000, 10));
  }

  void a_scaled_picture_is_the_same_picture() {
    const Image one = picture(scene_of(sample::wave(0.3)), 400, 260, 1);
    const Image two = picture(scene_of(sample::wave(0.3)), 400, 260, 2);
    Image half = one;
    for (int y = 0; y < one.height; ++y)
      for (int x = 0; x < one.width; ++x)
        for (int c = 0; c < 4; ++c) {
          const int sum = two.at(2 * x, 2 * y)[c] + two.at(2 * x + 1, 2 * y)[c] + two.at(2 * x, 2 * y + 1)[c] +
                          two.at(2 * x + 1, 2 * y + 1)[c];
          half.pixels[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(one.width) +
                           static_cast<std::size_t>(x)) +
                      static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(sum / 4);
        }
    // Text is hinted to whole pixels and lines to whole widths, so not equal, but plainly the same layout.
    QVERIFY(structural_similarity(one, half) > 0.9);
  }

  void backgrounds() {
    auto scene = scene_of(sample::sphere());
    const Image white = picture(scene);
    QCOMPARE(int(white.at(0, 0)[0]), 255);
    QCOMPARE(int(white.at(0, 0)[3]), 255);
    const auto clear = take_picture(scene, {320, 200, 1, true});
    QVERIFY(clear.ok());
    QCOMPARE(int(clear->at(0, 0)[3]), 0);
    QCOMPARE(int(clear->at(160, 100)[3]), 255);
    scene->set_theme(dark_theme());
    const Image dark = picture(scene);
    QCOMPARE(int(dark.at(0, 0)[0]), int(std::lround(255 * dark_theme().background[0])));
  }

  void nothing_does_not_colour_the_edges_of_a_transparent_picture() {
    // Everything is dark red or the grey of lines: pixels that are covered in part are too, not mixed with what lies behind.
    auto scene = scene_of(cube(9, [](double, double, double) { return 1.0; }));
    QVERIFY(scene->set_view(bare(-1, 1)).ok());
    const auto clear = take_picture(scene, {240, 150, 1, true});
    QVERIFY(clear.ok());
    int partly = 0;
    for (std::size_t k = 0; k < clear->pixels.size(); k += 4) {
      const std::uint8_t* p = &clear->pixels[k];
      if (p[3] == 0 || p[3] == 255) continue;
      ++partly;
      QVERIFY2(p[1] < 220, qPrintable(QString("%1 %2 %3 %4").arg(p[0]).arg(p[1]).arg(p[2]).arg(p[3])));
    }
    QVERIFY(partly > 20);
  }

  void colours_on_a_cut_are_colours_of_the_map() {
    // A field that grows along x on a flat grid, seen face on: the middle of the picture has the middle's colour.
    auto frame = std::make_shared<Frame>();
    ImageGeometry grid;
    grid.points = {33, 33, 1};
    std::vector<float> values;
    for (int y = 0; y < 33; ++y)
      for (int x = 0; x < 33; ++x) values.push_back(static_cast<float>(x - 16) / 16);
    frame->parts.push_back({"plane", grid, {make_field(sample::pressure(), values)}});
    auto scene = scene_of(frame);
    FieldView view;
    view.fixed_range = true;
    view.low = -1;
    view.high = 1;
    view.color_bar = view.caption = view.triad = view.extents = view.outline = false;
    QVERIFY(scene->set_view(view).ok());
    const Image image = picture(scene, 200, 200);
    const auto* middle = image.at(100, 100);
    for (int c = 0; c < 3; ++c) QVERIFY(middle[c] > 235);  // the white middle of the map
    const auto* left = image.at(40, 100);
    const auto* right = image.at(160, 100);
    QVERIFY(left[2] > left[0] + 60);    // blue below zero
    QVERIFY(right[0] > right[2] + 60);  // red above
  }

  void a_slice_shows_the_values_where_it_stands() {
    auto scene = scene_of(cube(33, [](double, double, double z) { return z; }));
    FieldView view = bare(-1, 1);
    view.color_map = "swing";
    view.cuts[0].visible = view.cuts[1].visible = false;
    const auto map = find_color_map("swing");
    QVERIFY(map.ok());
    for (const double position : {0.0, 0.25, 0.5, 1.0}) {
      view.cuts[2].position = position;
      QVERIFY(scene->set_view(view).ok());
      scene->look(StandardView::plus_z);
      const Image image = picture(scene, 120, 120);
      const Rgb wanted = map->at(position);
      for (std::size_t c = 0; c < 3; ++c)
        QVERIFY2(std::abs(image.at(60, 60)[c] - 255 * wanted[c]) < 4, std::to_string(position).c_str());
    }
    view.cuts[2].visible = false;
    QVERIFY(scene->set_view(view).ok());
    const Image nothing = picture(scene, 120, 120);
    QCOMPARE(drawn(nothing, 0, 120), 0);
  }

  void an_iso_surface_lies_where_the_field_has_its_value() {
    auto scene = scene_of(cube(49, [](double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); }));
    FieldView view = bare(0, 1);
    for (auto& cut : view.cuts) cut.visible = false;
    for (const double radius : {0.4, 0.7}) {
      view.iso = {radius};
      QVERIFY(scene->set_view(view).ok());
      scene->look(StandardView::plus_x);
      const Image image = picture(scene, 240, 240);
      // Half the height of a parallel view is the camera's scale.
      const double pixel = 2 * scene->camera().camera()->GetParallelScale() / image.height;
      const double area = 3.14159265 * std::pow(radius / pixel, 2);
      QVERIFY2(std::abs(drawn(image, 0, 240) - area) < 0.03 * area,
               qPrintable(QString("%1 of %2").arg(drawn(image, 0, 240)).arg(area)));
    }
  }

  void a_clip_takes_one_side_away_and_opacity_lets_the_back_through() {
    auto scene = scene_of(sample::sphere(96, 48));
    FieldView view = bare(-1, 1);
    QVERIFY(scene->set_view(view).ok());
    scene->look(StandardView::plus_x);
    const Image whole = picture(scene, 200, 200);
    QVERIFY(std::abs(drawn(whole, 0, 100) - drawn(whole, 100, 200)) < 0.02 * drawn(whole, 0, 100));
    view.clip = ClipPlane{{0, 1, 0}, 0.5};
    QVERIFY(scene->set_view(view).ok());
    const Image half = picture(scene, 200, 200);
    QVERIFY(drawn(half, 0, 100) > 0.97 * drawn(whole, 0, 100));
    QVERIFY(drawn(half, 102, 200) == 0);
    view.clip.reset();
    view.opacity = 0.4;
    QVERIFY(scene->set_view(view).ok());
    const Image faint = picture(scene, 200, 200);
    const auto darkness = [](const Image& image) {
      return 765 - image.at(100, 60)[0] - image.at(100, 60)[1] - image.at(100, 60)[2];
    };
    QVERIFY(darkness(faint) < darkness(whole));
    QVERIFY(darkness(faint) > 0);
  }

  void a_profile_through_a_grid_is_the_field() {
    auto scene = scene_of(cube(21, [](double x, double y, double z) { return 2 * x - y + 0.5 * z; }));
    const auto line = scene->profile("", {-1, -0.5, 0.3}, {1, 0.7, -0.4}, 57);
    QVERIFY(line.ok());
    for (std::size_t i = 0; i < line->size(); ++i) {
      const double t = static_cast<double>(i) / 56;
      const double exact = 2 * (-1 + 2 * t) - (-0.5 + 1.2 * t) + 0.5 * (0.3 - 0.7 * t);
      QVERIFY(std::abs((*line)[i].value - exact) < 1e-6);
    }
    QVERIFY(!scene->profile("none", {0, 0, 0}, {1, 1, 1}, 10).ok());
  }

  void the_phase_of_a_wave_moves_its_picture_and_comes_back() {
    auto scene = scene_of(sample::sphere(48, 24, true));
    FieldView view = bare(-1, 1);
    const auto at = [&](double angle) {
      view.value.angle = angle;
      if (!scene->set_view(view).ok()) qFatal("view");
      return picture(scene, 160, 160);
    };
    const Image start = at(0);
    QVERIFY(structural_similarity(start, at(1.5)) < 0.99);
    QVERIFY(structural_similarity(start, at(2 * 3.14159265358979)) > 0.999);
    // Half a period later every value has the other sign: the colours of top and bottom change places.
    const Image opposite = at(3.14159265358979);
    QVERIFY(start.at(80, 30)[0] > start.at(80, 30)[2] + 40);
    QVERIFY(opposite.at(80, 30)[2] > opposite.at(80, 30)[0] + 40);
  }

  void the_range_is_locked_around_zero_and_does_not_flicker() {
    auto scene = scene_of(sample::wave(0.1));
    auto range = scene->range();
    QCOMPARE(range.first, -range.second);
    for (const double t : {0.2, 0.3, 0.9}) {
      QVERIFY(scene->set_frame(sample::wave(t)).ok());
      const auto next = scene->range();
      QCOMPARE(next.first, -next.second);
      QVERIFY(next.second >= range.second);
      range = next;
    }
  }

  void unknown_names_are_refused_and_listed() {
    auto scene = scene_of(sample::wave(0.1));
    FieldView view;
    view.field = "presure";
    const auto status = scene->set_view(view);
    QVERIFY(!status);
    QVERIFY(status.error().hint.find("pressure") != std::string::npos);
    view = {};
    view.part = "surface";
    QVERIFY(!scene->set_view(view).ok());
    view = {};
    view.value.component = 2;
    view.field = "pressure";
    QVERIFY(!scene->set_view(view).ok());
  }

  void damaged_frames_are_refused_without_harm() {
    auto frame = std::make_shared<Frame>(*sample::wave(0.1));
    frame->parts[0].fields[0].values = std::make_shared<const std::vector<float>>(5, 1.0F);
    auto scene = std::make_shared<FieldScene>();
    QVERIFY(!scene->set_frame(frame).ok());
    QVERIFY(!picture(scene).empty());
    auto odd = std::make_shared<Frame>(*sample::wave(0.1));
    std::get<ImageGeometry>(odd->parts[0].geometry).points = {0, -3, 5};
    QVERIFY(!scene->set_frame(odd).ok());
    auto nan = std::make_shared<Frame>(*sample::wave(0.1));
    std::vector<float> values(*nan->parts[0].fields[0].values);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = NAN;
    nan->parts[0].fields[0].values = std::make_shared<const std::vector<float>>(values);
    QVERIFY(scene->set_frame(nan).ok());
    QVERIFY(!picture(scene).empty());
  }

  void the_arrow_of_a_wave_is_picked_and_turned() {
    auto scene = scene_of(sample::sphere(96, 48));
    Marker wave;
    wave.kind = MarkerKind::wave;
    wave.direction = {1, 0, 0};
    wave.polarisations = {{0, 0, 1}};
    wave.key = "/excitation";
    scene->look(StandardView::minus_y);  // x to the right, z up
    const Image without = picture(scene, 400, 300);
    scene->set_markers({wave, {{0, 0, 1}, MarkerKind::receiver, "top", {}, {}, "/output/receivers/0"}});
    const Image with = picture(scene, 400, 300);
    QVERIFY(without.pixels != with.pixels);
    scene->layout(400, 300, 1);  // the picture was drawn larger, to be smoothed
    // From the left: somewhere there it is under the cursor, and only there.
    int left = 0, right = 0;
    double at_x = 0, at_y = 0;
    for (int y = 4; y < 300; y += 8)
      for (int x = 2; x < 400; x += 2)
        if (const auto found = scene->marker_at(x, y); found && *found == 0) {
          (x < 200 ? left : right) += 1;
          at_x = x, at_y = y;
        }
    QVERIFY2(left > 5 && right == 0, qPrintable(QString("%1 %2").arg(left).arg(right)));
    // Dragged to the top of the picture it runs downwards, in the plane of the picture or towards it.
    const auto place = scene->dragged_to(wave, 200, 1);
    QVERIFY(place);
    const Vec3 turned = scene->direction_of_wave_from(*place);
    QVERIFY(std::abs(turned[0]) < 0.05 && turned[2] < -0.5);
    QVERIFY(std::abs(std::hypot(turned[0], turned[1], turned[2]) - 1) < 1e-12);
    // Left where it was it stays where it was.
    const auto same = scene->dragged_to(wave, at_x, at_y);
    QVERIFY(same && scene->direction_of_wave_from(*same)[0] > 0.5);
    // A receiver is moved in the plane that faces the eye: its y stays, the cursor is above it.
    const auto& receiver = scene->markers()[1];
    const auto moved = scene->dragged_to(receiver, 250, 100);
    QVERIFY(moved && std::abs((*moved)[1]) < 1e-9);
    scene->set_markers({wave, {*moved, MarkerKind::receiver, "top"}});
    scene->layout(400, 300, 1);
    QCOMPARE(scene->marker_at(250, 100), std::optional<std::size_t>(1));
    QVERIFY(!scene->marker_at(20, 20));
    // Seen along itself it is a ring, and is still found in the middle of it.
    scene->set_markers({wave});
    scene->look(StandardView::minus_x);
    const Image along = picture(scene, 400, 300);
    QVERIFY(along.pixels != picture(scene_of(sample::sphere(96, 48)), 400, 300).pixels);
    scene->layout(400, 300, 1);
    int found = 0;
    for (int y = 100; y < 200; y += 4)
      for (int x = 150; x < 250; x += 4) found += scene->marker_at(x, y) == std::optional<std::size_t>(0);
    QVERIFY(found > 0 && found < 40);
  }

  void pick_and_profile_read_the_field() {
    auto scene = scene_of(sample::sphere(96, 48));
    (void)picture(scene, 300, 300);
    scene->look(StandardView::plus_x);
    (void)picture(scene, 300, 300);
    int hits = 0;
    for (int y = 20; y < 300; y += 13)
      for (int x = 20; x < 300; x += 17)
        if (const auto probe = scene->pick(x, y)) {
          ++hits;
          // The field is z; a chord of the polyhedron is inside the sphere by at most 1 − cos(π/96)·cos(π/96).
          QVERIFY(std::abs(probe->value - probe->position[2]) < 0.01);
          QVERIFY(probe->position[0] > 0);
        }
    QVERIFY(hits > 30);
    auto row = scene_of(sample::cubes(5));
    const auto line = row->profile("volume", {-0.5, 0.3, 0.7}, {5.5, 0.3, 0.7}, 61);
    QVERIFY(line.ok());
    for (const auto& p : *line) {
      const double x = p.distance - 0.5;
      if (x < -1e-6 || x > 5 + 1e-6)
        QVERIFY(std::isnan(p.value));
      else if (x > 1e-6 && x < 5 - 1e-6)
        QVERIFY(std::abs(p.value - x) < 1e-5);
    }
  }

  void cells_of_a_surface_are_smooth_but_not_over_creases() {
    // z at the middle of each quadrilateral of a fine sphere: what lies between is z but for the curvature within two cells.
    auto ball = sample::sphere(96, 48);
    const auto& mesh = std::get<MeshGeometry>(ball->parts[0].geometry);
    const auto of_cells = [](const MeshGeometry& m, auto&& value) {
      std::vector<float> out;
      for (std::size_t c = 0; c + 1 < m.offsets->size(); ++c) {
        Vec3 mean{};
        const auto begin = static_cast<std::size_t>((*m.offsets)[c]),
                   end = static_cast<std::size_t>((*m.offsets)[c + 1]);
        for (std::size_t k = begin; k < end; ++k)
          for (std::size_t d = 0; d < 3; ++d)
            mean[d] +=
                (*m.points)[3 * static_cast<std::size_t>((*m.connectivity)[k]) + d] / static_cast<double>(end - begin);
        out.push_back(value(mean));
      }
      return out;
    };
    FieldInfo info = sample::pressure();
    info.association = Association::cell;
    ball->parts[0].fields = {make_field(info, of_cells(mesh, [](const Vec3& p) { return static_cast<float>(p[2]); }))};
    const auto worst = [](const std::shared_ptr<FieldScene>& scene) {
      double out = 0;
      for (int y = 20; y < 300; y += 13)
        for (int x = 20; x < 300; x += 17)
          if (const auto probe = scene->pick(x, y)) out = std::max(out, std::abs(probe->value - probe->position[2]));
      return out;
    };
    auto scene = scene_of(ball);
    scene->look(StandardView::plus_x);
    (void)picture(scene, 300, 300);
    const double smooth = worst(scene);
    FieldView view = scene->view();
    view.smooth = false;
    QVERIFY(scene->set_view(view).ok());
    (void)picture(scene, 300, 300);
    const double facets = worst(scene);
    // Rows of cells are π/48 high: half of that is what a cell's own value is off at its sides.
    QVERIFY2(smooth < 0.005 && facets > 0.02, qPrintable(QString("%1 %2").arg(smooth).arg(facets)));

    // A box whose sides carry 1 and 2: at an edge each side keeps its own.
    auto box = std::make_shared<Frame>();
    MeshGeometry sides;
    sides.points = std::make_shared<const std::vector<double>>(
        std::vector<double>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1});
    sides.connectivity = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 3, 2, 1, 1, 2, 5, 4});
    sides.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 4, 8});
    sides.types = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{9, 9});
    box->parts.push_back({"surface", sides, {make_field(info, std::vector<float>{1, 2})}});
    auto corner = scene_of(box);
    corner->look(StandardView::plus_x);
    (void)picture(corner, 300, 300);
    for (int k = 0; k < 300; k += 7)
      if (const auto probe = corner->pick(k, k)) QCOMPARE(probe->value, 2.0);
    corner->look(StandardView::minus_z);
    (void)picture(corner, 300, 300);
    int seen = 0;
    for (int k = 0; k < 300; k += 7)
      if (const auto probe = corner->pick(k, 300 - k)) {
        QCOMPARE(probe->value, 1.0);
        ++seen;
      }
    QVERIFY(seen > 5);
  }

  void a_frame_of_another_complex_phase_keeps_the_range() {
    auto scene = scene_of(sample::sphere(24, 12, true));
    const auto range = scene->range();
    FieldView view;
    view.value.angle = 1.2;
    QVERIFY(scene->set_view(view).ok());
    QCOMPARE(scene->range().second, range.second);
    view.value.part = ComplexPart::phase;
    QVERIFY(scene->set_view(view).ok());
    QVERIFY(std::abs(scene->range().second - 3.14159265) < 1e-6);
  }

  void charts_are_repeatable_and_read_back() {
    ChartSpec spec;
    spec.title = "Energy";
    spec.x_label = "t";
    spec.x_unit = "s";
    spec.y_unit = "J";
    Series series{"total", {}, {}, false, -1};
    for (int i = 0; i < 5000; ++i) {
      series.x.push_back(i * 1e-3);
      series.y.push_back(std::exp(-i * 1e-3));
    }
    spec.series.push_back(series);
    const auto make = [&] {
      auto scene = std::make_shared<ChartScene>();
      scene->set_chart(spec);
      return scene;
    };
    auto scene = make();
    const Image a = picture(scene);
    QVERIFY(a == picture(make()));
    // Where the language has a decimal comma, the numbers beside the axes have it, too.
    const auto in_fractions = [](bool comma) {
      ChartSpec fractions;
      fractions.series.push_back({"half", {0, 0.5}, {0, 0.5}, false, -1});
      auto chart = std::make_shared<ChartScene>();
      Theme theme = light_theme();
      theme.decimal_comma = comma;
      chart->set_theme(theme);
      chart->set_chart(std::move(fractions));
      return chart;
    };
    QVERIFY(picture(in_fractions(false)) == picture(in_fractions(false)));
    QVERIFY(!(picture(in_fractions(true)) == picture(in_fractions(false))));
    spec.series[0].y[2500] = 1.4;  // one point of 5000 is seen
    QVERIFY(structural_similarity(a, picture(make())) < 0.999);
    scene->layout(320, 200, 1);
    const auto reading = scene->read(200, 100);
    QVERIFY(reading.has_value());
    QCOMPARE(reading->values.size(), std::size_t{1});
    QVERIFY(std::abs(reading->values[0].y - std::exp(-reading->x)) < 1e-9);
    QVERIFY(!scene->read(2, 2).has_value());
  }

  void cross_sections_are_seen_in_every_unit_that_is_published() {
    TableInfo info;
    info.id = "cut";
    info.columns = {{"theta", "deg", {}}, {"VV", "dBsm", "VV"}, {"VV exact", "dBsm", "VV, exact"}};
    info.exact = {"VV exact"};
    TableInfo more;
    more.id = "more";
    more.form = ChartForm::none;
    more.columns = {{"theta", "deg", {}}, {"VV a", "dB lambda^2", "VV"}, {"VV b", "m^2", "VV"}};
    const std::vector<std::vector<double>> rows = {{0, 3, 4}, {90, -7, -7}}, others = {{0, 9, 2}, {90, -1, 0.2}};
    const std::vector<ChartTable> all = {{&info, &rows}, {&more, &others}};
    QCOMPARE(units_of(all[0], all), (std::vector<std::string>{"dBsm", "dB lambda^2", "m^2"}));
    const ChartSpec waves = chart_in_unit(all[0], all, "dB lambda^2");
    QCOMPARE(waves.y_unit, std::string("dB lambda^2"));
    QCOMPARE(waves.series[0].y[0], 9.0);
    QCOMPARE(waves.series[1].y[0], 10.0);  // the exact curve is 1 dB above, in this unit too
    const ChartSpec area = chart_in_unit(all[0], all, "m^2");
    QCOMPARE(area.series[0].y[1], 0.2);
    QVERIFY(std::abs(area.series[1].y[0] - 2 * std::pow(10, 0.1)) < 1e-12);
    // Nothing else published: decibels of square metres are areas all the same.
    const std::vector<ChartTable> alone = {{&info, &rows}};
    QCOMPARE(units_of(alone[0], alone), (std::vector<std::string>{"dBsm", "m^2"}));
    QVERIFY(std::abs(chart_in_unit(alone[0], alone, "m^2").series[0].y[0] - std::pow(10, 0.3)) < 1e-12);
    // Columns of several units are seen one unit at a time.
    QCOMPARE(units_of(all[1], all), (std::vector<std::string>{"dB lambda^2", "m^2"}));
  }

  void png_carries_text_and_pixels() {
    const Image image = picture(scene_of(sample::wave(0.2)), 123, 77);
    const auto bytes = encode_png(image, {{"Run", "2026-01-02T03-04-05-deadbeef"}, {"Frame", "7"}});
    QVERIFY(bytes.ok());
    const auto text = png_text(*bytes);
    QVERIFY(text.ok());
    QVERIFY(std::find(text->begin(), text->end(),
                      std::pair<std::string, std::string>{"Run", "2026-01-02T03-04-05-deadbeef"}) != text->end());
    const auto back = decode_png(*bytes);
    QVERIFY(back.ok());
    QVERIFY(*back == image);
    QVERIFY(!png_text("not a picture").ok());
    QVERIFY(!decode_png(std::string_view(*bytes).substr(0, 20)).ok());
  }
};

QTEST_APPLESS_MAIN(TestPictures)
#include "test_pictures.moc"
