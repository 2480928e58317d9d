// SPDX-License-Identifier: BSD-3-Clause
// Cards of samples.
#include "app/start/card_grid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QColor>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTextLayout>

#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"

namespace conoid::app {
namespace {

constexpr int gap = 14;
constexpr int least_width = 192;
constexpr int text_height = 138;
constexpr double picture_ratio = 0.52;
constexpr int radius = 10;

/// In the dark the white middle of a field would glare from every card: what is white and colourless becomes the colour behind
/// pictures, colours stay.
void temper(QImage& picture, const QColor& behind) {
  picture = picture.convertToFormat(QImage::Format_ARGB32);
  for (int y = 0; y < picture.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(picture.scanLine(y));
    for (int x = 0; x < picture.width(); ++x) {
      const QRgb c = line[x];
      const double white = std::min({qRed(c), qGreen(c), qBlue(c)}) / 255.0;
      const double away = white * white, keep = 1 - away;
      line[x] = qRgba(qRound(qRed(c) * keep + behind.red() * away), qRound(qGreen(c) * keep + behind.green() * away),
                      qRound(qBlue(c) * keep + behind.blue() * away), qAlpha(c));
    }
  }
}

}  // namespace

SampleCardWidget::SampleCardWidget(const Look& look, SampleCard card, QWidget* parent)
    : QWidget(parent), look_(look), card_(std::move(card)) {
  setFocusPolicy(Qt::TabFocus);
  setAttribute(Qt::WA_Hover);
  setEnabled(card_.available);
  if (card_.available) setCursor(Qt::PointingHandCursor);
  setAccessibleName(card_.title + ", " + card_.solver);
  setAccessibleDescription(card_.summary);
  setToolTip(card_.summary);  // which a narrow card shortens
  if (!card_.available) setToolTip(tr("This build does not contain the solver %1.").arg(card_.solver));
}

void SampleCardWidget::paint_picture(QPainter& painter, const QRectF& area) const {
  // Read where the card is seen: the pictures of all cards were two thirds of what the window takes to be there.
  if (!std::exchange(loaded_, true) && !card_.thumbnail.empty())
    thumbnail_.load(QString::fromStdString(card_.thumbnail.string()));
  if (!thumbnail_.isNull()) {
    // Reduced by area averaging, once a size: reducing while painting leaves jagged lines.
    const double ratio = painter.device()->devicePixelRatioF();
    const QSize wanted = (area.size() * ratio).toSize();
    if (reduced_.size() != wanted || reduced_dark_ != look_.theme().dark) {
      reduced_dark_ = look_.theme().dark;
      QImage whole = thumbnail_.scaled(wanted, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
      const QPoint corner((whole.width() - wanted.width()) / 2, (whole.height() - wanted.height()) / 2);
      whole = whole.copy(QRect(corner, wanted));
      if (reduced_dark_) temper(whole, look_.colour("viewport"));
      reduced_ = QPixmap::fromImage(whole);
    }
    painter.drawPixmap(area, reduced_, QRectF(QPointF(0, 0), wanted));
    return;
  }
  painter.save();
  painter.setClipRect(area, Qt::IntersectClip);
  // No picture yet: rings that go out from a point, in the accent colour.
  painter.fillRect(area, look_.colour("accent_soft"));
  const uint seed = qHash(card_.name);
  const QPointF centre(area.left() + area.width() * (0.2 + 0.6 * (seed % 97) / 97.0),
                       area.bottom() - area.height() * (0.1 + 0.3 * (seed / 97 % 89) / 89.0));
  QColor ring = look_.colour("accent");
  for (int i = 1; i < 14; ++i) {
    ring.setAlphaF(0.42f * std::exp(-0.16f * static_cast<float>(i)));
    painter.setPen(QPen(ring, 1.6));
    painter.setBrush(Qt::NoBrush);
    const double r = 14.0 * i + 5 * (seed % 3);
    painter.drawEllipse(centre, r, r);
  }
  painter.restore();
}

void SampleCardWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!isEnabled()) painter.setOpacity(0.5);
  const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath outline;
  outline.addRoundedRect(frame, radius, radius);
  painter.fillPath(outline, look_.colour("surface"));
  const int picture_height = height() - text_height;
  painter.save();
  painter.setClipPath(outline);
  paint_picture(painter, QRectF(0, 0, width(), picture_height));
  painter.restore();
  painter.setPen(look_.colour("border"));
  painter.drawLine(QPointF(1, picture_height), QPointF(width() - 1, picture_height));

  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  bold.setPixelSize(qRound(font().pixelSize() * 14 / 13.0));
  constexpr int margin = 12;
  const int text_width = width() - 2 * margin;
  // Six lines: a title of one or two, then the summary; the last of each is shortened where the text goes on.
  const int line_height = qRound(font().pixelSize() * 18 / 13.0);
  int y = picture_height + 9;
  const auto write = [&](const QString& words, const QFont& face, const QString& colour, int most) {
    QTextLayout layout(words, face);
    const QFontMetrics metrics(face);
    painter.setFont(face);
    painter.setPen(look_.colour(colour));
    int lines = 0;
    layout.beginLayout();
    for (; lines < most; ++lines) {
      QTextLine line = layout.createLine();
      if (!line.isValid()) break;
      line.setLineWidth(text_width);
      const bool last = lines + 1 == most;
      const QString part = words.mid(line.textStart(), last ? -1 : line.textLength()).trimmed();
      painter.drawText(QRect(margin, y, text_width, line_height), Qt::AlignLeft | Qt::AlignVCenter,
                       last ? metrics.elidedText(part, Qt::ElideRight, text_width) : part);
      y += line_height;
    }
    layout.endLayout();
    return lines;
  };
  const int title_lines = write(card_.title, bold, "text", 2);
  y += 4;
  write(card_.summary.isEmpty() ? card_.solver : card_.summary, font(), "muted", 5 - title_lines);
  QFont small = font();
  small.setPixelSize(qRound(font().pixelSize() * 12 / 13.0));
  painter.setFont(small);
  painter.setPen(look_.colour("faint"));
  painter.drawText(QRect(margin, height() - 27, text_width, 18), Qt::AlignLeft | Qt::AlignVCenter, time_text());
  const bool lit = isEnabled() && (underMouse() || hasFocus());
  painter.setPen(QPen(look_.colour(lit ? "accent" : "border"), lit ? 1.5 : 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(outline);
}

void SampleCardWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->pos()))
    emit chosen(QString::fromStdString(card_.case_file.string()));
}

