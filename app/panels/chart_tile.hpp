// SPDX-License-Identifier: BSD-3-Clause
// One chart with its title: beside another in the results, or a window of its own.
#pragma once

#include <memory>

#include <QWidget>

#include "app/look/theme.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QLabel;
class QToolButton;

namespace conoid::app {

/// How a table is seen, besides unit and style: what the buttons above the chart say.
struct ChartForms {
  bool spectrum = false, log = false, polar = false, difference = false, spectrogram = false;
};

class ChartTile : public QWidget {
  Q_OBJECT
 public:
  /// With `own_window` it has a frame of the desktop and goes when that is closed.
  ChartTile(const Look& look, ViewportKind kind, bool own_window, QWidget* parent);
  void show_chart(ChartSpec spec);
  [[nodiscard]] ChartScene& chart() { return *scene_; }
  [[nodiscard]] const std::shared_ptr<ChartScene>& scene() const { return scene_; }
  void draw();

  QString id;  ///< of the table
  ChartForms forms;

 signals:
  void close_wanted();

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  void apply_theme();
  const Look& look_;
  std::shared_ptr<ChartScene> scene_;
  ViewportHost* viewport_;
  QLabel* title_ = nullptr;
};

}  // namespace conoid::app
