// SPDX-License-Identifier: BSD-3-Clause
// The library of materials in forms: a list that is searched, with the values that this solver takes and where they come from.
#pragma once

#include <functional>
#include <vector>

#include <QDialog>

#include "app/forms/field_editor.hpp"
#include "engine/case/materials.hpp"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace conoid::app {

/// Chooses one of the materials that a place of the case can hold.
class MaterialLibrary : public QDialog {
  Q_OBJECT
 public:
  /// `node`: the schema of the place.
  MaterialLibrary(Json node, const Look& look, QWidget* parent = nullptr);
  [[nodiscard]] const LibraryMaterial* chosen() const;
  /// What it is at the place.
  [[nodiscard]] Json value() const;

 private:
  void load();
  void filter();
  void show_chosen();
  Json node_;
  std::vector<LibraryMaterial> all_;
  std::vector<Json> values_;
  QLineEdit* search_;
  QListWidget* list_;
  QLabel* about_;
  QPushButton *take_, *forget_;
};

/// "From the library…"; null where the library has nothing for such a place. `take` gets the choice.
[[nodiscard]] QPushButton* make_library_button(const FormContext& context, const Json& node, QWidget* parent,
                                               std::function<void(const LibraryMaterial&, Json)> take);
/// "Keep in the library…": the value at a place under a name that is asked for, `name` at first.
[[nodiscard]] QPushButton* make_keep_button(const FormContext& context, const std::string& pointer, const QString& name,
                                            QWidget* parent);

}  // namespace conoid::app
