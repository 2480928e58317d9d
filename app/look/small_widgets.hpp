// SPDX-License-Identifier: BSD-3-Clause
// Small widgets used all over: labels with a role, figures that do not dance, elided text, state dots.
#pragma once

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "app/look/theme.hpp"

class QScrollArea;
class QVBoxLayout;

namespace conoid::app {

/// A label that the style sheet knows by its role.
[[nodiscard]] QLabel* make_label(const QString& text, const char* role, QWidget* parent = nullptr);
/// A one-pixel line.
[[nodiscard]] QWidget* make_rule(QWidget* parent = nullptr, bool vertical = false);
/// A flat button with an icon, a tooltip and the same accessible name.
[[nodiscard]] QToolButton* make_icon_button(const Look& look, const QString& icon, const QString& tip,
                                            QWidget* parent = nullptr, const QString& colour = "muted");
/// A page that scrolls up and down only; `column` gets what is on it.
[[nodiscard]] QScrollArea* make_scroll_page(QWidget* parent, QVBoxLayout** column);

/// Makes the tabulator go through what has the focus below `root` as its layouts lay it out: down and, in a row, rightwards.
void tab_as_laid_out(QWidget* root);

/// Draws text with all digits equally wide, whatever the font does: figures that change do not dance.
class FigureLabel : public QWidget {
  Q_OBJECT
 public:
  explicit FigureLabel(const QString& text = {}, Qt::Alignment alignment = Qt::AlignRight, QWidget* parent = nullptr);
  void set_text(const QString& text);
  [[nodiscard]] const QString& text() const { return text_; }
  void set_colour(const QString& id, const Look& look);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  [[nodiscard]] int advance(QChar c, const QFontMetrics& metrics) const;
  QString text_;
  Qt::Alignment alignment_;
  const Look* look_ = nullptr;
  QString colour_ = "text";
};

/// One line of text that is shortened with "…" where there is no room; the whole text is its tooltip.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(const QString& text, const char* role, Qt::TextElideMode mode = Qt::ElideRight,
                       QWidget* parent = nullptr);
  /// `spoken`, where it is given, is the tooltip and what a screen reader says instead of the text.
  void set_text(const QString& text, const QString& spoken = {});
  /// Pixels at either side that the style sheet leaves empty.
  void set_padding(int pixels) { padding_ = pixels; }
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void elide();
  QString full_;
  QString spoken_;
  Qt::TextElideMode mode_;
  int padding_ = 0;
};

/// A dot in a theme colour: green, amber, red.
class StateDot : public QWidget {
  Q_OBJECT
 public:
  explicit StateDot(const Look& look, QWidget* parent = nullptr);
  void set_colour(const QString& id);
  /// A colour of its own instead of one of the theme (a group of a mesh).
  void set_fill(const QColor& colour);

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Look& look_;
  QString colour_ = "outline";
  QColor fill_;
};

/// An icon of the theme as a widget; follows a change of theme.
class IconLabel : public QWidget {
  Q_OBJECT
 public:
  IconLabel(const Look& look, const QString& id, const QString& colour, int size, QWidget* parent = nullptr);
  void set_icon(const QString& id, const QString& colour);

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Look& look_;
  QString id_, colour_;
};

}  // namespace conoid::app
