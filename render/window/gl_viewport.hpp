// SPDX-License-Identifier: BSD-3-Clause
// VTK inside a QOpenGLWidget, for platforms with OpenGL in the window (xcb, wayland).
#pragma once

#include <memory>
#include <string>

#include <QOpenGLWidget>

#include <vtkSmartPointer.h>

#include "render/window/viewport.hpp"

namespace conoid {

class HostRenderWindow;

/// Set default_surface_format() before the QApplication is made.
class GlViewport final : public QOpenGLWidget, public ViewportHost {
 public:
  explicit GlViewport(QWidget* parent = nullptr);
  ~GlViewport() override;

  /// OpenGL 3.2 core, depth 24, alpha 8, no multisampling (VTK has framebuffers of its own).
  [[nodiscard]] static QSurfaceFormat default_surface_format();

  QWidget* widget() override { return this; }
  void set_scene(std::shared_ptr<Scene> scene) override;
  [[nodiscard]] std::shared_ptr<Scene> scene() const override { return scene_; }
  void request_render() override { update(); }
  [[nodiscard]] Image grab() override;
  [[nodiscard]] std::string renderer_name() const override { return renderer_; }
  [[nodiscard]] std::string problem() const override { return problem_; }

  /// After the first picture only.
  std::function<void()> first_picture;

 protected:
  void initializeGL() override;
  void resizeGL(int width, int height) override;
  void paintGL() override;
  bool event(QEvent* event) override;

 private:
  void release();
  void render_scene();

  vtkSmartPointer<HostRenderWindow> window_;
  std::shared_ptr<Scene> scene_;
  std::string renderer_;
  bool is_software_ = false;  ///< the processor draws
  std::string problem_;
  bool ready_ = false;
};

}  // namespace conoid
