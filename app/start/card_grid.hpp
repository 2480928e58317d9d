// SPDX-License-Identifier: BSD-3-Clause
// Cards of samples in as many columns as fit.
#pragma once

#include <vector>

#include <QImage>
#include <QPixmap>
#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/gallery.hpp"

namespace conoid::app {

/// One sample: picture, title, one line, expected time. A click, Enter or Space opens it.
class SampleCardWidget : public QWidget {
  Q_OBJECT
 public:
  SampleCardWidget(const Look& look, SampleCard card, QWidget* parent = nullptr);
  [[nodiscard]] const SampleCard& card() const { return card_; }
  /// What the sample took the last time it ran on this machine.
  void set_measured(double seconds);
  /// How many times as long as on the machine of the cards things take on this one.
  void set_slowness(double factor);
  /// What the card says of the time.
  [[nodiscard]] QString time_text() const;
  [[nodiscard]] QSize sizeHint() const override { return {204, 240}; }

 signals:
  void chosen(const QString& case_file);

 protected:
  void paintEvent(QPaintEvent*) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void enterEvent(QEnterEvent*) override { update(); }
  void leaveEvent(QEvent*) override { update(); }
  void focusInEvent(QFocusEvent*) override { update(); }
  void focusOutEvent(QFocusEvent*) override { update(); }

 private:
  void paint_picture(QPainter& painter, const QRectF& area) const;
  const Look& look_;
  SampleCard card_;
  double slowness_ = 1;
  mutable QImage thumbnail_;  ///< null until it is painted, or without one
  mutable bool loaded_ = false;
  mutable QPixmap reduced_;            ///< at the size it is drawn in
  mutable bool reduced_dark_ = false;  ///< for the dark theme
};

/// Lays equal children out in rows that fill the width.
class CardGrid : public QWidget {
  Q_OBJECT
 public:
  explicit CardGrid(QWidget* parent = nullptr);
  void set_cards(std::vector<QWidget*> cards);
  /// Some of them are hidden or there again.
  void arrange();
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  [[nodiscard]] int columns(int width) const;
  [[nodiscard]] int shown() const;
  std::vector<QWidget*> cards_;
};

}  // namespace conoid::app
