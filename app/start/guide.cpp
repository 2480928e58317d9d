// SPDX-License-Identifier: BSD-3-Clause
// A card, a ring, and a look at the window a few times a second.
#include "app/start/guide.hpp"

#include <algorithm>
#include <utility>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"

namespace conoid::app {
namespace {

constexpr int guide_width = 320, guide_gap = 16, ring_width = 3;
constexpr int look_every_ms = 150;

/// Drawn around what the step is about; clicks go through.
class Ring final : public QWidget {
 public:
  Ring(const Look& look, QWidget* window) : QWidget(window), look_(look) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look_.colour("accent"), ring_width));
    const double half = 0.5 * ring_width;
    painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), 7, 7);
  }

 private:
  const Look& look_;
};

}  // namespace

QPoint place_beside(const QRect& spot, const QSize& card, const QSize& window) {
  const int gap = guide_gap;
  if (spot.isEmpty()) return {(window.width() - card.width()) / 2, (window.height() - card.height()) / 2};
  const int x =
      std::clamp(spot.center().x() - card.width() / 2, gap, std::max(gap, window.width() - card.width() - gap));
  const int y =
      std::clamp(spot.center().y() - card.height() / 2, gap, std::max(gap, window.height() - card.height() - gap));
  if (spot.right() + gap + card.width() + gap <= window.width()) return {spot.right() + gap, y};
  if (spot.left() - gap - card.width() >= gap) return {spot.left() - gap - card.width(), y};
  if (spot.bottom() + gap + card.height() + gap <= window.height()) return {x, spot.bottom() + gap};
  if (spot.top() - gap - card.height() >= gap) return {x, spot.top() - gap - card.height()};
  return {(window.width() - card.width()) / 2, (window.height() - card.height()) / 2};
}

Guide::Guide(Tutorial tutorial, GuideHost host, const Look& look, QWidget* window)
    : QFrame(window), tutorial_(std::move(tutorial)), host_(std::move(host)), look_(look),
      ring_(new Ring(look, window)) {
  setObjectName("tourCard");
  setFixedWidth(guide_width);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tutorial_.title);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 14, 16, 12);
  column->setSpacing(6);
  number_ = make_label({}, "small", this);
  title_ = make_label({}, "title", this);
  title_->setWordWrap(true);
  text_ = make_label({}, "", this);
  text_->setWordWrap(true);
  for (QLabel* label : {number_, title_, text_}) column->addWidget(label);
  column->addSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  close_ = new QPushButton(tr("Leave"), this);
  set_role(close_, "link");
  back_ = new QPushButton(tr("Back"), this);
  next_ = new QPushButton(this);
  set_role(next_, "primary");
  row->addWidget(close_);
  row->addStretch(1);
  row->addWidget(back_);
  row->addWidget(next_);
  column->addLayout(row);
  connect(close_, &QPushButton::clicked, this, &Guide::end);
  connect(back_, &QPushButton::clicked, this, [this] { go(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { go(step_ + 1); });
  connect(&watch_, &QTimer::timeout, this, &Guide::look_around);
  window->installEventFilter(this);
  hide();
  ring_->hide();
}

Guide::~Guide() {
  if (ring_) delete ring_.data();
}

void Guide::begin() {
  show();
  watch_.start(look_every_ms);
  go(0);
}

void Guide::go(int step) {
  if (step < 0) return;
  if (step >= static_cast<int>(tutorial_.steps.size())) return end();
  step_ = step;
  const TutorialStep& now = tutorial_.steps[static_cast<std::size_t>(step)];
  target_ = host_.control(now.at);
  before_ = host_.state(now);
  const int count = static_cast<int>(tutorial_.steps.size());
  number_->setText(tutorial_.title + QStringLiteral("  ·  ") + tr("Step %1 of %2").arg(step + 1).arg(count));
  title_->setText(now.title);
  text_->setText(now.text);
  setAccessibleDescription(now.title + ". " + now.text);
  back_->setVisible(step > 0);
  next_->setText(step + 1 == count ? tr("Done") : tr("Next"));
  place();
}

void Guide::end() {
  watch_.stop();
  parentWidget()->removeEventFilter(this);
  hide();
  if (ring_) ring_->hide();
  deleteLater();
}

QRect Guide::spot() const {
  if (!target_ || !target_->isVisible()) return {};
  const QRect whole(target_->mapTo(parentWidget(), QPoint(0, 0)), target_->size());
  constexpr int around = 5;
  return whole.adjusted(-around, -around, around, around).intersected(parentWidget()->rect().adjusted(2, 2, -2, -2));
}

void Guide::place() {
  adjustSize();
  constexpr int frame = 4;  // its border, and what rounding takes of the last line
  resize(guide_width, layout()->totalHeightForWidth(guide_width - 2) + frame);
  const QRect at = spot();
  ring_->setVisible(!at.isEmpty());
  if (ring_->geometry() != at) ring_->setGeometry(at);
  if (const QPoint corner = place_beside(at, size(), parentWidget()->size()); corner != pos()) move(corner);
  ring_->raise();
  raise();
}

void Guide::look_around() {
  if (step_ < 0 || !parentWidget()->isVisible()) return;
  const TutorialStep& now = tutorial_.steps[static_cast<std::size_t>(step_)];
  // What was not there yet may have come: a table of the run, a field of the frame.
  if (!target_ || !target_->isVisible()) target_ = host_.control(now.at);
  place();
  if (now.until.isEmpty()) return;
  const QString state = host_.state(now);
  const bool reached = now.until == "edited" ? state != before_ : state == now.until;
  if (reached && step_ + 1 < static_cast<int>(tutorial_.steps.size())) go(step_ + 1);
}

void Guide::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape: return end();
    case Qt::Key_Return:
    case Qt::Key_Enter: return go(step_ + 1);
    default: QFrame::keyPressEvent(event);
  }
}

bool Guide::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) QTimer::singleShot(0, this, &Guide::place);
  return QFrame::eventFilter(watched, event);
}

}  // namespace conoid::app
