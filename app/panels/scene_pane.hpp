// SPDX-License-Identifier: BSD-3-Clause
// One view of a field: its choices above the picture, the display choices beside it, tools for the mouse.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/run_model.hpp"
#include "app/model/run_values.hpp"
#include "app/panels/scene_tools.hpp"
#include "app/panels/scene_views.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QHBoxLayout;
class QKeyEvent;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace conoid::app {

class DisplayPanel;
class SceneHead;

/// The field of a preview that only marks some cells: no scale belongs to it.
inline constexpr const char* mark_field = "chosen";

class ScenePane : public QWidget {
  Q_OBJECT
 public:
  ScenePane(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent = nullptr);
  ~ScenePane() override;

  /// Shows a frame; the first one after clear() chooses field and camera.
  void show_frame(const std::shared_ptr<const Frame>& frame);
  /// No frame: a sentence instead of the picture.
  void clear(const QString& sentence);
  void set_sentence(const QString& sentence);
  /// Fields that may be chosen, also those that the frame at hand does not carry.
  void show_choices();
  /// Whether only fields of the frame at hand are offered (a preview), not those of the run.
  void set_own_fields(bool own) { own_fields_ = own; }
  /// Chooses a field by name, where it is offered.
  void choose(const QString& field);
  void fit();
  void look_from(StandardView view);
  void set_tool(MouseTool tool);
  [[nodiscard]] MouseTool tool() const { return tools_->tool(); }
  [[nodiscard]] SceneTools& tools() { return *tools_; }
  void show_display_panel(bool visible);
  /// Made when it is first asked for: it has as many widgets as all the rest of the pane, and most panes never show it.
  [[nodiscard]] DisplayPanel& display_panel();
  [[nodiscard]] bool display_panel_visible() const;
  [[nodiscard]] bool has_picture() const;
  [[nodiscard]] bool is_up_to_date() const { return shown_ == wanted_; }
  [[nodiscard]] ViewportHost* viewport() const { return viewport_; }
  [[nodiscard]] FieldScene& scene() { return *scene_; }
  /// The picture being looked at as a scene of its own, for any size.
  [[nodiscard]] std::shared_ptr<FieldScene> copy_of_scene() const { return scene_->copy(); }
  [[nodiscard]] Image picture() { return viewport_->grab(); }
  /// Puts it on the clipboard (Ctrl+C while it has the focus).
  void copy_picture();
  /// A complex field whose phase can run.
  [[nodiscard]] bool can_animate_phase() const;
  void set_phase(double angle);
  [[nodiscard]] double phase() const;
  /// A tool of the host, at the right end of the head.
  void add_tool(QToolButton* button);
  [[nodiscard]] QString field_text() const;
  void set_markers(std::vector<Marker> markers);
  /// Texts with places; they stay whatever frame or field is shown.
  void set_annotations(std::vector<Annotation> annotations);
  /// Takes over the other's camera and draws.
  void follow_camera(const ScenePane& other);
  [[nodiscard]] RunModel& run() { return *run_; }
  /// Shows fields of another run from now on.
  void set_run(RunModel& run);
  /// Stands above the picture: of two that are compared, whose it is.
  void set_title(const QString& title);
  /// Makes the colours span at least this, where their range is not fixed.
  void widen_range(std::pair<double, double> range);
  /// Takes the range that is known of all frames.
  void take_range(std::pair<double, double> range);

  [[nodiscard]] SceneViews& views() { return *views_; }
  /// Whether the case keeps so many points of a volume; without it nothing is offered.
  std::function<bool(double points)> keeps_points;
  /// What can be asked of the frames in the run's folder about the field that is shown; nothing while the run goes on, and of fields that are in
  /// no frame (a mesh's, a far field around the body).
  [[nodiscard]] std::optional<ValuesQuestion> question() const;
  /// Whether this can be asked at all: not of a pane that shows a difference.
  void set_asks_values(bool on) { asks_values_ = on; }

 signals:
  void camera_moved();
  void probed(const conoid::Probe& probe);
  /// A click with the tool that reads values: this one is to be kept in the picture.
  void value_kept(const conoid::Probe& probe);
  /// `moment`: of the frame, "t = 2 ms".
  void profile_drawn(const std::vector<conoid::ProfilePoint>& points, const QString& label, const QString& unit,
                     const QString& moment);
  /// SceneTools::profile_followed.
  void profile_followed(const std::vector<conoid::ProfilePoint>& points, const QString& label, const QString& unit,
                        const QString& moment, bool whole);
  /// The values of the field at a place are wanted of all frames; without a place somebody is to be asked where.
  void values_wanted(const std::optional<conoid::Vec3>& place);
  void place_chosen(const conoid::Vec3& place);
  /// A source, a receiver or a wave was dragged; of a wave `direction` is where it runs now.
  void marker_moved(const conoid::Marker& marker, const conoid::Vec3& place, const conoid::Vec3& direction);
  void marker_chosen(const conoid::Marker& marker);
  /// SceneTools::condition_dropped.
  void condition_dropped(const conoid::Marker& from, const conoid::Marker& onto);
  void annotations_changed();
  /// A click on something that is drawn, with the tool that chooses faces.
  void face_chosen(const conoid::Vec3& place);
  /// The choices of how the field is shown have come, or gone.
  void display_shown(bool visible);
  /// All points of the volume are wanted, of which the frame has fewer.
  void whole_wanted(double points);
  void field_chosen();
  void range_changed();
  void troubled(const QString& text, const QString& hint);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// Arrows turn, with Shift they move, plus and minus come nearer and go away; false: another key.
  bool move_by_key(const QKeyEvent& event);
  void connect_head();
  /// What a profile shows, in which unit, and of which moment.
  [[nodiscard]] std::array<QString, 3> profile_words() const;
  void connect_tools();
  void fit_display();
  void connect_views();
  void apply_view();
  /// Field, value and range as they are chosen above the picture.
  void take_head(FieldView& view);
  /// A field by a formula that is there no more gives way to the first that needs no making. True: the field is made of others.
  bool leave_what_is_made_no_longer(FieldView& view) const;
  void take_far_field(FieldView& view);
  void refresh_head();
  void follow_ranges_of(RunModel& run);
  void refresh_display();
  /// What the run or the frame says of the field that is chosen; without a name if neither carries it.
  [[nodiscard]] FieldInfo chosen_info(const FieldView& view) const;
  void apply_theme();
  /// What can be done at a place of the picture.
  void show_place_menu(const Vec3& place, const std::optional<Probe>& probe, int annotation);
  /// Asks for the text of one of the view's annotations, or of a new one at a place (−1).
  void ask_for_annotation(const Vec3& place, int annotation);

  RunModel* run_;
  const Look& look_;
  std::shared_ptr<FieldScene> scene_;
  ViewportHost* viewport_ = nullptr;
  SceneHead* head_;
  SceneTools* tools_ = nullptr;
  SceneViews* views_ = nullptr;
  QStackedWidget* stack_;
  QLabel* empty_text_;
  QHBoxLayout* row_;  ///< the picture, and what is beside it
  DisplayPanel* display_ = nullptr;
  std::uint64_t wanted_ = 0, shown_ = 0;  ///< frames asked for and drawn, counted
  bool first_frame_ = true;
  double phase_ = 0;
  bool own_fields_ = false;
  bool asks_values_ = false;
  bool marks_shown_ = false;  ///< the field is mark_field
  bool bar_before_ = true;    ///< whether the colour bar was shown before that
  QString title_, far_key_;
  std::optional<FrameRecipe> unfit_;  ///< the last one that could not be made of the frame
};

}  // namespace conoid::app
