// SPDX-License-Identifier: BSD-3-Clause
// The picture in the middle: one view or two with linked cameras, and a time line to play, step and scrub over frames.
#pragma once

#include <memory>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "app/model/case_model.hpp"
#include "app/model/run_model.hpp"
#include "app/panels/capture_dialog.hpp"
#include "app/panels/scene_pane.hpp"

class QLabel;
class QSlider;
class QSplitter;
class QToolButton;

namespace conoid::app {

class FigureLabel;
class SceneWindow;

/// A moment as people read it: "12.4 ms", "2 GHz", "iteration 12".
[[nodiscard]] QString moment_text(const Moment& moment);

class ViewportPanel : public QWidget {
  Q_OBJECT
 public:
  ViewportPanel(RunModel& run, CaseModel& model, const Look& look, ViewportKind kind, QWidget* parent = nullptr);

  void fit();
  /// Asks for size and file and saves the picture; of the pane in the middle, or of another.
  void save_picture(ScenePane* of = nullptr);
  void save_film();
  /// The same without asking.
  Status write_picture(const QString& file, const CaptureChoice& choice, ScenePane* of = nullptr);
  /// One more scene in a window of its own, which begins with what is seen here; null: there are eight already.
  SceneWindow* add_scene();
  [[nodiscard]] const std::vector<SceneWindow*>& scenes() const { return scenes_; }
  /// Geometry to be seen as long as there is no run: the mesh, with groups or quality as fields.
  void set_preview(std::shared_ptr<const Frame> frame);
  /// One field of the preview, with marks besides those of the case.
  void show_preview_field(const QString& field, std::vector<Marker> marks);
  /// Conditions at boundaries, and the rim of the side that is spoken of, besides what else is marked; none: they go.
  void set_conditions(std::vector<Marker> marks, std::vector<Vec3> rim);
  [[nodiscard]] bool shows_preview() const { return previewing_; }
  void set_split(bool on);
  [[nodiscard]] bool is_split() const;
  /// Two views: this run at the left, another at the right, at the same moment. Null: back to one run.
  void compare_with(RunModel* other, const QString& title = {}, const QString& own = {});
  /// Of two runs: the second view shows the second less the first, point by point at the first's moment.
  void set_difference(bool on);
  void play(bool on);
  [[nodiscard]] bool is_playing() const { return play_timer_.isActive(); }
  void step(int frames);
  void show_frame(std::size_t index);
  [[nodiscard]] std::size_t frame_index() const;

  [[nodiscard]] ScenePane& pane() { return *main_; }
  [[nodiscard]] ScenePane* second_pane() { return second_; }
  [[nodiscard]] ViewportHost* viewport() const { return main_->viewport(); }
  [[nodiscard]] FieldScene& scene() { return main_->scene(); }
  /// Whether the newest frame wanted has been drawn.
  [[nodiscard]] bool is_up_to_date() const;
  /// That, and the other run of a comparison has its picture and its range.
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] Image picture() { return main_->picture(); }

 signals:
  void profile_drawn(const std::vector<conoid::ProfilePoint>& points, const QString& label, const QString& unit,
                     const QString& moment);
  void profile_followed(const std::vector<conoid::ProfilePoint>& points, const QString& label, const QString& unit,
                        const QString& moment, bool whole);
  void place_chosen(const conoid::Vec3& place);
  void split_changed(bool on);
  void difference_changed(bool on);
  /// The choices of how a field is shown stand beside a picture, or no longer beside any.
  void display_shown(bool visible);
  /// The picture now shows this moment of the run.
  void moment_shown(const conoid::app::Moment& moment);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_timeline();
  ScenePane* make_second();
  void offer_whole(ScenePane& pane);  ///< of volumes that frames thin
  void remove_scene(SceneWindow* scene);
  void move_mark(const Marker& marker, const Vec3& place, const Vec3& direction);
  void follow_run();
  void show_now(std::size_t index);
  void show_in_second();
  void share_annotations(ScenePane* pane);  ///< all panes and windows show the same texts
  void share_range();
  /// Above the difference: whose it is, and of which moments where they are not the same.
  void name_difference(const Moment& of_other);
  void tick();
  void refresh_timeline();
  void refresh_markers();
  void forget_kept();
  /// The box of a case without a mesh, as its check tells it.
  void refresh_box();
  [[nodiscard]] const std::shared_ptr<const Frame>& preview() const { return preview_ ? preview_ : box_; }
  void log(LogLevel level, const QString& text, const QString& hint = {});

  RunModel& run_;
  RunModel* other_ = nullptr;
  CaseModel& model_;
  const Look& look_;
  ViewportKind kind_;
  QSplitter* splitter_;
  ScenePane* main_;
  ScenePane* second_ = nullptr;
  std::vector<SceneWindow*> scenes_;  ///< in windows of their own
  int scenes_made_ = 0;
  QWidget* timeline_;
  QToolButton* split_;
  QToolButton* previous_;
  QToolButton* play_;
  QToolButton* next_;
  QToolButton* loop_;
  QToolButton* live_;
  QToolButton* film_;
  QSlider* slider_;
  FigureLabel* time_;
  QTimer play_timer_;
  std::shared_ptr<const Frame> preview_;
  std::shared_ptr<const Frame>
      box_;  ///< a grid without fields: sources and receivers have a place before anything is computed
  std::vector<Marker> marks_;  ///< besides those of the case
  std::vector<Marker> conditions_;
  std::vector<Marker> kept_;  ///< values that were clicked: true for this frame and this field only
  std::size_t wanted_index_ = 0;
  bool waiting_ = false;  ///< for a frame that is being read from disk
  bool following_ = true;
  bool previewing_ = false;
  bool difference_ = false;
  QString other_title_, own_title_, second_title_;
};

}  // namespace conoid::app
