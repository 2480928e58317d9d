// SPDX-License-Identifier: BSD-3-Clause
// Editors that fit on one line: quantities, integers, choices, switches, texts, files, vectors, rows of numbers.
#pragma once

#include <vector>

#include <QLineEdit>

#include "app/forms/field_editor.hpp"

class QCheckBox;
class QComboBox;

namespace conoid::app {

class FilePreview;

/// Undo and redo are a line's own only while something is being typed in it; what has been entered is taken back by the case's, by
/// the window's shortcut: whether `event` is such a key and not the line's to take.
[[nodiscard]] bool leaves_undo_to_the_case(const QLineEdit& line, const QEvent& event);

/// A line that shows the SI unit, faint, at its right end as long as what stands there has no unit of its own.
class UnitLineEdit : public QLineEdit {
  Q_OBJECT
 public:
  explicit UnitLineEdit(const Look& look, QString unit, QWidget* parent = nullptr);
  void set_wrong(bool wrong);
  /// Shows a text unless the user is typing another one just now.
  void show_value(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] bool shows_unit() const;
  [[nodiscard]] QString shown_unit() const;
  const Look& look_;
  QString unit_;
};

/// A number with or without a unit, or an integer. Emptying the field goes back to the default.
class NumberEdit : public FieldEditor {
  Q_OBJECT
 public:
  NumberEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
             QWidget* parent);
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;
  [[nodiscard]] QString typing_problem() const override { return problem_; }

 private:
  void check_typing();
  void commit();
  UnitLineEdit* line_;
  QString problem_;
};

/// Two to four numbers side by side.
class VectorEdit : public FieldEditor {
  Q_OBJECT
 public:
  VectorEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
             QWidget* parent);
  [[nodiscard]] int needed_width() const override;
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;

 private:
  void commit(std::size_t index);
  [[nodiscard]] Json current() const;
  std::vector<UnitLineEdit*> lines_;
};

/// Any number of numbers on one line, separated by commas.
class NumbersEdit : public FieldEditor {
  Q_OBJECT
 public:
  NumbersEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
              QWidget* parent);
  void refresh() override;

 private:
  void commit();
  UnitLineEdit* line_;
};

class TextEdit : public FieldEditor {
  Q_OBJECT
 public:
  TextEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
           QWidget* parent);
  void refresh() override;

 private:
  UnitLineEdit* line_;
};

/// A path, relative to the case's folder where the file lies below it.
class FileEdit : public FieldEditor {
  Q_OBJECT
 public:
  FileEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
           QWidget* parent);
  void refresh() override;

 private:
  void browse();
  UnitLineEdit* line_;
  FilePreview* preview_;
};

class ChoiceEdit : public FieldEditor {
  Q_OBJECT
 public:
  ChoiceEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
             QWidget* parent);
  void refresh() override;

 private:
  QComboBox* combo_;
};

class BooleanEdit : public FieldEditor {
  Q_OBJECT
 public:
  BooleanEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
              QWidget* parent);
  void refresh() override;

 private:
  QCheckBox* box_;
};

/// Raw JSON on one line: for shapes that no other editor knows.
class JsonEdit : public FieldEditor {
  Q_OBJECT
 public:
  JsonEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
           QWidget* parent);
  void refresh() override;
  [[nodiscard]] QString typing_problem() const override { return problem_; }

 private:
  void commit();
  UnitLineEdit* line_;
  QString problem_;
};

/// A combo box that ignores the wheel unless it has the focus: a form is scrolled more often than changed.
[[nodiscard]] QComboBox* make_calm_combo(QWidget* parent);

}  // namespace conoid::app
