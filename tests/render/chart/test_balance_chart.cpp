// SPDX-License-Identifier: BSD-3-Clause
// The balance chart shows bytes that were streamed and memory of devices where there are any and there is room.
// labels: unit
#include <algorithm>

#include <QDir>
#include <QTest>

#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"
#include "render/chart/chart_scene.hpp"

using namespace conoid;

class TestBalanceChart : public QObject {
  Q_OBJECT

  /// Two workers in eight passes; in the last four a worker streams twice as much.
  static std::vector<BalanceRow> rows(double streamed, double held) {
    std::vector<BalanceRow> out;
    for (std::uint64_t pass = 0; pass < 8; ++pass)
      for (int w = 0; w < 2; ++w) {
        BalanceRow row{pass, w, {w * 50, w * 50 + 50}, 1.0 + 0.1 * w, 0.1 - 0.1 * w, 0.2, "march"};
        row.streamed = streamed * (pass < 4 ? 1 : 2) * (w + 1);
        row.held = w == 1 ? held : 0;
        out.push_back(row);
      }
    return out;
  }
  static Image picture(double streamed, double held, int height) {
    auto scene = std::make_shared<ChartScene>();
    scene->set_theme(light_theme());
    scene->set_chart(balance_chart(rows(streamed, held), {"cpu", "device"}));
    auto image = take_picture(scene, {720, height, 1, false});
    if (!image) qFatal("%s", image.error().text.c_str());
    return std::move(image).value();
  }
  /// Pixels in the colour of a worker, in the lowest rows of the chart.
  static int coloured(const Image& image, double from, double to) {
    int count = 0;
    for (int y = static_cast<int>(from * image.height); y < static_cast<int>(to * image.height); ++y)
      for (int x = 80; x < image.width; ++x) {
        const auto* p = image.at(x, y);
        if (std::max({p[0], p[1], p[2]}) - std::min({p[0], p[1], p[2]}) > 60) ++count;
      }
    return count;
  }

 private slots:
  void bytes_that_were_streamed_have_a_strip_of_their_own() {
    const QString kept = QStringLiteral(CONOID_BIN_DIR "/../pictures");
    QDir().mkpath(kept);
    const Image both = picture(64e6, 2e9, 520), streamed = picture(64e6, 0, 520), none = picture(0, 0, 520);
    QVERIFY(write_png((kept + "/balance-streamed.png").toStdString(), both, {}).ok());
    // Without them the intervals, which are coloured all over, reach down there; strips are lines two pixels high.
    const auto lowest = [](const Image& image) { return coloured(image, 0.74, 0.9); };
    QVERIFY2(lowest(none) > 30000, qPrintable(QString::number(lowest(none))));
    QVERIFY2(lowest(streamed) > 500 && lowest(streamed) < 8000, qPrintable(QString::number(lowest(streamed))));
    QVERIFY2(lowest(both) > 500 && lowest(both) < 8000, qPrintable(QString::number(lowest(both))));
    // In a low pane the shares say most, and nothing else is drawn.
    const Image low = picture(64e6, 2e9, 190), plain = picture(0, 0, 190);
    QCOMPARE(low.pixels, plain.pixels);
  }
};

QTEST_MAIN(TestBalanceChart)
#include "test_balance_chart.moc"
