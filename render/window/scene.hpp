// SPDX-License-Identifier: BSD-3-Clause
// What a viewport shows: a field scene or a chart. Knows VTK, not the window system.
#pragma once

#include <functional>

#include "render/scene/theme.hpp"
#include "render/window/input.hpp"

class vtkRenderWindow;

namespace conoid {

/// A scene is shown by at most one viewport at a time. Everything is called from the thread that renders.
class Scene {
 public:
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  virtual ~Scene() = default;

  /// Adds the scene's renderers to a window and takes them out again (context current in both).
  virtual void attach(vtkRenderWindow& window) = 0;
  virtual void detach(vtkRenderWindow& window) = 0;
  /// Called before each rendering: size in device pixels, device pixels for one logical pixel.
  virtual void layout(int width, int height, double pixel_ratio) = 0;
  /// Called after each rendering: seconds until its last pixel was there (with a graphics card: until it had all commands).
  virtual void drawn(double /*seconds*/) {}
  /// True if the picture changed.
  virtual bool handle(const InputEvent& event) = 0;
  virtual void set_theme(const Theme& theme) = 0;
  /// No background is drawn, so that a picture keeps an alpha channel.
  virtual void set_transparent(bool transparent) = 0;

  /// The viewport that shows the scene sets this; the scene calls it when it wants to be drawn again.
  std::function<void()> wants_render;

 protected:
  void changed() const {
    if (wants_render) wants_render();
  }
};

}  // namespace conoid
