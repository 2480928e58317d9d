// SPDX-License-Identifier: BSD-3-Clause
// Pictures without a display: repeatable to the byte, of the right size, and different when the scene is.
// labels: unit
#include <QTest>

#include <cmath>

#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"
#include "render/capture/similarity.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/raster_viewport.hpp"
#include "tests/render/sample_frames.hpp"

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
          half.pixels[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(one.width) + static_cast<std::size_t>(x)) +
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
    QVERIFY(left[2] > left[0] + 60);   // blue below zero
    QVERIFY(right[0] > right[2] + 60); // red above
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
    spec.series[0].y[2500] = 1.4;  // one point of 5000 is seen
    QVERIFY(structural_similarity(a, picture(make())) < 0.999);
    scene->layout(320, 200, 1);
    const auto reading = scene->read(200, 100);
    QVERIFY(reading.has_value());
    QCOMPARE(reading->values.size(), std::size_t{1});
    QVERIFY(std::abs(reading->values[0].y - std::exp(-reading->x)) < 1e-9);
    QVERIFY(!scene->read(2, 2).has_value());
  }

  void png_carries_text_and_pixels() {
    const Image image = picture(scene_of(sample::wave(0.2)), 123, 77);
    const auto bytes = encode_png(image, {{"Run", "2026-01-02T03-04-05-deadbeef"}, {"Frame", "7"}});
    QVERIFY(bytes.ok());
    const auto text = png_text(*bytes);
    QVERIFY(text.ok());
    QVERIFY(std::find(text->begin(), text->end(), std::pair<std::string, std::string>{"Run", "2026-01-02T03-04-05-deadbeef"}) !=
            text->end());
    const auto back = decode_png(*bytes);
    QVERIFY(back.ok());
    QVERIFY(*back == image);
    QVERIFY(!png_text("not a picture").ok());
    QVERIFY(!decode_png(std::string_view(*bytes).substr(0, 20)).ok());
  }
};

QTEST_APPLESS_MAIN(TestPictures)
#include "test_pictures.moc"
