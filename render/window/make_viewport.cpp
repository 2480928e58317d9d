// SPDX-License-Identifier: BSD-3-Clause
// The choice by platform name, and the flag that remembers a crash inside OpenGL.
#include "render/window/make_viewport.hpp"

#include <memory>

#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QStandardPaths>
#include <QSurfaceFormat>

#include "render/window/gl_viewport.hpp"
#include "render/window/raster_viewport_widget.hpp"

namespace conoid {

namespace {

std::string note;  // of the last choice

QString flag_file() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + "/conoid/drawing-by-opengl";
}

bool died_in_gl() {
  return QFile::exists(flag_file());
}

void raise_flag() {
  QDir().mkpath(QFileInfo(flag_file()).absolutePath());
  QFile file(flag_file());
  if (file.open(QIODevice::WriteOnly)) file.write("removed after the first picture\n");
}

}  // namespace

Result<ViewportKind> parse_viewport_kind(std::string_view name) {
  if (name == "auto") return ViewportKind::automatic;
  if (name == "gl") return ViewportKind::gl;
  if (name == "raster") return ViewportKind::raster;
  return make_error(ErrorCode::command_line, "there is no viewport \"" + std::string(name) + "\"",
                    "Viewports: auto, gl, raster.");
}

void prepare_viewports() {
  QSurfaceFormat::setDefaultFormat(GlViewport::default_surface_format());
}

ViewportKind viewport_of_platform() {
  const QString platform = QGuiApplication::platformName();
  return platform == "xcb" || platform.startsWith("wayland") ? ViewportKind::gl : ViewportKind::raster;
}

ViewportHost* make_viewport(QWidget* parent, ViewportKind kind) {
  note.clear();
  static bool drawn = false;  // a picture was made by OpenGL in this process
  if (kind == ViewportKind::automatic) {
    kind = viewport_of_platform();
    if (kind == ViewportKind::gl && !drawn && died_in_gl()) {
      kind = ViewportKind::raster;
      note =
          "The last start ended while drawing by OpenGL, so pictures are drawn in memory now. "
          "Start with --viewport gl to try OpenGL again.";
    }
  }
  if (kind == ViewportKind::raster) return new RasterViewportWidget(parent);
  auto* view = new GlViewport(parent);
  if (!drawn) {
    raise_flag();
    view->first_picture = [] {
      drawn = true;
      QFile::remove(flag_file());
    };
  }
  return view;
}

std::string viewport_note() {
  return note;
}

}  // namespace conoid
