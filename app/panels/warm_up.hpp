// SPDX-License-Identifier: BSD-3-Clause
// What is done once in a program and takes its time is done before somebody waits for it, while the window is idle.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <QObject>
#include <QTimer>

#include "app/look/theme.hpp"
#include "render/capture/practice.hpp"

class QProcess;

namespace conoid::app {

/// Reads the schemas of all solvers, and draws for practice (Practice). A little of it in each turn of the event loop, in the window's thread.
/// What the driver compiles for the first time on a machine takes it up to a tenth of a second at once: the program `practiser` does it before,
/// and the driver finds it on the disk then. Where widgets draw by OpenGL (not `pictures`), each in a context of its own, there is nothing to
/// practise.
class WarmUp : public QObject {
  Q_OBJECT
 public:
  /// `practiser`: conoid-render; where it is not there, the window does without.
  WarmUp(const Look& look, bool pictures, const std::filesystem::path& practiser, QObject* parent = nullptr);
  WarmUp(const WarmUp&) = delete;
  WarmUp& operator=(const WarmUp&) = delete;
  ~WarmUp() override;  ///< ends the other program

 signals:
  void done();

 private:
  void take_step();
  [[nodiscard]] bool waits();

  std::vector<std::function<void()>> steps_;
  std::size_t next_ = 0;
  std::unique_ptr<Practice> practice_;
  bool loading_ = false;        ///< the graphics driver, on a thread of its own
  QProcess* before_ = nullptr;  ///< practises where nobody waits for it
  QTimer timer_;
};

}  // namespace conoid::app
