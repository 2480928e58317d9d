// SPDX-License-Identifier: BSD-3-Clause
// Figures of a printed page: a picture and what is said below it are one thing to the layout, so that no page ends between the two.
#pragma once

#include <vector>

#include <QFont>
#include <QImage>
#include <QObject>
#include <QTextObjectInterface>

namespace conoid::app {

struct Figure {
  QImage picture;
  QString caption;
};

/// Draws figure n where a document has an image of the name `scheme` + n. Pixels are those of 96 to the inch, on any device.
class FigureHandler final : public QObject, public QTextObjectInterface {
  Q_OBJECT
  Q_INTERFACES(QTextObjectInterface)
 public:
  static constexpr const char* scheme = "figure:";

  FigureHandler(std::vector<Figure> figures, const QFont& font);
  QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
  void drawObject(QPainter* painter, const QRectF& box, QTextDocument* document, int position,
                  const QTextFormat& format) override;

 private:
  [[nodiscard]] const Figure* at(const QTextFormat& format) const;
  [[nodiscard]] QRectF caption_box(const Figure& figure, QPaintDevice* device, double width) const;

  std::vector<Figure> figures_;
  QFont font_;
};

}  // namespace conoid::app
