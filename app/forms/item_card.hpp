// SPDX-License-Identifier: BSD-3-Clause
// One element of a list or a map: a line that says what it is, unfolding to its form.
#pragma once

#include "app/forms/field_editor.hpp"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace conoid::app {

class ElidedLabel;
class StateDot;

class ItemCard : public QWidget {
  Q_OBJECT
 public:
  ItemCard(const FormContext& context, FieldEditor* editor, QWidget* parent);
  [[nodiscard]] FieldEditor* editor() const { return editor_; }
  void set_title(const QString& title, const QString& summary);
  void set_open(bool open);
  [[nodiscard]] bool is_open() const { return open_; }
  /// Room above the form for a name field.
  [[nodiscard]] QVBoxLayout* body() const { return body_column_; }
  void set_removable(bool removable);
  void refresh();

 signals:
  void remove_wanted();
  void toggled(bool open);

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  const FormContext& context_;
  FieldEditor* editor_;
  QToolButton* fold_;
  QToolButton* remove_;
  QLabel* title_;
  ElidedLabel* summary_;
  StateDot* dot_;
  QLabel* sentence_;
  QWidget* body_;
  QVBoxLayout* body_column_;
  bool open_ = false;
};

}  // namespace conoid::app
