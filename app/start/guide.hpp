// SPDX-License-Identifier: BSD-3-Clause
// A tutorial beside the work: a ring around the control that a step is about, and a card that says what to do there. The window stays in
// hand; what is done is what the tutorial waits for.
#pragma once

#include <functional>

#include <QFrame>
#include <QPointer>
#include <QTimer>

#include "app/look/theme.hpp"
#include "app/model/tutorials.hpp"

class QLabel;
class QPushButton;

namespace conoid::app {

/// What a guide asks of its window.
struct GuideHost {
  /// Brings a control on the screen and gives it; null: there is none now.
  std::function<QWidget*(const QString& at)> control;
  /// What a step waits for, as text: the value of a field, the state of the run. It ends when that changes to what it waits for.
  std::function<QString(const TutorialStep& step)> state;
};

/// Lies over its window until it is ended, then deletes itself.
class Guide : public QFrame {
  Q_OBJECT
 public:
  Guide(Tutorial tutorial, GuideHost host, const Look& look, QWidget* window);
  ~Guide() override;
  void begin();
  void go(int step);
  void end();
  [[nodiscard]] int step() const { return step_; }
  [[nodiscard]] const Tutorial& tutorial() const { return tutorial_; }
  /// What the step points at, in coordinates of the window; empty when there is nothing.
  [[nodiscard]] QRect spot() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  /// Goes on where what the step waits for has come.
  void look_around();

  Tutorial tutorial_;
  GuideHost host_;
  const Look& look_;
  int step_ = -1;
  QString before_;  ///< state at the beginning of the step
  QPointer<QWidget> target_;
  QPointer<QWidget> ring_;
  QTimer watch_;
  QLabel *number_, *title_, *text_;
  QPushButton *close_, *back_, *next_;
};

/// Where a card of this size stands beside a spot of a window: right of it, left, below, above, or in the middle of an empty one.
[[nodiscard]] QPoint place_beside(const QRect& spot, const QSize& card, const QSize& window);

}  // namespace conoid::app
