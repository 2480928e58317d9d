// SPDX-License-Identifier: BSD-3-Clause
// A viewport that renders to an image in memory: pictures without a display, thumbnails, tests.
#pragma once

#include <memory>

#include <vtkSmartPointer.h>

#include "engine/session/run_reader.hpp"
#include "render/window/egl_context.hpp"
#include "render/window/viewport.hpp"

namespace conoid {

class HostRenderWindow;

/// Largest picture side in device pixels, before supersampling.
inline constexpr int largest_picture_side = 16384;

class RasterViewport final : public Viewport {
 public:
  /// Logical size and device pixels for one logical pixel. Each side is 1 … largest_picture_side device pixels.
  [[nodiscard]] static Result<std::unique_ptr<RasterViewport>> make(int width, int height, double pixel_ratio = 1);
  ~RasterViewport() override;

  void set_scene(std::shared_ptr<Scene> scene) override;
  [[nodiscard]] std::shared_ptr<Scene> scene() const override { return scene_; }
  void request_render() override { dirty_ = true; }
  [[nodiscard]] Image grab() override;
  [[nodiscard]] std::string renderer_name() const override { return renderer_; }
  [[nodiscard]] std::string problem() const override { return problem_; }

  [[nodiscard]] Status resize(int width, int height, double pixel_ratio);
  /// Renders `factor`× finer and averages (1 or 2): smooth edges where the driver has no multisampling.
  void set_supersampling(int factor);
  /// Renders if something asked for it since the last call; the picture stays valid until the next call.
  [[nodiscard]] const Image& picture();
  /// Passes an event to on_input and the scene; positions in device pixels.
  bool handle(const InputEvent& event);

 private:
  RasterViewport() = default;
  void render();

  std::unique_ptr<EglContext> context_;
  vtkSmartPointer<HostRenderWindow> window_;
  std::shared_ptr<Scene> scene_;
  Image image_;
  std::string renderer_;
  std::string problem_;
  int width_ = 1;  // device pixels
  int height_ = 1;
  double pixel_ratio_ = 1;
  int supersampling_ = 1;
  bool dirty_ = true;
};

}  // namespace conoid
