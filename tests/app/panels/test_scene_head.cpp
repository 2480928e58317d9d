// SPDX-License-Identifier: BSD-3-Clause
// Above a picture of any width everything can be reached and nothing is cut or covered.
// labels: gui
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "app/look/small_widgets.hpp"
#include "app/panels/scene_head.hpp"
#include "tests/app/room_to_read.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

FieldInfo info(const char* name, int components = 1, bool is_complex = false) {
  FieldInfo out;
  out.name = name;
  out.unit = "A/m";
  out.components = components;
  out.is_complex = is_complex;
  return out;
}

}  // namespace

class TestSceneHead : public QObject {
  Q_OBJECT

  Look look_{*qApp, ThemeChoice::light};

 private slots:
  void everything_is_reached_at_every_width() {
    const std::vector<std::pair<std::string, FieldInfo>> scalar{{"volume", info("pressure")}},
        complex{{"surface", info("surface_current", 3, true)}, {"volume", info("electric_field", 3, true)}};
    for (const auto& fields : {scalar, complex}) {
      QWidget pane;
      SceneHead head(look_, &pane);
      head.set_fields(fields);
      head.range().show_range(-1.5e-3, 1.25e-3, "A/m");
      auto* host = make_icon_button(look_, "split", "Two views with linked cameras", &head);
      head.add_tool(host);
      head.set_picture(true, true);
      QSignalSpy tools(&head, &SceneHead::tool_chosen), fits(&head, &SceneHead::fit_wanted);
      QSignalSpy host_clicks(host, &QToolButton::clicked);
      bool menu_seen = false, all_seen = false;
      const int least = head.minimumSizeHint().width();
      QVERIFY2(least < 220, qPrintable(QString::number(least)));
      // From wide to narrow and back: what was laid out before must not matter.
      std::vector<int> widths;
      for (int width = 1100; width >= least; width -= 37) widths.push_back(width);
      for (int width = least; width < 1100; width += 41) widths.push_back(width);
      for (const int width : widths) {
        pane.resize(width, 400);
        head.setGeometry(0, 0, width, head.height());
        pane.show();
        QApplication::processEvents();
        // What is shown and hidden follows by events; on a busy machine they may come late.
        QStringList cut;
        const bool whole = QTest::qWaitFor(
            [&] {
              cut = test::cut_or_covered(head);
              return cut.isEmpty();
            },
            2000);
        QVERIFY2(whole, qPrintable(QString::number(width) + ": " + cut.join("; ")));
        int choices = 0, buttons = 0;
        for (const QComboBox* combo : head.findChildren<QComboBox*>())
          if (combo->isVisible()) {
            ++choices;
            QVERIFY(head.rect().contains(QRect(combo->mapTo(&head, QPoint()), combo->size())));
          }
        QCOMPARE(choices, fields.size() == 1 ? 1 : 3);
        QVERIFY(head.range().isVisible());
        QToolButton* more = nullptr;
        for (QToolButton* button : head.findChildren<QToolButton*>()) {
          if (!button->isVisible()) continue;
          QVERIFY2(head.rect().contains(QRect(button->mapTo(&head, QPoint()), button->size())),
                   qPrintable(QString("%1: %2").arg(width).arg(button->toolTip())));
          if (button->accessibleName() == "More tools")
            more = button;
          else
            ++buttons;
        }
        constexpr int tools_and_range = 9;
        if (more) {
          menu_seen = true;
          emit more->menu()->aboutToShow();
          buttons += static_cast<int>(more->menu()->actions().size());
          // Each entry does what its button does.
          const auto fitted = fits.size(), clicked = host_clicks.size();
          const bool fit_there = !host->isVisible();
          for (QAction* action : more->menu()->actions())
            if (!action->menu() && !action->isCheckable()) action->trigger();
          QVERIFY(fits.size() + host_clicks.size() > fitted + clicked || !fit_there);
        } else {
          all_seen = true;
        }
        QCOMPARE(buttons, tools_and_range);
      }
      QVERIFY(menu_seen && all_seen);
      QVERIFY(host_clicks.size() > 0 && fits.size() > 0);
    }
  }

  void fields_stay_chosen_while_they_are_offered() {
    SceneHead head(look_);
    head.set_picture(true, true);
    QVERIFY(head.set_fields({{"volume", info("pressure")}, {"volume", info("velocity", 3)}}));
    QVERIFY(!head.set_fields({{"volume", info("pressure")}, {"volume", info("velocity", 3)}}));
    QVERIFY(head.choose("velocity"));
    QVERIFY(!head.choose("temperature"));
    QVERIFY(head.set_fields({{"volume", info("density")}, {"volume", info("velocity", 3)}}));
    QCOMPARE(head.chosen().second, std::string("velocity"));
    QCOMPARE(head.value().component, -1);
    QVERIFY(head.set_fields({{"volume", info("density")}}));
    QCOMPARE(head.chosen().second, std::string("density"));
    head.clear_fields();
    QVERIFY(head.chosen().second.empty());
  }

  void a_range_is_typed_and_given_back() {
    ColourRangeButton range(look_);
    range.show_range(-2, 2, "Pa");
    QCOMPARE(range.text(), QString::fromUtf8("±2 Pa"));
    range.show_range(-1e-3, 2e-3, "Pa");
    QCOMPARE(range.text(), QString::fromUtf8("−1 … 2 mPa"));
    QVERIFY(!range.fixed());
    QSignalSpy edited(&range, &ColourRangeButton::edited);
    auto* follows = range.menu()->findChild<QCheckBox*>();
    const auto edits = range.menu()->findChildren<QLineEdit*>();
    QCOMPARE(edits.size(), 2);
    follows->click();
    QVERIFY(range.fixed());
    edits[0]->setText("0.5");
    edits[1]->setText("0.25");
    emit edits[1]->editingFinished();
    // Ends that are no range: what is shown stays.
    QVERIFY(range.low() == -1e-3 && range.high() == 2e-3);
    edits[1]->setText("0.25");
    emit edits[1]->editingFinished();
    QVERIFY(range.low() == -1e-3 && range.high() == 0.25);
    range.follow_field();
    QVERIFY(!range.fixed() && edited.size() >= 4);
  }
};

QTEST_MAIN(TestSceneHead)
#include "test_scene_head.moc"