void SampleCardWidget::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
    emit chosen(QString::fromStdString(card_.case_file.string()));
  else
    QWidget::keyPressEvent(event);
}

QString SampleCardWidget::time_text() const {
  if (card_.seconds <= 0) return {};
  if (card_.measured) return tr("%1 here").arg(QString::fromStdString(format_duration(card_.seconds)));
  // Two figures of what is only expected.
  const double expected = card_.seconds * slowness_;
  const double step = std::pow(10.0, std::floor(std::log10(std::max(expected, 1.0))) - 1);
  return tr("about %1").arg(expected_duration(std::max(1.0, std::round(expected / step) * step)));
}

void SampleCardWidget::set_slowness(double factor) {
  slowness_ = factor;
  update();
}

void SampleCardWidget::set_measured(double seconds) {
  card_.seconds = seconds;
  card_.measured = true;
  update();
}

CardGrid::CardGrid(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void CardGrid::set_cards(std::vector<QWidget*> cards) {
  for (QWidget* card : cards_) card->deleteLater();
  cards_ = std::move(cards);
  for (QWidget* card : cards_) {
    card->setParent(this);
    card->show();
  }
  arrange();
}

void CardGrid::arrange() {
  setVisible(cards_.empty() || shown() > 0);
  updateGeometry();
  resizeEvent(nullptr);
}

int CardGrid::shown() const {
  return static_cast<int>(std::count_if(cards_.begin(), cards_.end(), [](const QWidget* c) { return !c->isHidden(); }));
}

int CardGrid::columns(int width) const {
  return std::max(1, (width + gap) / (least_width + gap));
}

int CardGrid::heightForWidth(int width) const {
  if (shown() == 0) return 0;
  const int across = columns(width);
  const int card_width = (width - gap * (across - 1)) / across;
  const int rows = (shown() + across - 1) / across;
  return rows * (static_cast<int>(card_width * picture_ratio) + text_height + gap) - gap;
}

QSize CardGrid::sizeHint() const {
  return {3 * least_width + 2 * gap, heightForWidth(3 * least_width + 2 * gap)};
}

void CardGrid::resizeEvent(QResizeEvent*) {
  const int across = columns(width());
  const int card_width = (width() - gap * (across - 1)) / across;
  const int card_height = static_cast<int>(card_width * picture_ratio) + text_height;
  int i = 0;
  for (QWidget* card : cards_) {
    if (card->isHidden()) continue;
    card->setGeometry(i % across * (card_width + gap), i / across * (card_height + gap), card_width, card_height);
    ++i;
  }
  setMinimumHeight(heightForWidth(width()));
}

}  // namespace conoid::app
