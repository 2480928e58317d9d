// SPDX-License-Identifier: BSD-3-Clause
// One more scene in a window of its own: its own field, camera and display, and the frame of the picture in the middle or another one.
#pragma once

#include <cstddef>

#include <QWidget>

#include "app/panels/scene_pane.hpp"

class QCheckBox;
class QLabel;
class QSlider;

namespace conoid::app {

class SceneWindow : public QWidget {
  Q_OBJECT
 public:
  SceneWindow(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent);
  [[nodiscard]] ScenePane& pane() { return *pane_; }
  /// The picture in the middle shows this frame now; a window that is not linked stays where it is.
  void follow(std::size_t index);
  /// Shows a frame of the run, once it has been read.
  void show_frame(std::size_t index);
  /// What there is to see without a run.
  void show_preview(const std::shared_ptr<const Frame>& frame);
  /// Another run begins, or is shown.
  void start_again(const QString& sentence);
  void set_linked(bool on);
  [[nodiscard]] bool is_linked() const;
  [[nodiscard]] std::size_t frame_index() const { return wanted_; }
  [[nodiscard]] QSlider& slider() { return *slider_; }

 signals:
  /// A linked window's slider was moved.
  void frame_wanted(std::size_t index);
  void close_wanted();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show_now();
  void refresh();

  RunModel& run_;
  ScenePane* pane_;
  QWidget* timeline_;
  QCheckBox* linked_;
  QSlider* slider_;
  QLabel* time_;
  std::size_t wanted_ = 0;
  bool waiting_ = false;  ///< for a frame that is being read from disk
};

}  // namespace conoid::app
