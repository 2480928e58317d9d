// SPDX-License-Identifier: BSD-3-Clause
// A RasterViewport shown by a plain widget: for platforms without OpenGL in the window.
#pragma once

#include <memory>
#include <string>

#include <QWidget>

class QPainter;

#include "render/window/raster_viewport.hpp"
#include "render/window/viewport.hpp"

namespace conoid {

class RasterViewportWidget final : public QWidget, public ViewportHost {
 public:
  explicit RasterViewportWidget(QWidget* parent = nullptr);
  ~RasterViewportWidget() override;

  QWidget* widget() override { return this; }
  void set_scene(std::shared_ptr<Scene> scene) override;
  [[nodiscard]] std::shared_ptr<Scene> scene() const override { return scene_; }
  void request_render() override;
  [[nodiscard]] Image grab() override;
  [[nodiscard]] std::string renderer_name() const override;
  [[nodiscard]] std::string problem() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  bool make_sized();
  /// What is there until a picture is rendered.
  void paint_last(QPainter& painter);
  /// Made when it is first drawn or asked: a context takes its time, and many a chart is never seen. Null: see problem().
  [[nodiscard]] RasterViewport* raster() const;

  std::shared_ptr<Scene> scene_;
  mutable std::unique_ptr<RasterViewport> raster_;
  mutable std::string problem_;
  mutable bool tried_ = false;
  bool ahead_ = false;  ///< a picture is about to be drawn before it is painted
};

}  // namespace conoid
