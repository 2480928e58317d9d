// SPDX-License-Identifier: BSD-3-Clause
// VTK's window inside a context that somebody else owns: Qt's widget or our EGL context.
#pragma once

#include <functional>
#include <string>

#include <vtkGenericOpenGLRenderWindow.h>

namespace conoid {

/// VTK draws into its own framebuffers; the host blits or reads them. Set the hooks before init_context().
class HostRenderWindow : public vtkGenericOpenGLRenderWindow {
 public:
  static HostRenderWindow* New();
  vtkTypeMacro(HostRenderWindow, vtkGenericOpenGLRenderWindow)

      std::function<void()> make_context_current;
  std::function<bool()> context_is_current;

  /// With the context current: loads the functions and prepares VTK. False if OpenGL 3.2 is missing.
  bool init_context();
  /// The GL_RENDERER string; the context must be current.
  [[nodiscard]] std::string query_renderer();
  /// Blits VTK's picture to framebuffer `target` of the host and makes it opaque; the context must be current.
  void blit_to(unsigned target);

  // VTK asks the host through events by default; direct answers leave no observer to dangle.
  void MakeCurrent() override;
  bool IsCurrent() override;
  int SupportsOpenGL() override { return 1; }
  vtkTypeBool IsDirect() override { return 1; }
  void OpenGLInitContext() override;

 protected:
  HostRenderWindow();
  ~HostRenderWindow() override = default;
};

}  // namespace conoid
