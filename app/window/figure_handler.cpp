// SPDX-License-Identifier: BSD-3-Clause
// Sizes of pictures and captions on paper.
#include "app/window/figure_handler.hpp"

#include <cstring>

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QPainter>
#include <QTextDocument>

namespace conoid::app {
namespace {

constexpr int picture_width = 620;   // of 642 pixels between the margins of A4 at 96 to the inch
constexpr int picture_height = 860;  // of 1010, with room for what is said below it
constexpr double caption_gap = 4;    // pixels below a picture

double pixel_of(const QPaintDevice* device) {
  return device ? device->logicalDpiY() / 96.0 : 1;
}

QSizeF picture_size(const Figure& figure, double pixel) {
  const QSizeF size = figure.picture.size(), room(picture_width * pixel, picture_height * pixel);
  return size.isEmpty() ? QSizeF() : size.scaled(room, Qt::KeepAspectRatio);
}

}  // namespace

FigureHandler::FigureHandler(std::vector<Figure> figures, const QFont& font)
    : figures_(std::move(figures)), font_(font) {}

QSizeF FigureHandler::intrinsicSize(QTextDocument* document, int, const QTextFormat& format) {
  const Figure* figure = at(format);
  if (!figure) return {};
  QPaintDevice* device = document->documentLayout()->paintDevice();
  const double pixel = pixel_of(device);
  const QSizeF picture = picture_size(*figure, pixel);
  const QRectF words = caption_box(*figure, device, picture.width());
  return {picture.width(), picture.height() + (words.isEmpty() ? 0 : 2 * caption_gap * pixel + words.height())};
}

void FigureHandler::drawObject(QPainter* painter, const QRectF& box, QTextDocument* document, int,
                               const QTextFormat& format) {
  const Figure* figure = at(format);
  if (!figure) return;
  const double pixel = pixel_of(document->documentLayout()->paintDevice());
  const QSizeF picture = picture_size(*figure, pixel);
  painter->drawImage(QRectF(box.topLeft(), picture), figure->picture);
  painter->save();
  painter->setFont(font_);
  painter->setPen(QColor("#5a6572"));
  painter->drawText(box.adjusted(0, picture.height() + caption_gap * pixel, 0, 0),
                    Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, figure->caption);
  painter->restore();
}

const Figure* FigureHandler::at(const QTextFormat& format) const {
  const QString name = format.toImageFormat().name();
  const std::size_t index = name.mid(static_cast<qsizetype>(std::strlen(scheme))).toULongLong();
  return name.startsWith(scheme) && index < figures_.size() ? &figures_[index] : nullptr;
}

QRectF FigureHandler::caption_box(const Figure& figure, QPaintDevice* device, double width) const {
  if (figure.caption.isEmpty()) return {};
  constexpr double endless = 1e6;
  const QFontMetricsF metrics = device ? QFontMetricsF(font_, device) : QFontMetricsF(font_);
  return metrics.boundingRect(QRectF(0, 0, width, endless), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                              figure.caption);
}

}  // namespace conoid::app
