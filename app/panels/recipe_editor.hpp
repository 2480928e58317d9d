// SPDX-License-Identifier: BSD-3-Clause
// What is made of a frame before it is shown: planes by number, values within limits, fields by formula, a far field around the body.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "engine/run/derived_frame.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QVBoxLayout;

namespace conoid::app {

class RecipeEditor : public QWidget {
  Q_OBJECT
 public:
  explicit RecipeEditor(QWidget* parent = nullptr);
  /// `unit`: of the field that is shown; `solid`: planes can meet something.
  void show_recipe(const FrameRecipe& recipe, const std::string& unit, bool solid);
  /// Far fields of the run by key ("table:column") and words; hidden without any.
  void offer_far_fields(const std::vector<std::pair<QString, QString>>& fields);
  /// All but the far field itself, which far_field() names.
  void apply_to(FrameRecipe& recipe) const;
  [[nodiscard]] QString far_field() const;
  [[nodiscard]] QPlainTextEdit& planes() { return *planes_; }
  [[nodiscard]] QPlainTextEdit& formulas() { return *formulas_; }
  [[nodiscard]] QLineEdit& low() { return *low_; }
  [[nodiscard]] QLineEdit& high() { return *high_; }
  /// What of the texts cannot be read; empty: all can.
  [[nodiscard]] QString trouble() const;
  /// What was typed can be read, but not made of the frame; it stays until something else is typed. Empty: it could.
  void tell(const QString& trouble);

 signals:
  void changed();

 private:
  void read();
  std::string unit_ = "1";
  QWidget* planes_box_;
  QWidget* far_box_;
  QPlainTextEdit* planes_;
  QPlainTextEdit* formulas_;
  QLineEdit* low_;
  QLineEdit* high_;
  QComboBox* far_;
  QLabel* planes_note_;
  QLabel* formulas_note_;
  QLabel* within_note_;
  QTimer typing_;
  FrameRecipe read_;    ///< of what can be read
  bool unfit_ = false;  ///< see tell()
};

}  // namespace conoid::app
