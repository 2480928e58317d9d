// SPDX-License-Identifier: BSD-3-Clause
// The common face of viewports: a place that shows one scene, with or without a display.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "render/window/image.hpp"
#include "render/window/input.hpp"
#include "render/window/scene.hpp"

class QWidget;

namespace conoid {

/// All members belong to the thread that made the viewport.
class Viewport {
 public:
  Viewport() = default;
  Viewport(const Viewport&) = delete;
  Viewport& operator=(const Viewport&) = delete;
  virtual ~Viewport() = default;

  /// Shows a scene (null: an empty picture in the background colour of the theme last set).
  virtual void set_scene(std::shared_ptr<Scene> scene) = 0;
  [[nodiscard]] virtual std::shared_ptr<Scene> scene() const = 0;
  /// Asks for a new picture soon; many requests make one picture.
  virtual void request_render() = 0;
  /// The present picture in device pixels, rendered now if need be. Empty when the context failed (see problem()).
  [[nodiscard]] virtual Image grab() = 0;
  /// "llvmpipe (LLVM 15…)", empty before the first picture.
  [[nodiscard]] virtual std::string renderer_name() const = 0;
  /// Why nothing can be drawn; empty when all is well.
  [[nodiscard]] virtual std::string problem() const = 0;

  /// Sees each event before the scene; true: the scene does not get it (placing receivers, probing).
  std::function<bool(const InputEvent&)> on_input;
  /// After each picture.
  std::function<void()> on_rendered;
};

/// A viewport inside a Qt window; the widget belongs to its Qt parent, and the viewport is the widget.
class ViewportHost : public Viewport {
 public:
  [[nodiscard]] virtual QWidget* widget() = 0;
};

}  // namespace conoid
