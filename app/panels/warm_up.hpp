// SPDX-License-Identifier: BSD-3-Clause
// What is done once in a program and takes its time is done before somebody waits for it, while the window is idle.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QObject>
#include <QTimer>

#include "app/look/theme.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/raster_viewport.hpp"

namespace conoid::app {

/// Reads the schemas of all solvers, and draws a field, its marks and texts, a mesh and a chart for practice in a context that all pictures in
/// memory share: the driver compiles its programs for each. A little of it in each turn of the event loop, in the window's thread (VTK's fonts
/// are not for two). Where widgets draw by OpenGL (not `pictures`), each in a context of its own, there is nothing to practise.
class WarmUp : public QObject {
  Q_OBJECT
 public:
  WarmUp(const Look& look, bool pictures, QObject* parent = nullptr);

 signals:
  void done();

 private:
  void take_step();
  void practise();
  void draw();
  void practise_fields();
  void practise_meshes();
  void practise_charts();

  const Look& look_;
  std::unique_ptr<RasterViewport> viewport_;  ///< stays: with it what was compiled
  std::shared_ptr<FieldScene> scene_;
  FieldView view_;
  std::vector<std::function<void()>> steps_;
  std::size_t next_ = 0;
  QTimer timer_;
};

}  // namespace conoid::app
