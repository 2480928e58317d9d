// SPDX-License-Identifier: BSD-3-Clause
// Translation of events.
#include "render/window/qt_input.hpp"

#include <QMouseEvent>
#include <QWheelEvent>

namespace conoid {

namespace {

MouseButton button_of(Qt::MouseButton button) {
  switch (button) {
    case Qt::LeftButton: return MouseButton::left;
    case Qt::MiddleButton: return MouseButton::middle;
    case Qt::RightButton: return MouseButton::right;
    default: return MouseButton::none;
  }
}

MouseButton held(Qt::MouseButtons buttons) {
  for (const auto button : {Qt::LeftButton, Qt::MiddleButton, Qt::RightButton})
    if (buttons.testFlag(button)) return button_of(button);
  return MouseButton::none;
}

}  // namespace

std::optional<InputEvent> input_event(const QEvent& event, double pixel_ratio) {
  InputEvent out;
  switch (event.type()) {
    case QEvent::MouseButtonPress: out.kind = InputKind::press; break;
    case QEvent::MouseButtonRelease: out.kind = InputKind::release; break;
    case QEvent::MouseButtonDblClick: out.kind = InputKind::double_click; break;
    case QEvent::MouseMove: out.kind = InputKind::move; break;
    case QEvent::Wheel: out.kind = InputKind::wheel; break;
    case QEvent::Leave: out.kind = InputKind::leave; return out;
    default: return std::nullopt;
  }
  const auto& pointer = static_cast<const QSinglePointEvent&>(event);
  out.x = pointer.position().x() * pixel_ratio;
  out.y = pointer.position().y() * pixel_ratio;
  out.shift = pointer.modifiers().testFlag(Qt::ShiftModifier);
  out.control = pointer.modifiers().testFlag(Qt::ControlModifier);
  if (out.kind == InputKind::wheel)
    out.wheel = static_cast<const QWheelEvent&>(event).angleDelta().y() / 120.0;
  else
    out.button = out.kind == InputKind::move ? held(pointer.buttons()) : button_of(pointer.button());
  return out;
}

}  // namespace conoid
