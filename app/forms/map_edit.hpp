// SPDX-License-Identifier: BSD-3-Clause
// An object with free names (materials, regions): cards with a name, add and remove.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/forms/field_editor.hpp"

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace conoid {
struct LibraryMaterial;
}

namespace conoid::app {

class ItemCard;

class MapEdit : public FieldEditor {
  Q_OBJECT
 public:
  MapEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
          QWidget* parent);
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;
  [[nodiscard]] bool is_block() const override { return true; }

 private:
  [[nodiscard]] Json current() const;
  [[nodiscard]] QString item_name() const;
  void rebuild(const std::vector<std::string>& keys);
  void add();
  /// One of the library, with its values for this solver.
  void add_known(const LibraryMaterial& one, Json value);
  void rename(const std::string& from, const QString& to, QLineEdit* line);

  QVBoxLayout* cards_column_;
  QLabel* empty_;
  std::vector<std::string> keys_;
  std::vector<ItemCard*> cards_;
  std::set<std::string> open_;
};

}  // namespace conoid::app
