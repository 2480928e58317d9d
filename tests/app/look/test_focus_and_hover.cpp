// SPDX-License-Identifier: BSD-3-Clause
// Where the keyboard is can be seen on every kind of widget in both themes, also where it is checked, and looks unlike the mouse's place.
// labels: gui
#include <functional>
#include <memory>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QEnterEvent>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/look/theme.hpp"

using namespace conoid::app;

namespace {

struct Kind {
  const char* name;
  std::function<QWidget*()> make;
};

template <class Button>
QWidget* button(const char* role, bool checked) {
  auto* out = new Button;
  out->setText("Words");
  out->setFocusPolicy(Qt::StrongFocus);
  if (*role) out->setProperty("role", role);
  out->setCheckable(checked || std::is_same_v<Button, QCheckBox> || std::is_same_v<Button, QRadioButton>);
  out->setChecked(checked);
  return out;
}

const Kind kinds[] = {
    {"button", [] { return button<QPushButton>("", false); }},
    {"pressed button", [] { return button<QPushButton>("", true); }},
    {"primary button", [] { return button<QPushButton>("primary", false); }},
    {"link", [] { return button<QPushButton>("link", false); }},
    {"tool button", [] { return button<QToolButton>("", false); }},
    {"pressed tool button", [] { return button<QToolButton>("", true); }},
    {"check box", [] { return button<QCheckBox>("", false); }},
    {"checked box", [] { return button<QCheckBox>("", true); }},
    {"radio button", [] { return button<QRadioButton>("", false); }},
    {"chosen radio button", [] { return button<QRadioButton>("", true); }},
    {"line", [] { return new QLineEdit("12 m"); }},
    {"wrong line",
     [] {
       auto* out = new QLineEdit("12 kg");
       out->setProperty("wrong", true);
       return out;
     }},
    {"choice",
     [] {
       auto* out = new QComboBox;
       out->addItems({"one", "two"});
       return out;
     }},
    {"number", [] { return new QSpinBox; }},
    {"slider", [] { return new QSlider(Qt::Horizontal); }},
};

/// Pixels in which two pictures differ so that one sees it.
int difference(const QImage& a, const QImage& b) {
  int out = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      if (std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) + std::abs(qBlue(p) - qBlue(q)) > 60) ++out;
    }
  return out;
}

}  // namespace

class TestFocusAndHover : public QObject {
  Q_OBJECT
 private slots:
  void they_are_seen_and_differ_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("dark");
    for (int i = 0; i < static_cast<int>(std::size(kinds)); ++i)
      for (const bool dark : {false, true})
        QTest::addRow("%s, %s", kinds[i].name, dark ? "dark" : "light") << i << dark;
  }
  void they_are_seen_and_differ() {
    QFETCH(const int, kind);
    QFETCH(const bool, dark);
    Look look(*qApp, dark ? ThemeChoice::dark : ThemeChoice::light);
    QWidget window;
    QVBoxLayout layout(&window);
    QLineEdit other;
    QWidget* widget = kinds[kind].make();
    layout.addWidget(&other);
    layout.addWidget(widget);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window, 60000));
    window.activateWindow();
    // Lines blink and mark their text, which is not the frame: only the frame is compared.
    const bool edits = qobject_cast<QLineEdit*>(widget) || qobject_cast<QSpinBox*>(widget);
    const auto picture = [&] {
      QApplication::processEvents();
      QImage out = widget->grab().toImage().convertToFormat(QImage::Format_RGB32);
      for (int y = 4; edits && y < out.height() - 4; ++y)
        for (int x = 4; x < out.width() - 4; ++x) out.setPixel(x, y, 0);
      return out;
    };
    const auto hover = [&](bool on) {
      const QPointF at(3, 3);
      if (on) {
        QEnterEvent in(at, at, at);
        QApplication::sendEvent(widget, &in);
        QHoverEvent over(QEvent::HoverEnter, at, at, QPointF(-1, -1));
        QApplication::sendEvent(widget, &over);
      } else {
        QEvent out(QEvent::Leave);
        QApplication::sendEvent(widget, &out);
      }
      widget->setAttribute(Qt::WA_UnderMouse, on);
    };
    other.setFocus(Qt::TabFocusReason);
    QTRY_VERIFY(other.hasFocus());
    const QImage plain = picture();
    hover(true);
    const QImage hovered = picture();
    hover(false);
    widget->setFocus(Qt::TabFocusReason);
    QTRY_VERIFY(widget->hasFocus());
    const QImage focused = picture();
    const QString said = QString("focus %1, focus and mouse %2 pixels")
                             .arg(difference(plain, focused))
                             .arg(difference(hovered, focused));
    QVERIFY2(difference(plain, focused) >= 16 && difference(hovered, focused) >= 16, qPrintable(said));
  }
};

QTEST_MAIN(TestFocusAndHover)
#include "test_focus_and_hover.moc"
