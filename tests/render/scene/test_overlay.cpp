// SPDX-License-Identifier: BSD-3-Clause
// What is written into a picture fits into it, however small it is.
// labels: unit
#include <QTest>

#include <vtkNew.h>

#include "render/scene/overlay.hpp"
#include "render/scene/theme.hpp"
#include "render/scene/vtk_helpers.hpp"

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
