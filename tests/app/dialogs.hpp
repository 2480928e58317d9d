// SPDX-License-Identifier: BSD-3-Clause
// Hands for dialogs that a test opens: exec() comes back only when somebody has done something in them.
#pragma once

#include <QApplication>
#include <QTest>
#include <QTimer>

namespace conoid::app::test {

/// Does something with the next dialog of this kind once it is there; one in which the test fails is closed.
template <class Dialog, class Act>
void on_dialog(QObject* test, Act act) {
  auto* timer = new QTimer(test);
  timer->setInterval(10);
  QObject::connect(timer, &QTimer::timeout, timer, [timer, act]() mutable {
    auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    timer->stop();
    timer->deleteLater();
    act(*dialog);
    if (QTest::currentTestFailed()) dialog->reject();
  });
  timer->start();
}

}  // namespace conoid::app::test
