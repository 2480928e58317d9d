// SPDX-License-Identifier: BSD-3-Clause
// Names of sources and receivers are whole, cover neither the colour bar nor each other, and stand beside their marks.
// labels: unit
#include <QTest>

#include "render/scene/overlay.hpp"

using namespace conoid;

class TestMarks : public QObject {
  Q_OBJECT

  static OverlayMark mark(double x, double y, const char* name = "name") { return {x, y, MarkerKind::receiver, name}; }
  static std::vector<OverlayMark> arranged(std::vector<OverlayMark> marks, const std::vector<OverlayBox>& taken = {}) {
    std::vector<double> widths;
    for (const OverlayMark& m : marks) widths.push_back(m.label.empty() ? 0 : 40);
    arrange_marks(marks, widths, {0, 0, 600, 400}, taken, 1);
    return marks;
  }

 private slots:
  void names_stand_at_the_right_where_there_is_room() {
    const auto marks = arranged({mark(100, 200), mark(590, 200), mark(300, 100, "")});
    QCOMPARE(marks.size(), std::size_t{3});
    QVERIFY(marks[0].side == MarkSide::right);
    QVERIFY(marks[1].side == MarkSide::left);  // the picture ends there
    QVERIFY(marks[2].side == MarkSide::none);
  }
  void the_colour_bar_stays_free() {
    const OverlayBox bar{520, 100, 600, 300};
    const auto marks = arranged({mark(500, 200), mark(540, 200), mark(540, 350), mark(490, 95)}, {bar});
    QCOMPARE(marks.size(), std::size_t{3});  // the second lies on the bar
    QVERIFY(marks[0].side == MarkSide::left);
    QVERIFY(marks[1].y == 350 && marks[1].side == MarkSide::right);
    QVERIFY(marks[2].side == MarkSide::left);  // 8 pixels high: it would touch the bar's lower end
  }
  void names_do_not_cover_each_other() {
    std::vector<OverlayMark> line;
    for (int i = 0; i < 24; ++i) line.push_back(mark(100 + 10 * i, 200));
    const auto marks = arranged(line);
    QCOMPARE(marks.size(), line.size());  // the marks themselves all stay
    std::vector<OverlayBox> names;
    for (const OverlayMark& m : marks) {
      if (m.side == MarkSide::none) continue;
      const double left = m.side == MarkSide::right ? m.x + 8 : m.x - 8 - 44;
      const OverlayBox name{left, m.y - 8, left + 44, m.y + 8};
      for (const OverlayBox& other : names) QVERIFY(!name.meets(other));
      names.push_back(name);
    }
    QVERIFY(names.size() >= 4);
  }
  void what_lies_outside_is_left_out() { QVERIFY(arranged({mark(-20, 200), mark(300, 420), mark(300, -7)}).empty()); }
};

QTEST_APPLESS_MAIN(TestMarks)
#include "test_marks.moc"
