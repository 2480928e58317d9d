// SPDX-License-Identifier: BSD-3-Clause
// The tour.
#include "app/start/tour.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/start/guide.hpp"

namespace conoid::app {
namespace {

constexpr int card_width = 344;
constexpr int tour_radius = 8;

}  // namespace

Tour::Tour(std::vector<TourStep> steps, const Look& look, QWidget* window)
    : QWidget(window), steps_(std::move(steps)), look_(look) {
  setObjectName("tour");
  setAccessibleName(tr("Tour"));
  setAccessibleDescription(tr("Five steps: Enter goes on, Escape ends it"));
  setFocusPolicy(Qt::StrongFocus);
  card_ = new QFrame(this);
  card_->setObjectName("tourCard");
  card_->setFixedWidth(card_width);
  auto* column = new QVBoxLayout(card_);
  column->setContentsMargins(20, 16, 16, 14);
  column->setSpacing(8);
  number_ = make_label({}, "small", card_);
  title_ = make_label({}, "title", card_);
  title_->setWordWrap(true);
  text_ = make_label({}, "", card_);
  text_->setWordWrap(true);
  column->addWidget(number_);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  skip_ = new QPushButton(tr("Skip the tour"), card_);
  set_role(skip_, "link");
  back_ = new QPushButton(tr("Back"), card_);
  next_ = new QPushButton(card_);
  set_role(next_, "primary");
  row->addWidget(skip_);
  row->addStretch(1);
  row->addWidget(back_);
  row->addWidget(next_);
  column->addLayout(row);
  connect(skip_, &QPushButton::clicked, this, &Tour::end);
  connect(back_, &QPushButton::clicked, this, [this] { go(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { go(step_ + 1); });
  window->installEventFilter(this);
  hide();
}

void Tour::begin() {
  setGeometry(parentWidget()->rect());
  show();
  raise();
  go(0);
}

void Tour::go(int step) {
  if (step < 0) return;
  if (step >= count()) return end();
  step_ = step;
  const TourStep& now = steps_[static_cast<std::size_t>(step)];
  target_ = now.target ? now.target() : nullptr;
  number_->setText(tr("Step %1 of %2").arg(step + 1).arg(count()));
  title_->setText(now.title);
  text_->setText(now.text);
  card_->setAccessibleName(now.title);
  card_->setAccessibleDescription(now.text);
  back_->setVisible(step > 0);
  skip_->setVisible(step + 1 < count());
  next_->setText(step + 1 == count() ? tr("Done") : tr("Next"));
  raise();
  place();
  next_->setFocus();
  // What has just been brought on the screen is laid out by now or a moment later.
  QTimer::singleShot(60, this, &Tour::place);
}

void Tour::end() {
  parentWidget()->removeEventFilter(this);
  hide();
  emit ended();
  deleteLater();
}

QRect Tour::spot() const {
  if (!target_ || !target_->isVisible()) return {};
  const QRect whole(target_->mapTo(parentWidget(), QPoint(0, 0)), target_->size());
  return whole.adjusted(-4, -4, 4, 4).intersected(rect().adjusted(3, 3, -3, -3));
}

void Tour::place() {
  card_->adjustSize();
  // The text wraps at the width of the card: its height follows.
  card_->resize(card_width, card_->layout()->heightForWidth(card_width));
  const QRect at = spot();
  card_->move(place_beside(at, card_->size(), size()));
  update();
}

void Tour::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath shade;
  shade.setFillRule(Qt::OddEvenFill);
  shade.addRect(rect());
  const QRect at = spot();
  if (!at.isEmpty()) shade.addRoundedRect(at, tour_radius, tour_radius);
  painter.fillPath(shade, QColor(8, 12, 16, look_.theme().dark ? 170 : 120));
  if (at.isEmpty()) return;
  painter.setPen(QPen(look_.colour("accent"), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(at, tour_radius, tour_radius);
}

void Tour::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape: return end();
    case Qt::Key_Right:
    case Qt::Key_Return:
    case Qt::Key_Enter: return go(step_ + 1);
    case Qt::Key_Left: return go(step_ - 1);
    default: event->accept();  // nothing below is to be pressed by accident
  }
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) {
    setGeometry(parentWidget()->rect());
    // The window's own layout follows its resize.
    QTimer::singleShot(0, this, &Tour::place);
  }
  return QWidget::eventFilter(watched, event);
}

bool Tour::focusNextPrevChild(bool next) {
  const QList<QPushButton*> all = {skip_, back_, next_};
  QList<QPushButton*> usable;
  for (QPushButton* button : all)
    if (button->isVisible()) usable << button;
  if (usable.isEmpty()) return QWidget::focusNextPrevChild(next);  // the tour is going away
  const auto count = usable.size();
  const auto now = usable.indexOf(static_cast<QPushButton*>(focusWidget()));
  usable[(now + (next ? 1 : count - 1) + count) % count]->setFocus(Qt::TabFocusReason);
  return true;
}

void Tour::mousePressEvent(QMouseEvent* event) {
  event->accept();
}

}  // namespace conoid::app
