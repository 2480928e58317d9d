// SPDX-License-Identifier: BSD-3-Clause
// A tour of the window: a few steps, each a card beside the thing it is about; can be left at any moment.
#pragma once

#include <functional>
#include <vector>

#include <QPointer>
#include <QWidget>

#include "app/look/theme.hpp"

class QLabel;
class QPushButton;

namespace conoid::app {

struct TourStep {
  QString title;
  QString text;
  /// Brings the thing on the screen and gives it; null: the card stands in the middle.
  std::function<QWidget*()> target;
};

/// Lies over its window until it ends, then deletes itself. Return and → go on, ← goes back, Escape leaves.
class Tour : public QWidget {
  Q_OBJECT
 public:
  Tour(std::vector<TourStep> steps, const Look& look, QWidget* window);
  void begin();
  void go(int step);
  void end();
  [[nodiscard]] int step() const { return step_; }
  [[nodiscard]] int count() const { return static_cast<int>(steps_.size()); }
  /// What the step points at, in coordinates of the window; empty when there is nothing.
  [[nodiscard]] QRect spot() const;
  [[nodiscard]] QWidget* card() const { return card_; }

 signals:
  void ended();

 protected:
  void paintEvent(QPaintEvent*) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void place();
  std::vector<TourStep> steps_;
  const Look& look_;
  int step_ = -1;
  QPointer<QWidget> target_;
  QWidget* card_;
  QLabel* title_;
  QLabel* text_;
  QLabel* number_;
  QPushButton* skip_;
  QPushButton* back_;
  QPushButton* next_;
};

}  // namespace conoid::app
