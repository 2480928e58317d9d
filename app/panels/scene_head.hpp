// SPDX-License-Identifier: BSD-3-Clause
// What stands above a picture of a field: which field, the range of its colours, and tools. All of it in one row where the pane is
// wide, in two where it is not; in a narrow pane what does not fit goes into a menu.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QFrame>
#include <QToolButton>

#include "app/look/theme.hpp"
#include "app/panels/mouse_tools.hpp"
#include "render/scene/field_values.hpp"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLineEdit;
class QPushButton;

namespace conoid::app {

/// "0 … 6 mA/m", with a menu where another range is typed.
class ColourRangeButton : public QToolButton {
  Q_OBJECT
 public:
  explicit ColourRangeButton(const Look& look, QWidget* parent = nullptr);
  /// The range that the picture has, in SI units, and the unit of its field.
  void show_range(double low, double high, const std::string& unit);
  [[nodiscard]] bool fixed() const;
  [[nodiscard]] double low() const;
  [[nodiscard]] double high() const;
  /// Back to the range of the field.
  void follow_field();
  /// The words, or the arrow alone.
  void set_brief(bool brief);
  [[nodiscard]] int wide() const;    ///< pixels with its words
  [[nodiscard]] int narrow() const;  ///< pixels without

 signals:
  void edited();
  void reset_wanted();

 private:
  void read();
  /// What is typed, in SI; none of what cannot be read.
  [[nodiscard]] std::optional<double> end_of(const QLineEdit& edit) const;
  QCheckBox* follows_;
  QLineEdit* low_;
  QLineEdit* high_;
  std::pair<double, double> shown_{0, 1};
  std::string unit_ = "1";
};

class SceneHead : public QFrame {
  Q_OBJECT
 public:
  explicit SceneHead(const Look& look, QWidget* parent = nullptr);

  /// Part and field of every choice; what was chosen stays so where it is still offered. False: these are the ones of before.
  bool set_fields(const std::vector<std::pair<std::string, FieldInfo>>& fields);
  void clear_fields();
  /// Chooses a field by name; false where it is not offered.
  bool choose(const QString& field);
  [[nodiscard]] QString field_text() const;
  /// Part and name of the field; empty without one.
  [[nodiscard]] std::pair<std::string, std::string> chosen() const;
  [[nodiscard]] bool chosen_is_complex() const;
  /// Component and part of a complex field; the angle is not chosen here.
  [[nodiscard]] ValueSelection value() const;
  [[nodiscard]] ColourRangeButton& range() const { return *range_; }
  /// Without a picture there is nothing to choose, to turn, to read or to save.
  void set_picture(bool any, bool has_range);
  void show_tool(MouseTool tool);
  /// By the id of its row; null: there is none, or it has no button.
  [[nodiscard]] QToolButton* tool_button(const QString& id) const;
  void show_display_open(bool open);
  /// Its menu is filled by the pane.
  [[nodiscard]] QToolButton* views_button() const { return views_; }
  /// A button of the host, at the right end.
  void add_tool(QToolButton* button);
  /// Lays everything out for the width at hand; after whatever changes what is shown.
  void fit();
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void field_chosen();
  void value_chosen();
  void complex_part_chosen();
  void tool_chosen(conoid::app::MouseTool tool);
  void fit_wanted();
  void display_wanted(bool open);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fill_components();
  void fill_more();
  void lay_out(const QWidgetList& upper, const QWidgetList& lower);

  const Look& look_;
  QHBoxLayout* upper_;
  QHBoxLayout* lower_;
  QComboBox* field_;
  QComboBox* component_;
  QComboBox* part_of_complex_;
  ColourRangeButton* range_;
  QList<QToolButton*> tools_;
  QList<QToolButton*> in_menu_;
  QToolButton* views_;
  QToolButton* display_;
  QToolButton* more_;
  QString fields_key_;
  QWidgetList upper_now_, lower_now_;
  bool picture_ = false, has_range_ = false;
};

}  // namespace conoid::app
