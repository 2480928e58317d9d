// SPDX-License-Identifier: BSD-3-Clause
// Picks the editor for a schema node.
#include "app/forms/field_editor.hpp"

#include "app/forms/list_edit.hpp"
#include "app/forms/map_edit.hpp"
#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/forms/variant_edit.hpp"
#include "app/model/json_path.hpp"

namespace conoid::app {

QWidget* FieldEditor::reveal(const std::string& pointer) {
  return is_within(pointer, pointer_) ? this : nullptr;
}

QString FieldEditor::label() const {
  return label_of(last_token(pointer_), node_);
}

void FieldEditor::write(Json value) {
  context_.model.set(pointer_, std::move(value), tr("change of %1").arg(label()));
}

void FieldEditor::erase() {
  context_.model.remove(pointer_, tr("reset of %1").arg(label()));
}

namespace {

FieldEditor* editor_for(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                        QWidget* parent) {
  const std::string type = string_at(node, "type");
  if (node.contains("variants")) return new VariantEdit(context, pointer, node, fallback, parent);
  if (node.contains("map")) return new MapEdit(context, pointer, node, fallback, parent);
  if (type == "object" || node.contains("properties")) return new ObjectForm(context, pointer, node, fallback, parent);
  if (node.contains("enum")) return new ChoiceEdit(context, pointer, node, fallback, parent);
  if (type == "boolean") return new BooleanEdit(context, pointer, node, fallback, parent);
  if (type == "number" || type == "integer") return new NumberEdit(context, pointer, node, fallback, parent);
  if (type == "array") {
    if (vector_size(node) > 0) return new VectorEdit(context, pointer, node, fallback, parent);
    const Json& items = keyword_of(node, "items");
    const std::string item_type = string_at(items, "type");
    if (item_type == "object" || item_type == "string" || !keyword_of(items, "variants").is_null() ||
        vector_size(items) > 0)
      return new ListEdit(context, pointer, node, fallback, parent);
    if (item_type == "number" || item_type == "integer")
      return new NumbersEdit(context, pointer, node, fallback, parent);
  }
  if (type == "string") {
    if (node.contains("file")) return new FileEdit(context, pointer, node, fallback, parent);
    return new TextEdit(context, pointer, node, fallback, parent);
  }
  return new JsonEdit(context, pointer, node, fallback, parent);
}

}  // namespace

FieldEditor* make_editor(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                         QWidget* parent) {
  FieldEditor* editor = editor_for(context, pointer, node, fallback, parent);
  // Parts of blocks describe themselves; what is left are the controls of this field.
  const QString words = description_of(pointer, node, fallback);
  for (auto* control : editor->findChildren<QWidget*>())
    if ((control->focusPolicy() & Qt::TabFocus) && control->toolTip().isEmpty() &&
        control->accessibleDescription().isEmpty())
      control->setAccessibleDescription(words);
  return editor;
}

}  // namespace conoid::app
