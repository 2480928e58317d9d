// SPDX-License-Identifier: BSD-3-Clause
// The picture in the middle: field chooser, colour range, time, and a line to scrub over the frames that came.
#pragma once

#include <memory>

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/case_model.hpp"
#include "app/model/run_model.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/theme.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace conoid::app {

class FigureLabel;

/// The window's colours as scenes and charts take them.
[[nodiscard]] conoid::Theme picture_theme(const Theme& theme, const QString& background);
/// A moment as people read it: "12.4 ms", "2 GHz", "iteration 12".
[[nodiscard]] QString moment_text(const Frame& frame);

class ViewportPanel : public QWidget {
  Q_OBJECT
 public:
  ViewportPanel(RunModel& run, CaseModel& model, const Look& look, ViewportKind kind, QWidget* parent = nullptr);

  void fit();
  /// Asks for a file and saves the picture as it is seen.
  void save_picture();
  [[nodiscard]] ViewportHost* viewport() const { return viewport_; }
  [[nodiscard]] FieldScene& scene() { return *scene_; }
  /// Whether the newest frame of the run has been drawn.
  [[nodiscard]] bool is_up_to_date() const { return shown_ == wanted_ && !waiting_; }
  [[nodiscard]] Image picture() { return viewport_->grab(); }

 private:
  QWidget* make_tools();
  QWidget* make_empty();
  QWidget* make_timeline();
  void follow_run();
  void show_frame(std::size_t index);
  void show_choices();
  void choose_field();
  void apply_view();
  void read_range();
  void refresh_timeline();
  void refresh_markers();
  void refresh_range_text();
  void apply_theme();

  RunModel& run_;
  CaseModel& model_;
  const Look& look_;
  std::shared_ptr<FieldScene> scene_;
  ViewportHost* viewport_ = nullptr;
  QStackedWidget* stack_;
  QLabel* empty_text_;
  QComboBox* field_;
  QComboBox* value_;
  QToolButton* range_;
  QCheckBox* auto_range_;
  QLineEdit* low_;
  QLineEdit* high_;
  QToolButton* live_;
  QSlider* slider_;
  FigureLabel* time_;
  std::uint64_t wanted_ = 0, shown_ = 0;  ///< frames asked for and drawn, counted
  bool waiting_ = false;
  bool following_ = true;
  bool first_frame_ = true;
  QString choices_key_;
};

}  // namespace conoid::app
