// SPDX-License-Identifier: BSD-3-Clause
// A window as tests of it want one: with the samples of the tree, drawing without a GPU, asking nothing; and a home for what it keeps.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include <QDir>
#include <QTemporaryDir>
#include <QWidget>

#include "app/model/gallery.hpp"
#include "app/window/main_window.hpp"

namespace conoid::app::test {

inline std::filesystem::path samples() {
  return std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases";
}

inline SampleCard quickest_sample() {
  SampleCard best;
  for (SampleCard& card : load_gallery(samples()))
    if (card.available && (best.case_file.empty() || card.seconds < best.seconds)) best = std::move(card);
  return best;
}

/// A picture for people, in the build's folder of pictures.
inline void keep_picture(QWidget& widget, const QString& name) {
  const QString kept = QStringLiteral(CONOID_BIN_DIR "/../pictures");
  if (QDir().mkpath(kept) && !widget.grab().save(kept + '/' + name)) qFatal("no picture");
}

/// From here on nothing that a window keeps goes to the home of who runs the test.
inline void keep_below(const QTemporaryDir& folder) {
  for (const char* name : {"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"})
    qputenv(name, folder.filePath(name).toUtf8());
}

inline WindowOptions quiet_options() {
  WindowOptions options;
  options.samples = samples();
  options.viewport = ViewportKind::raster;
  options.asks = false;
  return options;
}

inline std::unique_ptr<MainWindow> shown_window(Look& look, Settings& settings,
                                                WindowOptions options = quiet_options()) {
  auto window = std::make_unique<MainWindow>(look, settings, std::move(options));
  window->show();
  return window;
}

}  // namespace conoid::app::test
