// SPDX-License-Identifier: BSD-3-Clause
// An object whose members depend on one of them: a choice of the kind above the form of that kind.
#pragma once

#include "app/forms/field_editor.hpp"

class QBoxLayout;
class QComboBox;
class QLabel;
class QVBoxLayout;

namespace conoid::app {

class ObjectForm;

class VariantEdit : public FieldEditor {
  Q_OBJECT
 public:
  VariantEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
              QWidget* parent);
  void refresh() override;
  QWidget* reveal(const std::string& pointer) override;
  [[nodiscard]] bool is_block() const override { return true; }
  /// Puts a button at the end of the line of the choice.
  void add_to_head(QWidget* button);

 private:
  [[nodiscard]] std::string current_kind() const;
  /// The object schema of a kind: its own members and those that all kinds share.
  [[nodiscard]] Json node_of(const std::string& kind) const;
  void choose(const std::string& kind);

  std::string discriminator_;
  QBoxLayout* head_;
  QComboBox* combo_;
  QLabel* sentence_;
  QVBoxLayout* column_;
  QWidget* frame_;
  ObjectForm* form_ = nullptr;
  std::string shown_kind_;
};

}  // namespace conoid::app
