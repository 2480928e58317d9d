// SPDX-License-Identifier: BSD-3-Clause
// A viewport that renders to an image in memory: pictures without a display, thumbnails, tests.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <vtkSmartPointer.h>

#include "engine/run/run_reader.hpp"
#include "render/window/viewport.hpp"

class vtkRenderer;

namespace conoid {

/// Largest picture side in device pixels, before supersampling.
inline constexpr int largest_picture_side = 16384;

class RasterViewport final : public Viewport {
 public:
  /// Logical size and device pixels for one logical pixel. Each side is 1 … largest_picture_side device pixels. All viewports of a thread
  /// draw in one context, so that the driver compiles each of its programs once; it lasts as long as one of them.
  [[nodiscard]] static Result<std::unique_ptr<RasterViewport>> make(int width, int height, double pixel_ratio = 1);
  ~RasterViewport() override;
  /// Loads the graphics driver, which takes longer than any other step to a first picture and can be done by any thread beforehand. False: there
  /// is none; make() says why.
  static bool load_driver();

  void set_scene(std::shared_ptr<Scene> scene) override;
  [[nodiscard]] std::shared_ptr<Scene> scene() const override { return scene_; }
  void request_render() override { dirty_ = true; }
  [[nodiscard]] Image grab() override;
  [[nodiscard]] std::string renderer_name() const override;
  [[nodiscard]] std::string problem() const override { return problem_; }

  [[nodiscard]] Status resize(int width, int height, double pixel_ratio);
  /// Renders `factor`× finer and averages (1 or 2): smooth edges where the driver has no multisampling.
  void set_supersampling(int factor);
  /// Renders if something asked for it since the last call; the picture stays valid until the next call.
  [[nodiscard]] const Image& picture();
  /// Whether picture() would render.
  [[nodiscard]] bool wants_render() const { return dirty_; }
  /// As it was rendered last, perhaps in another size; empty before the first time.
  [[nodiscard]] const Image& last_picture() const { return image_; }
  /// Passes an event to on_input and the scene; positions in device pixels.
  bool handle(const InputEvent& event);

 private:
  struct Canvas;
  explicit RasterViewport(std::shared_ptr<Canvas> canvas) : canvas_(std::move(canvas)) {}
  void render();
  void take_scene_out();

  std::shared_ptr<Canvas> canvas_;
  std::shared_ptr<Scene> scene_;
  std::vector<vtkSmartPointer<vtkRenderer>>
      renderers_;  ///< of the scene; those of other viewports rest while it is drawn
  Image image_;
  std::string problem_;
  int width_ = 1;  // device pixels
  int height_ = 1;
  double pixel_ratio_ = 1;
  int supersampling_ = 1;
  bool dirty_ = true;
};

/// For films, after their first picture with one sample a pixel: two along each side where a card draws. What the processor draws costs as many
/// times its samples; with one of them a film comes at more than twice the speed.
void refine_where_a_card_draws(RasterViewport& viewport);

}  // namespace conoid
