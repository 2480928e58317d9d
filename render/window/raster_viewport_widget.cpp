// SPDX-License-Identifier: BSD-3-Clause
// Painting the picture and passing on the mouse.
#include "render/window/raster_viewport_widget.hpp"

#include <algorithm>
#include <utility>

#include <QEvent>
#include <QImage>
#include <QPainter>

#include "render/window/qt_input.hpp"
#include "render/window/turn.hpp"

namespace conoid {

RasterViewportWidget::RasterViewportWidget(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

RasterViewport* RasterViewportWidget::raster() const {
  if (raster_ || tried_) return raster_.get();
  tried_ = true;
  auto made = RasterViewport::make(640, 480, 1);
  if (!made) {
    problem_ = made.error().render();
    return nullptr;
  }
  raster_ = std::move(made).value();
  if (!scene_) return raster_.get();
  auto wish = scene_->wants_render;  // this widget's
  raster_->set_scene(scene_);
  scene_->wants_render = std::move(wish);
  return raster_.get();
}

RasterViewportWidget::~RasterViewportWidget() {
  if (scene_) scene_->wants_render = nullptr;
}

void RasterViewportWidget::set_scene(std::shared_ptr<Scene> scene) {
  if (scene_) scene_->wants_render = nullptr;
  scene_ = std::move(scene);
  if (raster_) raster_->set_scene(scene_);
  if (scene_) scene_->wants_render = [this] { request_render(); };
  request_render();
}

void RasterViewportWidget::request_render() {
  if (raster_) raster_->request_render();
  update();
  // Where the window holds its painting back (another theme), the picture is drawn in a turn of the event loop of its own, before that.
  if (updatesEnabled() || !raster_ || ahead_) return;
  ahead_ = true;
  in_free_turn(this, [this] {
    ahead_ = false;
    if (isVisible() && make_sized()) static_cast<void>(raster_->picture());
  });
}

bool RasterViewportWidget::make_sized() {
  if (!raster()) return false;
  const auto status = raster_->resize(std::max(1, width()), std::max(1, height()), devicePixelRatioF());
  return status.ok();
}

Image RasterViewportWidget::grab() {
  return make_sized() ? raster_->grab() : Image{};
}

std::string RasterViewportWidget::renderer_name() const {
  return raster() ? raster_->renderer_name() : std::string();
}

std::string RasterViewportWidget::problem() const {
  return raster() ? raster_->problem() : problem_;
}

void RasterViewportWidget::paint_last(QPainter& painter) {
  const Image& last = raster_->last_picture();
  if (last.empty()) return painter.fillRect(rect(), palette().window());
  painter.drawImage(rect(),
                    QImage(last.pixels.data(), last.width, last.height, 4 * last.width, QImage::Format_RGBA8888));
}

void RasterViewportWidget::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Image* image = nullptr;
  if (make_sized()) {
    // One picture is rendered in a turn of the event loop, so that none lasts long where several widgets change at the same time; the others show
    // what they have until it is their turn.
    if (raster_->wants_render() && turn_is_taken()) {
      in_free_turn(this, [this] { update(); });
      return paint_last(painter);
    }
    const TurnWork work;
    image = &raster_->picture();
  }
  if (image == nullptr || image->empty()) {
    painter.fillRect(rect(), palette().window());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                     QString::fromStdString(problem()));
    return;
  }
  QImage picture(image->pixels.data(), image->width, image->height, 4 * image->width, QImage::Format_RGBA8888);
  picture.setDevicePixelRatio(devicePixelRatioF());
  painter.drawImage(QPointF(0, 0), picture);
  if (on_rendered) on_rendered();
}

bool RasterViewportWidget::event(QEvent* event) {
  if (const auto input = input_event(*event, devicePixelRatioF())) {
    if (!(on_input && on_input(*input)) && raster_ && raster_->handle(*input)) update();
    if (input->kind == InputKind::wheel || input->kind == InputKind::press || input->kind == InputKind::double_click) {
      if (input->kind != InputKind::wheel) setFocus(Qt::MouseFocusReason);
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

}  // namespace conoid
