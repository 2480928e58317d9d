// SPDX-License-Identifier: BSD-3-Clause
// An object whose members depend on one of them.
#include "app/forms/variant_edit.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"

namespace conoid::app {

VariantEdit::VariantEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                         QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent), discriminator_(string_at(node, "discriminator")) {
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(6);
  auto* row = new QHBoxLayout;
  head_ = row;
  row->setSpacing(8);
  // The choice stands beside the object's own name: "Speed of sound  [Constant]".
  auto* name = new ElidedLabel(label(), "", Qt::ElideRight, this);
  name->setFixedWidth(116);
  name->setToolTip(tooltip_of(pointer_, node_, {}));
  name->setAccessibleDescription(description_of(pointer_, node_, {}));
  combo_ = make_calm_combo(this);
  combo_->setAccessibleName(label() + " " + QString::fromStdString(discriminator_));
  combo_->setPlaceholderText(tr("Choose…"));
  for (const auto& [kind, schema] : node_["variants"].items()) {
    combo_->addItem(label_of(kind, schema), QString::fromStdString(kind));
    if (const std::string help = string_at(schema, "description"); !help.empty())
      combo_->setItemData(combo_->count() - 1, QString::fromStdString(help), Qt::ToolTipRole);
  }
  row->addWidget(name);
  row->addWidget(combo_, 1);
  column_->addLayout(row);
  sentence_ = make_label({}, "bad", this);
  sentence_->setWordWrap(true);
  sentence_->setContentsMargins(124, 0, 0, 0);
  column_->addWidget(sentence_);
  frame_ = new QFrame(this);
  frame_->setObjectName("subform");
  auto* inner = new QVBoxLayout(frame_);
  inner->setContentsMargins(10, 0, 0, 0);
  column_->addWidget(frame_);
  connect(combo_, &QComboBox::activated, this,
          [this](int index) { choose(combo_->itemData(index).toString().toStdString()); });
  refresh();
}

void VariantEdit::add_to_head(QWidget* button) {
  button->setParent(this);
  head_->addWidget(button);
}

std::string VariantEdit::current_kind() const {
  if (value()) {
    if (const Json* kind = find_value(*value(), child_pointer("", discriminator_)); kind && kind->is_string())
      return kind->get<std::string>();
  }
  if (fallback_.is_object()) {
    if (const std::string kind = string_at(fallback_, discriminator_.c_str()); !kind.empty()) return kind;
  }
  return string_at(keyword_of(keyword_of(node_, "properties"), discriminator_.c_str()), "default");
}

Json VariantEdit::node_of(const std::string& kind) const {
  Json object = keyword_of(keyword_of(node_, "variants"), kind.c_str());
  if (!object.is_object()) object = Json::object();
  if (!object.contains("properties")) object["properties"] = Json::object();
  if (const auto shared = node_.find("properties"); shared != node_.end())
    for (const auto& [key, schema] : shared->items())
      if (!object["properties"].contains(key)) object["properties"][key] = schema;
  if (const auto required = node_.find("required"); required != node_.end()) {
    if (!object.contains("required")) object["required"] = Json::array();
    for (const Json& key : *required) object["required"].push_back(key);
  }
  return object;
}

void VariantEdit::refresh() {
  const std::string kind = current_kind();
  combo_->setCurrentIndex(combo_->findData(QString::fromStdString(kind)));
  if (kind != shown_kind_ || !form_) {
    if (form_) {
      form_->hide();
      form_->deleteLater();
      frame_->layout()->removeWidget(form_);
    }
    shown_kind_ = kind;
    const Json members =
        fallback_.is_object() && string_at(fallback_, discriminator_.c_str()) == kind ? fallback_ : Json();
    auto* form = new ObjectForm(context_, pointer_, node_of(kind), members, frame_, {discriminator_});
    frame_->setVisible(!form->is_empty());
    form_ = form;
    frame_->layout()->addWidget(form_);
  }
  form_->refresh();
  frame_->setVisible(!form_->is_empty());
  const auto own = context_.model.diagnostics_at(child_pointer(pointer_, discriminator_));
  sentence_->setVisible(!own.empty());
  if (!own.empty()) sentence_->setText(sentence_of(worst_of(own)));
}

void VariantEdit::choose(const std::string& kind) {
  if (kind == current_kind() && value()) return;
  Json object = Json::object();
  object[discriminator_] = kind;
  const Json node = node_of(kind);
  if (value() && value()->is_object())
    for (const auto& [key, member] : value()->items())
      if (key != discriminator_ && node["properties"].contains(key)) object[key] = member;
  write(std::move(object));
}

QWidget* VariantEdit::reveal(const std::string& pointer) {
  if (!is_within(pointer, pointer_)) return nullptr;
  if (pointer == pointer_ || pointer == child_pointer(pointer_, discriminator_)) return combo_;
  return form_->reveal(pointer);
}

}  // namespace conoid::app
