// SPDX-License-Identifier: BSD-3-Clause
// What is written into a picture fits into it, however small it is.
// labels: unit gl
#include <algorithm>
#include <cmath>

#include <QTest>

#include <vtkNew.h>

#include "render/capture/picture.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/overlay.hpp"
#include "render/scene/theme.hpp"
#include "render/scene/vtk_helpers.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

class TestOverlay : public QObject {
  Q_OBJECT
 private slots:
  void bar_and_titles_stay_apart_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<double>("ratio");
    for (const double ratio : {1.0, 2.0})
      for (const auto& [w, h] : {std::pair{200, 150}, {320, 240}, {640, 480}, {1280, 800}})
        QTest::addRow("%d x %d at %g", w, h, ratio)
            << static_cast<int>(w * ratio) << static_cast<int>(h * ratio) << ratio;
  }
  /// Above the bar stands its title (12 pixels, 14 above the bar), at the top of the picture 16 pixels of margin and the picture's
  /// title of 15.
  void bar_and_titles_stay_apart() {
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(double, ratio);
    vtkNew<OverlayItem> item;
    item->content = of(width, height, ratio);
    const auto [left, bottom, columns, rows] = item->stripe();
    QVERIFY(bottom >= 16 * ratio - 1);
    QVERIFY(rows >= 20 * ratio);
    QVERIFY(bottom + rows + (14 + 12) * ratio <= height - (16 + 15) * ratio);
    QVERIFY(left + columns < width);
    const std::string title = item->fitted_title();
    QVERIFY(text_size(item->content.theme, title, 15 * ratio, true)[0] <= width - 32 * ratio);
    QCOMPARE(title == item->content.title, width >= 640 * ratio);
    QVERIFY(QString::fromUtf8(title.c_str()).toUtf8() == QByteArray(title.c_str()));  // no letter is cut in two
    QVERIFY(!title.empty());
  }

  void names_of_arrows_give_way_to_marks() {
    vtkNew<OverlayItem> item;
    item->content = of(400, 300, 1);
    OverlayArrow arrow;
    arrow.from = {200, 100};
    arrow.to = {200, 140};
    arrow.label = "P wave";
    item->content.arrows = {arrow};
    item->set_marks({});
    const OverlayBox alone = *item->content.arrows[0].name;
    const double x = (alone.left + alone.right) / 2, y = (alone.bottom + alone.top) / 2;
    item->set_marks({{x, y, MarkerKind::receiver, "before"}});
    const OverlayBox beside = *item->content.arrows[0].name;
    QVERIFY(alone.meets({x - 6, y - 6, x + 6, y + 6}));
    QVERIFY(!beside.meets({x - 6, y - 6, x + 6, y + 6}));
    QVERIFY(beside.left >= 0 && beside.right <= 400 && beside.bottom >= 0 && beside.top <= 300);
    QVERIFY(std::hypot(beside.left - alone.left, beside.bottom - alone.bottom) < 100);
  }

  /// A flat field that is wider than the picture is high would lie below the directions of the axes.
  void the_field_leaves_room_for_the_axes_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::newRow("small") << 290 << 190;
    QTest::newRow("wide") << 900 << 300;
    QTest::newRow("square") << 400 << 400;
  }
  void the_field_leaves_room_for_the_axes() {
    QFETCH(int, width);
    QFETCH(int, height);
    auto frame = std::make_shared<Frame>();
    ImageGeometry grid;
    grid.points = {61, 27, 1};
    frame->parts.push_back({"plane", grid, {make_field(sample::pressure(), std::vector<float>(61 * 27, 0.5F))}});
    auto scene = std::make_shared<FieldScene>();
    QVERIFY(scene->set_frame(frame).ok());
    const auto image = take_picture(scene, {width, height, 1, false});
    QVERIFY(image.ok());
    const auto same = [&](int x, int y, const std::uint8_t* colour) {
      return std::equal(colour, colour + 3, image->at(x, y));
    };
    const std::uint8_t* ground = image->at(2, height - 2);
    const std::uint8_t* field = image->at(width / 2, height / 2);
    QVERIFY(!std::equal(ground, ground + 3, field));
    int seen = 0, below = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        if (!same(x, y, field)) continue;
        ++seen;
        if (x < 80 && y >= height - 80) ++below;
      }
    QCOMPARE(below, 0);
    QVERIFY(seen > width * height / 10);
  }

 private:
  static OverlayContent of(int width, int height, double ratio) {
    OverlayContent c;
    c.theme = light_theme();
    c.title = "\u00c9cho d'une source situ\u00e9e sous une surface libre";
    c.bar = true;
    c.bar_title = "Pressure [mPa]";
    c.width = width;
    c.height = height;
    c.ratio = ratio;
    return c;
  }
};

QTEST_APPLESS_MAIN(TestOverlay)
#include "test_overlay.moc"
