// SPDX-License-Identifier: BSD-3-Clause
// What the left mouse button, or the keyboard in its place, does in a picture of a field: read values, draw a line, place a receiver,
// choose a face, measure lengths and angles; with the line of text that says what comes of it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "app/look/theme.hpp"
#include "app/panels/mouse_tools.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/viewport.hpp"

class QFrame;
class QKeyEvent;
class QLabel;
class QLineEdit;

namespace conoid::app {

/// "Pressure 3.2 mPa at (1.2, 0, 3.4) m" in the language of the window.
[[nodiscard]] QString probe_text(const Probe& probe);

class SceneTools : public QObject {
  Q_OBJECT
 public:
  /// Lays its texts over the viewport's widget; scene and viewport outlive it.
  SceneTools(FieldScene& scene, ViewportHost& viewport, const Look& look, QObject* parent = nullptr);

  [[nodiscard]] MouseTool tool() const { return tool_; }
  void take(MouseTool tool);
  /// Without a picture there is nothing to point at.
  void set_picture(bool any) { picture_ = any; }
  /// True: the event was the tool's and does not turn the view.
  [[nodiscard]] bool handle(const InputEvent& event);
  /// While a tool is in hand, arrows move its pointer (with Shift by little) and Enter or space clicks with it, as the mouse would;
  /// a line begins and ends with a click. False: another key, or no tool.
  [[nodiscard]] bool handle_key(const QKeyEvent& event);
  void hide_pointer() { show_pointer(false); }
  /// After the picture has changed its size.
  void place_texts();
  /// After another frame or field: the values along the line that was drawn last, and along a field that is one itself.
  void follow_frame();
  /// No line is followed any more.
  void forget_profile() { profile_.reset(); }
  /// Takes the ruler with its first place given.
  void measure_from(const Vec3& place);
  /// Places that the ruler stands at, at most three.
  [[nodiscard]] const std::vector<Vec3>& measured() const { return measured_; }
  [[nodiscard]] QString reading() const;
  /// Drawn anew in the colours of the theme.
  void apply_theme();

 signals:
  void probed(const conoid::Probe& probe);
  /// A click with the tool that reads values: this one is to be kept in the picture.
  void value_kept(const conoid::Probe& probe);
  void profile_drawn(const std::vector<conoid::ProfilePoint>& points);
  /// The same line through another frame or another field; `whole`: the one that a field in one dimension lies on, from end to end.
  void profile_followed(const std::vector<conoid::ProfilePoint>& points, bool whole);
  void place_chosen(const conoid::Vec3& place);
  /// A click on something that is drawn, with the tool that chooses faces.
  void face_chosen(const conoid::Vec3& place);
  /// A click with the right button, whatever the tool: what can be done there.
  /// A marker that has a key was dragged to a place.
  void marker_moved(const conoid::Marker& marker, const conoid::Vec3& place);
  /// The mark of a condition was let go on that of another boundary.
  void condition_dropped(const conoid::Marker& from, const conoid::Marker& onto);
  /// A click on what the case has there.
  void marker_chosen(const conoid::Marker& marker);
  /// `annotation`: which of the view's stands under the cursor; −1: none.
  void menu_wanted(const conoid::Vec3& place, const std::optional<conoid::Probe>& probe, int annotation);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_pointer(bool visible);
  void show_reading(const QString& text);
  void name_marker(const std::string& name);
  bool drag_condition(const InputEvent& event);
  /// Places to type while the tool for lines or the ruler is in hand.
  void make_line_box();
  void place_line_box();
  void take_typed_places();
  void draw_line(const Vec3& begin, const Vec3& end);
  void draw_profile(const Vec3& begin, const Vec3& end);
  /// What another thread has found along the line of a frame; the next frame that waits is looked through then.
  void followed(Result<std::vector<ProfilePoint>> points, bool whole, double from);
  void take_followed(Result<std::vector<ProfilePoint>> points, bool whole, double from);
  /// Whether this is the end of a click; what is dragged turns the view.
  [[nodiscard]] bool is_click(const InputEvent& event, MouseButton button = MouseButton::left);
  [[nodiscard]] bool handle_probe(const InputEvent& event);
  [[nodiscard]] bool handle_line(const InputEvent& event);
  void handle_measure(const InputEvent& event);
  /// With no tool in hand: markers are dragged. True while one is.
  [[nodiscard]] bool handle_drag(const InputEvent& event);
  void show_measured(const std::vector<Vec3>& places);
  /// A click with the right button that was no drag.
  void handle_menu(const InputEvent& event);
  [[nodiscard]] std::optional<Vec3> place_under(const InputEvent& event);

  FieldScene& scene_;
  ViewportHost& viewport_;
  const Look& look_;
  QWidget* picture_widget_;
  QLabel* reading_;
  QFrame* line_box_ = nullptr;
  QLineEdit* line_from_ = nullptr;
  QLineEdit* line_to_ = nullptr;
  QLineEdit* line_third_ = nullptr;
  std::vector<QLabel*> line_words_;
  std::vector<Vec3> measured_;
  QLabel* pointer_;                     ///< of the keyboard, on the picture
  std::array<double, 2> pointer_at_{};  ///< device pixels
  std::array<double, 2> pressed_at_{};
  MouseTool tool_ = MouseTool::turn;
  std::optional<Vec3> line_begin_;
  std::optional<std::array<Vec3, 2>> profile_;  ///< ends of the line whose values are a chart
  bool following_ = false;                      ///< another thread looks along the line
  std::function<void()> next_followed_;         ///< of the newest frame that came meanwhile
  bool picture_ = false;
  std::optional<Marker> dragged_;  ///< as it was
  std::string named_;              ///< the marker under the pointer, which is read
  std::size_t dragged_at_ = 0;
  bool drag_moved_ = false;
};

}  // namespace conoid::app
