// SPDX-License-Identifier: BSD-3-Clause
// One view of a field: its choices above the picture, the display choices beside it, tools for the mouse.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/run_model.hpp"
#include "app/panels/scene_tools.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/saved_view.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QKeyEvent;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace conoid::app {

class DisplayPanel;
class SceneHead;

/// The window's colours as scenes and charts take them.
[[nodiscard]] conoid::Theme picture_theme(const Theme& theme, const QString& background);

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
  [[nodiscard]] DisplayPanel& display_panel() { return *display_; }
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

  [[nodiscard]] const std::vector<SavedView>& saved_views() const { return saved_; }
  /// The kept views as text (JSON) and back; of a text that cannot be read none is kept.
  [[nodiscard]] QByteArray views_as_text() const;
  Status set_views(const QByteArray& text);
  /// Adds those of a file; a name that is there already is replaced.
  [[nodiscard]] Status read_views(const std::filesystem::path& file);
  void save_view(const QString& name);
  void restore_view(std::size_t index);

 signals:
  void camera_moved();
  void views_changed();
  void probed(const conoid::Probe& probe);
  /// A click with the tool that reads values: this one is to be kept in the picture.
  void value_kept(const conoid::Probe& probe);
  void profile_drawn(const std::vector<conoid::ProfilePoint>& points, const QString& label, const QString& unit);
  void place_chosen(const conoid::Vec3& place);
  /// A source, a receiver or a wave was dragged; of a wave `direction` is where it runs now.
  void marker_moved(const conoid::Marker& marker, const conoid::Vec3& place, const conoid::Vec3& direction);
  void marker_chosen(const conoid::Marker& marker);
  /// A click on something that is drawn, with the tool that chooses faces.
  void face_chosen(const conoid::Vec3& place);
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
  void connect_tools();
  void fit_display();
  void make_view_menu();
  void ask_where_to_save_views();
  void ask_for_views();
  void apply_view();
  void offer_far_fields();
  void take_far_field(FieldView& view);
  void refresh_head();
  void follow_ranges_of(RunModel& run);
  void refresh_display();
  /// What the run or the frame says of the field that is chosen; without a name if neither carries it.
  [[nodiscard]] FieldInfo chosen_info(const FieldView& view) const;
  void apply_theme();
  /// What can be done at a place of the picture.
  void show_place_menu(const Vec3& place, const std::optional<Probe>& probe);

  RunModel* run_;
  const Look& look_;
  std::shared_ptr<FieldScene> scene_;
  ViewportHost* viewport_ = nullptr;
  SceneHead* head_;
  SceneTools* tools_ = nullptr;
  QStackedWidget* stack_;
  QLabel* empty_text_;
  DisplayPanel* display_;
  std::vector<SavedView> saved_;
  std::uint64_t wanted_ = 0, shown_ = 0;  ///< frames asked for and drawn, counted
  bool first_frame_ = true;
  double phase_ = 0;
  bool own_fields_ = false;
  bool marks_shown_ = false;  ///< the field is mark_field
  bool bar_before_ = true;    ///< whether the colour bar was shown before that
  QString title_, far_key_;
  std::optional<FrameRecipe> unfit_;  ///< the last one that could not be made of the frame
};

}  // namespace conoid::app
