// SPDX-License-Identifier: BSD-3-Clause
// A list of objects, vectors or words (sources, receivers, layers): cards or lines with add and remove.
#pragma once

#include <set>
#include <vector>

#include "app/forms/field_editor.hpp"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace conoid::app {

class ItemCard;

class ListEdit : public FieldEditor {
  Q_OBJECT
 public:
  ListEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
           QWidget* parent);
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;
  [[nodiscard]] bool is_block() const override { return true; }
  /// Appends rows of a spreadsheet as one undoable step.
  void paste(const QString& text);

 private:
  struct Item {
    FieldEditor* editor = nullptr;
    ItemCard* card = nullptr;  ///< null for one-line elements
    QWidget* remove = nullptr;
    QWidget* widget = nullptr;
    QLabel* sentence = nullptr;
  };
  [[nodiscard]] Json current() const;
  [[nodiscard]] QString item_name() const;
  /// As the schema has it.
  [[nodiscard]] QString title_of_one() const;
  void append_item(std::size_t index);
  void add();
  void take_out(std::size_t index);

  QVBoxLayout* column_;
  QVBoxLayout* items_column_;
  QLabel* empty_;
  QPushButton* add_;
  QPushButton* table_;
  QPushButton* paste_;
  QLabel* paste_problem_;
  QString problem_;
  QLabel* more_;
  QPushButton* show_more_;
  std::vector<Item> items_;
  std::set<std::size_t> open_;
  std::size_t shown_limit_ = 32;  ///< a thousand receivers must not become a thousand cards at once
};

}  // namespace conoid::app
