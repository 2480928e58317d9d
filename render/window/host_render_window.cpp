// SPDX-License-Identifier: BSD-3-Clause
// The only file that includes GLEW, whose declarations clash with Qt's.
#include "render/window/host_render_window.hpp"

#include <GL/glew.h>

#include <vtkObjectFactory.h>
#include <vtkOpenGLState.h>
#include <vtkVersionMacros.h>

namespace conoid {

vtkStandardNewMacro(HostRenderWindow)

    HostRenderWindow::HostRenderWindow() {
  SetOwnContext(0);
  SetFrameBlitModeToNoBlit();
  SetReadyForRendering(false);
  SetMapped(1);
}

void HostRenderWindow::MakeCurrent() {
  if (make_context_current && !IsCurrent()) make_context_current();
}

bool HostRenderWindow::IsCurrent() {
  return context_is_current && context_is_current();
}

void HostRenderWindow::OpenGLInitContext() {
#if VTK_VERSION_NUMBER < VTK_VERSION_CHECK(9, 4, 0)
  // glewInit answers 4 (no GLX display) on EGL and Wayland although every function is loaded; VTK before 9.4 takes
  // only 0 for success and would not draw at all.
  if (!Initialized) {
    glewExperimental = GL_TRUE;
    const GLenum answer = glewInit();
    GlewInitValid = answer == 0 || answer == 4;
    if (!GlewInitValid || !(GLEW_VERSION_3_2 || GLEW_VERSION_3_1)) {
      GlewInitValid = false;
      return;
    }
    Initialized = true;
    GLfloat range[2] = {1, 1};
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    MaximumHardwareLineWidth = range[1];
    while (glGetError() != GL_NO_ERROR) {
    }
  }
#else
  vtkGenericOpenGLRenderWindow::OpenGLInitContext();
#endif
}

bool HostRenderWindow::init_context() {
  GetState()->Reset();
  OpenGLInitContext();
#if VTK_VERSION_NUMBER < VTK_VERSION_CHECK(9, 4, 0)
  if (!GlewInitValid) return false;
#endif
  GetState()->vtkglDepthFunc(GL_LEQUAL);
  SetReadyForRendering(true);
  return true;
}

std::string HostRenderWindow::query_renderer() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name != nullptr ? name : "";
}

void HostRenderWindow::blit_to(unsigned target) {
  vtkOpenGLState* state = GetState();
  state->ResetGLScissorState();
  state->vtkglDisable(GL_SCISSOR_TEST);
  state->vtkglBindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
  glDrawBuffer(target == 0 ? GL_BACK : GL_COLOR_ATTACHMENT0);
  BlitDisplayFramebuffer();
  // A widget's alpha must be 1, or the desktop shines through.
  state->vtkglBindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
  state->vtkglColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
  state->vtkglClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  state->vtkglColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

}  // namespace conoid
