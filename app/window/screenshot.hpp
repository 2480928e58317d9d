// SPDX-License-Identifier: BSD-3-Clause
// A picture of the whole window, taken when it shows what it should: `conoid-gui [CASE --run] --screenshot out.png`.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/window/main_window.hpp"

namespace conoid::app {

/// Waits until the window is laid out, the run (if any) has ended and the last frame is drawn, then writes the picture
/// and emits done with the exit code: the run's, or `file` when the picture cannot be written.
class Screenshot : public QObject {
  Q_OBJECT
 public:
  /// `actions`: ids of the action table, done one after the other before the picture.
  Screenshot(MainWindow& window, QString file, bool runs, QStringList actions = {}, QObject* parent = nullptr);
  void begin();

 signals:
  void done(int exit_code);

 private:
  void look();
  void take();
  MainWindow& window_;
  QString file_;
  QStringList actions_;
  bool runs_;
  QTimer timer_;
  QElapsedTimer settled_;
  int looked_ = 0;  ///< while pictures waited
};

}  // namespace conoid::app
