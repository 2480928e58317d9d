// SPDX-License-Identifier: BSD-3-Clause
// Small widgets used all over.
#include "app/look/small_widgets.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/look/translator.hpp"

namespace conoid::app {

QLabel* make_label(const QString& text, const char* role, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  set_role(label, role);
  return label;
}

QWidget* make_rule(QWidget* parent, bool vertical) {
  auto* rule = new QFrame(parent);
  rule->setObjectName("rule");
  vertical ? rule->setFixedWidth(1) : rule->setFixedHeight(1);
  return rule;
}

QToolButton* make_icon_button(const Look& look, const QString& icon, const QString& tip, QWidget* parent,
                              const QString& colour) {
  auto* button = new QToolButton(parent);
  button->setIcon(look.icon(icon, colour));
  button->setIconSize({18, 18});
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  return button;
}

QScrollArea* make_scroll_page(QWidget* parent, QVBoxLayout** column) {
  auto* scroll = new QScrollArea(parent);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget;
  page->setObjectName("scrolled");
  *column = new QVBoxLayout(page);
  scroll->setWidget(page);
  return scroll;
}

namespace {

void stops_below(QWidget* widget, QWidgetList& out);

void stops_in(const QLayout& layout, QWidgetList& out) {
  // A grid is gone through row by row, whatever the order in which it was filled.
  std::vector<std::tuple<int, int, int>> order;
  const auto* grid = qobject_cast<const QGridLayout*>(&layout);
  for (int i = 0; i < layout.count(); ++i) {
    int row = 0, column = 0, rows = 0, columns = 0;
    if (grid) grid->getItemPosition(i, &row, &column, &rows, &columns);
    order.emplace_back(row, column, i);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [row, column, i] : order) {
    QLayoutItem* item = layout.itemAt(i);
    if (QWidget* widget = item->widget())
      stops_below(widget, out);
    else if (const QLayout* inner = item->layout())
      stops_in(*inner, out);
  }
}

void stops_below(QWidget* widget, QWidgetList& out) {
  if ((widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy()) out << widget;
  if (auto* scroll = qobject_cast<QScrollArea*>(widget)) {
    if (scroll->widget()) stops_below(scroll->widget(), out);
  } else if (const QLayout* layout = widget->layout()) {
    stops_in(*layout, out);
  }
}

}  // namespace

void tab_as_laid_out(QWidget* root) {
  QWidgetList stops;
  stops_below(root, stops);
  for (qsizetype i = 1; i < stops.size(); ++i) QWidget::setTabOrder(stops[i - 1], stops[i]);
}

FigureLabel::FigureLabel(const QString& text, Qt::Alignment alignment, QWidget* parent)
    : QWidget(parent), text_(in_figures(text)), alignment_(alignment) {
  setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  setAccessibleName(text_);
}

void FigureLabel::set_text(const QString& text) {
  const QString shown = in_figures(text);
  if (shown == text_) return;
  const int before = sizeHint().width();
  text_ = shown;
  setAccessibleName(text_);
  if (sizeHint().width() != before) updateGeometry();
  update();
}

void FigureLabel::set_colour(const QString& id, const Look& look) {
  colour_ = id;
  look_ = &look;
  update();
}

int FigureLabel::advance(QChar c, const QFontMetrics& metrics) const {
  if (!c.isDigit()) return metrics.horizontalAdvance(c);
  int widest = 0;
  for (char d = '0'; d <= '9'; ++d) widest = std::max(widest, metrics.horizontalAdvance(QLatin1Char(d)));
  return widest;
}

QSize FigureLabel::sizeHint() const {
  const QFontMetrics metrics(font());
  int width = 0;
  for (QChar c : text_) width += advance(c, metrics);
  return {width + 2, metrics.height() + 2};
}

void FigureLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(font());
  QColor colour = look_ ? look_->colour(colour_) : palette().color(QPalette::WindowText);
  if (!isEnabled()) colour = palette().color(QPalette::Disabled, QPalette::WindowText);
  painter.setPen(colour);
  const QFontMetrics metrics(font());
  int x = alignment_ & Qt::AlignRight ? width() - sizeHint().width() + 1 : 1;
  const int y = (height() - metrics.height()) / 2 + metrics.ascent();
  for (QChar c : text_) {
    const int room = advance(c, metrics);
    painter.drawText(x + (room - metrics.horizontalAdvance(c)) / 2, y, QString(c));
    x += room;
  }
}

ElidedLabel::ElidedLabel(const QString& text, const char* role, Qt::TextElideMode mode, QWidget* parent)
    : QLabel(parent), full_(text), mode_(mode) {
  setTextFormat(Qt::PlainText);
  set_role(this, role);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  elide();
}

void ElidedLabel::set_text(const QString& text, const QString& spoken) {
  full_ = text;
  spoken_ = spoken;
  updateGeometry();
  elide();
}

QSize ElidedLabel::minimumSizeHint() const {
  return {24, QLabel::minimumSizeHint().height()};
}
QSize ElidedLabel::sizeHint() const {
  return {fontMetrics().horizontalAdvance(full_) + 4, QLabel::sizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  elide();
}

void ElidedLabel::elide() {
  const QString shown = fontMetrics().elidedText(full_, mode_, std::max(24, width() - 2 * padding_));
  if (shown != text()) setText(shown);
  setToolTip(!spoken_.isEmpty() ? spoken_ : shown == full_ ? QString() : full_);
  setAccessibleName(spoken_.isEmpty() ? full_ : spoken_);
}

StateDot::StateDot(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
  setFixedSize(10, 10);
}

void StateDot::set_colour(const QString& id) {
  colour_ = id;
  fill_ = QColor();
  setAccessibleName(id == "good"      ? tr("All is well")
                    : id == "caution" ? tr("Look at this")
                    : id == "bad"     ? tr("To be corrected")
                    : id == "accent"  ? tr("Going on")
                                      : tr("Not known"));
  update();
}

void StateDot::set_fill(const QColor& colour) {
  fill_ = colour;
  update();
}

void StateDot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill_.isValid() ? fill_ : look_.colour(colour_));
  // The shape says the same as the colour, for those who cannot tell the colours apart.
  if (fill_.isValid())
    painter.drawRect(QRectF(1, 1, 8, 8));
  else if (colour_ == "caution")
    painter.drawPolygon(QPolygonF({{5, 0.5}, {9.8, 9.2}, {0.2, 9.2}}));
  else if (colour_ == "bad")
    painter.drawPolygon(QPolygonF({{5, 0}, {10, 5}, {5, 10}, {0, 5}}));
  else
    painter.drawEllipse(QRectF(1, 1, 8, 8));
}

IconLabel::IconLabel(const Look& look, const QString& id, const QString& colour, int size, QWidget* parent)
    : QWidget(parent), look_(look), id_(id), colour_(colour) {
  setFixedSize(size, size);
}

void IconLabel::set_icon(const QString& id, const QString& colour) {
  id_ = id;
  colour_ = colour;
  update();
}

void IconLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  look_.icon(id_, colour_).paint(&painter, rect());
}

}  // namespace conoid::app
