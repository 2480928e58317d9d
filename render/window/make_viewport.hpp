// SPDX-License-Identifier: BSD-3-Clause
// Chooses the viewport that works on this platform.
#pragma once

#include <string>

#include "render/window/viewport.hpp"

class QWidget;

namespace conoid {

enum class ViewportKind { automatic, gl, raster };

/// "auto", "gl" or "raster" as in --viewport.
[[nodiscard]] Result<ViewportKind> parse_viewport_kind(std::string_view name);

/// Call before the QApplication is made: OpenGL 3.2 core for every widget.
void prepare_viewports();

/// What automatic is here: gl or raster.
[[nodiscard]] ViewportKind viewport_of_platform();

/// The widget belongs to `parent`; delete it like any widget. Automatic: xcb and wayland draw by OpenGL, every other
/// platform (offscreen, minimal, vnc …) by a picture in memory. If the program died inside OpenGL at its last start
/// (a flag file in the user's cache folder), automatic chooses the picture; viewport_note() then says so.
[[nodiscard]] ViewportHost* make_viewport(QWidget* parent, ViewportKind kind = ViewportKind::automatic);

/// What a person should know about the choice; empty when there is nothing.
[[nodiscard]] std::string viewport_note();

}  // namespace conoid
