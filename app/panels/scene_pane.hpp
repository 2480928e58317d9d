// SPDX-License-Identifier: BSD-3-Clause
// One view of a field: its choices above the picture, the display choices beside it, tools for the mouse.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/run_model.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QActionGroup;
class QCheckBox;
class QComboBox;
class QFrame;
class QBoxLayout;
class QHBoxLayout;
class QKeyEvent;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace conoid::app {

class DisplayPanel;

/// The window's colours as scenes and charts take them.
[[nodiscard]] conoid::Theme picture_theme(const Theme& theme, const QString& background);

/// The field of a preview that only marks some cells: no scale belongs to it.
inline constexpr const char* mark_field = "chosen";

/// What the left mouse button does in the picture.
enum class MouseTool { turn, probe, profile, place, choose };

/// A view that a person has kept under a name.
struct SavedView {
  QString name;
  std::shared_ptr<CameraController> camera;
  FieldView view;
};

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
  [[nodiscard]] MouseTool tool() const { return tool_; }
  void show_display_panel(bool visible);
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
  /// Room for tools of the host at the right end of the head.
  [[nodiscard]] QHBoxLayout* tools() const { return tools_; }
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
  /// The kept views as text (JSON) and back; what cannot be read is left out.
  [[nodiscard]] QByteArray views_as_text() const;
  void set_views(const QByteArray& text);
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
  /// While a tool is in hand, arrows move its pointer (with Shift by little) and Enter or space clicks with it, as the mouse would;
  /// a line begins and ends with a click. False: another key, or no tool.
  bool point_by_key(const QKeyEvent& event);
  void show_pointer(bool visible);
  /// Two places to type while the tool for lines is in hand.
  void make_line_box();
  void place_line_box();
  void draw_typed_line();
  void draw_profile(const conoid::Vec3& begin, const conoid::Vec3& end);
  void make_head();
  void fit_head();
  void fit_display();
  void make_view_menu(QToolButton* button);
  void make_range_menu();
  void choose_field();
  void apply_view();
  void read_range();
  void refresh_range_text();
  void follow_ranges_of(RunModel& run);
  void refresh_display();
  /// What the run or the frame says of the field that is chosen; without a name if neither carries it.
  [[nodiscard]] FieldInfo chosen_info(const FieldView& view) const;
  void refresh_tools();
  void apply_theme();
  /// Draws a small grid and a triangle once before there is anything to see: what the renderer prepares for its first picture takes
  /// some 60 ms, which a run's first frame need not wait for.
  void warm_up();
  bool handle_tool(const InputEvent& event);
  void show_reading(const QString& text);
  /// Whether this is the end of a click; what is dragged turns the view.
  [[nodiscard]] bool is_click(const InputEvent& event);
  [[nodiscard]] std::optional<Vec3> place_under(const InputEvent& event);

  RunModel* run_;
  const Look& look_;
  std::shared_ptr<FieldScene> scene_;
  ViewportHost* viewport_ = nullptr;
  QWidget* head_;
  QBoxLayout* head_row_;
  QWidget* choices_;
  QWidget* toolbar_;
  QHBoxLayout* tools_;
  QStackedWidget* stack_;
  QLabel* empty_text_;
  QComboBox* field_;
  QComboBox* value_;
  QComboBox* part_of_complex_;
  QToolButton* range_;
  QCheckBox* auto_range_;
  QLineEdit* low_;
  QLineEdit* high_;
  QLabel* reading_;
  QFrame* line_box_ = nullptr;
  QLineEdit* line_from_ = nullptr;
  QLineEdit* line_to_ = nullptr;
  QLabel* pointer_;                     ///< of the keyboard, on the picture
  std::array<double, 2> pointer_at_{};  ///< device pixels
  DisplayPanel* display_;
  QToolButton* display_button_;
  QActionGroup* tool_group_;
  MouseTool tool_ = MouseTool::turn;
  std::optional<Vec3> line_begin_;
  std::array<double, 2> pressed_at_{};
  std::vector<SavedView> saved_;
  std::uint64_t wanted_ = 0, shown_ = 0;  ///< frames asked for and drawn, counted
  bool first_frame_ = true;
  double phase_ = 0;
  bool own_fields_ = false;
  bool marks_shown_ = false;  ///< the field is mark_field
  bool bar_before_ = true;    ///< whether the colour bar was shown before that
  QString choices_key_;
  QString title_;
};

}  // namespace conoid::app
