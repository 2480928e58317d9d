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
      const OverlayBox name = name_box(m, 40, 1);
      for (const OverlayBox& other : names) QVERIFY(!name.meets(other));
      for (const OverlayMark& other : marks) QVERIFY(!name.meets({other.x - 6, other.y - 6, other.x + 6, other.y + 6}));
      names.push_back(name);
    }
    QVERIFY(names.size() >= 8);  // above and below, where the row leaves no room beside
  }
  // A mark within another's name, and two at one place.
  void names_of_near_marks_make_room() {
    const auto marks = arranged({mark(300, 200), mark(330, 204), mark(300, 200)});
    QCOMPARE(marks.size(), std::size_t{3});
    QVERIFY(marks[0].side == MarkSide::left);  // at its right is the second mark
    QVERIFY(marks[1].side == MarkSide::right);
    QVERIFY(marks[2].side == MarkSide::above);
  }
  void what_is_written_elsewhere_stays_seen() {
    std::vector<OverlayMark> marks{mark(300, 200)};
    arrange_marks(marks, {40}, {0, 0, 600, 400}, {}, 1, {{310, 195, 330, 205}, {290, 195, 296, 205}});
    QCOMPARE(marks.size(), std::size_t{1});  // the mark itself may lie there
    QVERIFY(marks[0].side == MarkSide::above);
  }
  // As many as a case may have: they are looked for by squares, which must miss none.
  void many_marks_leave_each_other_free() {
    std::vector<OverlayMark> many;
    for (int i = 0; i < 2000; ++i) many.push_back(mark(20 + (i % 10) * 55 + i % 7, 20 + (i / 10) * 1.8));
    const auto marks = arranged(many);
    QCOMPARE(marks.size(), many.size());
    std::vector<OverlayBox> names;
    for (const OverlayMark& m : marks)
      if (m.side != MarkSide::none) names.push_back(name_box(m, 40, 1));
    QVERIFY(!names.empty());
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) QVERIFY(!names[i].meets(names[k]));
      for (const OverlayMark& m : marks) QVERIFY(!names[i].meets({m.x - 6, m.y - 6, m.x + 6, m.y + 6}));
    }
  }
  void what_lies_outside_is_left_out() { QVERIFY(arranged({mark(-20, 200), mark(300, 420), mark(300, -7)}).empty()); }
};

QTEST_APPLESS_MAIN(TestMarks)
#include "test_marks.moc"
