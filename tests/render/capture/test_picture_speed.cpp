// SPDX-License-Identifier: BSD-3-Clause
// What `conoid bench pictures` prints is measured: every kind of scene has its rows, more cells take more, and a driver is named.
// labels: unit gl
#include <map>
#include <string>

#include <QTest>

#include "render/capture/picture_speed.hpp"

using namespace conoid;

namespace {

std::map<std::string, PictureSpeed> rows_of(Index cells) {
  PictureSpeedOptions options;
  options.cells = cells;
  options.width = 160;
  options.height = 120;
  options.seconds = 0.04;
  std::map<std::string, PictureSpeed> out;
  measure_pictures(options, [&](const PictureSpeed& row) { out[row.name] = row; }).or_throw();
  return out;
}

}  // namespace

class TestPictureSpeed : public QObject {
  Q_OBJECT
 private slots:
  void every_scene_has_its_rows() {
    const auto few = rows_of(1000);
    QCOMPARE(few.size(), std::size_t{10});
    for (const char* scene : {"surface", "solid", "cuts", "iso-surfaces", "volume"})
      for (const char* change : {", turned", ", frame after frame"}) {
        const auto row = few.find(std::string(scene) + change);
        QVERIFY2(row != few.end(), scene);
        QVERIFY(row->second.per_second > 0 && 1 / row->second.per_second <= row->second.slowest * 1.000001);
        QVERIFY(!row->second.renderer.empty());
      }
    // A hundred times as many values to be coloured take more of the processors, however busy they are.
    const auto many = rows_of(100000);
    QVERIFY(many.at("surface, frame after frame").processor > few.at("surface, frame after frame").processor);
  }
};

QTEST_APPLESS_MAIN(TestPictureSpeed)
#include "test_picture_speed.moc"
