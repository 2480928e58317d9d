// SPDX-License-Identifier: BSD-3-Clause
// The one order of calls that works between Qt's framebuffer and VTK's.
#include "render/window/gl_viewport.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include <QEvent>
#include <QGuiApplication>
#include <QOpenGLContext>
#include <QSurfaceFormat>

#include <vtkOpenGLState.h>
#include <vtkUnsignedCharArray.h>

#include "render/window/egl_context.hpp"
#include "render/window/host_render_window.hpp"
#include "render/window/qt_input.hpp"
#include "render/window/software_renderer.hpp"

namespace conoid {

QSurfaceFormat GlViewport::default_surface_format() {
  QSurfaceFormat format;
  format.setRenderableType(QSurfaceFormat::OpenGL);
  format.setVersion(3, 2);
  format.setProfile(QSurfaceFormat::CoreProfile);
  format.setDepthBufferSize(24);
  format.setAlphaBufferSize(8);
  format.setStencilBufferSize(8);
  format.setSamples(0);
  return format;
}

GlViewport::GlViewport(QWidget* parent) : QOpenGLWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  EglContext::on_conflict([] {
    if (QOpenGLContext* other = QOpenGLContext::currentContext()) other->doneCurrent();
  });
  window_ = vtkSmartPointer<HostRenderWindow>::New();
  window_->SetAlphaBitPlanes(1);
  window_->SetMultiSamples(0);
  // QOpenGLWidget::makeCurrent() would bind Qt's framebuffer while VTK builds its own: the context alone is made
  // current, and only if it is not.
  window_->make_context_current = [this] {
    QOpenGLContext* c = context();
    if (c != nullptr && QOpenGLContext::currentContext() != c) c->makeCurrent(c->surface());
  };
  window_->context_is_current = [this] {
    return context() != nullptr && QOpenGLContext::currentContext() == context();
  };
}

GlViewport::~GlViewport() {
  release();
  window_->make_context_current = nullptr;
  window_->context_is_current = nullptr;
}

void GlViewport::release() {
  const bool usable = ready_ && context() != nullptr;
  if (usable) makeCurrent();
  if (scene_) {
    scene_->detach(*window_);
    scene_->wants_render = nullptr;
    scene_ = nullptr;
  }
  if (usable) {
    window_->Finalize();
    doneCurrent();
  }
  ready_ = false;
}

void GlViewport::set_scene(std::shared_ptr<Scene> scene) {
  const bool usable = ready_ && context() != nullptr;
  if (usable) makeCurrent();
  if (scene_) {
    scene_->detach(*window_);
    scene_->wants_render = nullptr;
  }
  scene_ = std::move(scene);
  if (scene_) {
    scene_->attach(*window_);
    scene_->wants_render = [this] { request_render(); };
  }
  if (usable) doneCurrent();
  update();
}

void GlViewport::initializeGL() {
  // Called again when the widget moves to another window: VTK's objects belong to the context that goes.
  QObject::connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] {
    if (!ready_) return;
    makeCurrent();
    window_->Finalize();
    doneCurrent();
    ready_ = false;
  });
  ready_ = window_->init_context();
  if (!ready_) {
    problem_ = "the graphics driver has no OpenGL 3.2; start with --viewport raster";
    return;
  }
  problem_.clear();
  renderer_ = window_->query_renderer();
  is_software_ = draws_in_software(renderer_);
}

void GlViewport::resizeGL(int /*width*/, int /*height*/) {
  update();
}

void GlViewport::render_scene() {
  // By the ratio of the screen the widget is on now; Qt repaints when it changes.
  const double ratio = devicePixelRatioF();
  const int w = std::max(1, static_cast<int>(std::lround(width() * ratio)));
  const int h = std::max(1, static_cast<int>(std::lround(height() * ratio)));
  const int* size = window_->GetSize();
  if (size[0] != w || size[1] != h) window_->SetSize(w, h);
  if (scene_) scene_->layout(w, h, ratio);
  window_->Render();
}

void GlViewport::paintGL() {
  if (!ready_) return;
  vtkOpenGLState* state = window_->GetState();
  state->Reset();
  state->Push();
  const auto begin = std::chrono::steady_clock::now();
  render_scene();
  window_->MakeCurrent();
  window_->blit_to(defaultFramebufferObject());
  // A processor that draws does so while this waits; a card is not held up.
  if (is_software_) window_->WaitForCompletion();
  if (scene_) scene_->drawn(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  state->Pop();
  if (first_picture) std::exchange(first_picture, nullptr)();
  if (on_rendered) on_rendered();
}

Image GlViewport::grab() {
  const QImage picture = grabFramebuffer().convertToFormat(QImage::Format_RGBA8888);
  Image image{picture.width(), picture.height(), {}};
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int y = 0; y < image.height; ++y)
    std::copy_n(picture.constScanLine(y), 4 * image.width,
                image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 4);
  return image;
}

bool GlViewport::event(QEvent* event) {
  if (event->type() == QEvent::ScreenChangeInternal) update();
  if (const auto input = input_event(*event, devicePixelRatioF())) {
    if (!(on_input && on_input(*input)) && scene_ && scene_->handle(*input)) update();
    if (input->kind == InputKind::wheel || input->kind == InputKind::press || input->kind == InputKind::double_click) {
      if (input->kind != InputKind::wheel) setFocus(Qt::MouseFocusReason);
      event->accept();
      return true;
    }
  }
  return QOpenGLWidget::event(event);
}

}  // namespace conoid
