// SPDX-License-Identifier: BSD-3-Clause
// An object with free names.
#include "app/forms/map_edit.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/forms/item_card.hpp"
#include "app/forms/material_library.hpp"
#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"

namespace conoid::app {

MapEdit::MapEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                 QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  empty_ = make_label(tr("None yet."), "small", this);
  column->addWidget(empty_);
  cards_column_ = new QVBoxLayout;
  cards_column_->setSpacing(6);
  column->addLayout(cards_column_);
  auto* add_button = new QPushButton(
      tr("Add %1").arg(one_of(QString::fromStdString(string_at(node["map"], "title")), item_name())), this);
  add_button->setIcon(context.look.icon("add", "accent"));
  set_role(add_button, "link");
  column->addWidget(add_button, 0, Qt::AlignLeft);
  if (is_within(pointer, "/materials"))
    if (QPushButton* library =
            make_library_button(context, node["map"], this,
                                [this](const LibraryMaterial& one, Json value) { add_known(one, std::move(value)); }))
      column->addWidget(library, 0, Qt::AlignLeft);  // below: side by side they are wider than narrow forms
  connect(add_button, &QPushButton::clicked, this, &MapEdit::add);
  refresh();
}

QString MapEdit::item_name() const {
  if (!string_at(node_["map"], "title").empty()) return label_of({}, node_["map"]);
  QString name = label();
  if (name.endsWith("ies")) return name.chopped(3) + "y";
  if (name.endsWith('s')) name.chop(1);
  return name;
}

Json MapEdit::current() const {
  if (value() && value()->is_object()) return *value();
  return fallback_.is_object() ? fallback_ : Json::object();
}

void MapEdit::refresh() {
  const Json object = current();
  std::vector<std::string> keys;
  for (const auto& [key, ignored] : object.items()) keys.push_back(key);
  if (keys != keys_) rebuild(keys);
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    cards_[i]->set_title(QString::fromStdString(keys_[i]), summary_of(object[keys_[i]], node_["map"]));
    cards_[i]->refresh();
  }
  empty_->setVisible(keys_.empty());
}

void MapEdit::rebuild(const std::vector<std::string>& keys) {
  clear_layout(cards_column_);
  cards_.clear();
  keys_ = keys;
  for (const std::string& key : keys_) {
    auto* editor = make_editor(context_, child_pointer(pointer_, key), node_["map"], {}, this);
    auto* card = new ItemCard(context_, editor, this);
    auto* name_row = new QHBoxLayout;
    name_row->setSpacing(8);
    auto* name_label = make_label(tr("Name"), "muted", card);
    name_label->setFixedWidth(116);
    auto* name = new UnitLineEdit(context_.look, {}, card);
    name->setText(QString::fromStdString(key));
    name->setAccessibleName(tr("Name of the %1").arg(item_name()));
    name_row->addWidget(name_label);
    name_row->addWidget(name, 1);
    card->body()->insertLayout(0, name_row);
    connect(name, &QLineEdit::editingFinished, this, [this, key, name] { rename(key, name->text().trimmed(), name); });
    connect(card, &ItemCard::remove_wanted, this, [this, key] {
      Json object = current();
      object.erase(key);
      context_.model.set(pointer_, std::move(object), tr("removal of %1").arg(QString::fromStdString(key)));
    });
    connect(card, &ItemCard::toggled, this, [this, key](bool open) {
      open ? static_cast<void>(open_.insert(key)) : static_cast<void>(open_.erase(key));
    });
    if (is_within(pointer_, "/materials"))
      card->body()->addWidget(
          make_keep_button(context_, child_pointer(pointer_, key), QString::fromStdString(key), card), 0,
          Qt::AlignLeft);
    card->set_open(open_.contains(key));
    cards_column_->addWidget(card);
    cards_.push_back(card);
  }
}

void MapEdit::add() {
  Json object = current();
  // A name in the case is not translated.
  const QString title = QString::fromStdString(string_at(node_["map"], "title"));
  const std::string base = (title.isEmpty() ? item_name() : title).toLower().toStdString();
  std::string key = base;
  for (int n = 2; object.contains(key); ++n) key = base + " " + std::to_string(n);
  object[key] = initial_value(node_["map"]);
  open_.insert(key);
  context_.model.set(pointer_, std::move(object), tr("addition of %1").arg(QString::fromStdString(key)));
}

void MapEdit::add_known(const LibraryMaterial& one, Json value) {
  Json object = current();
  // A material of the case is called as a person would type it: "Water, 20 °C" is "water".
  std::string base =
      QString::fromStdString(one.name).section(',', 0, 0).section('(', 0, 0).trimmed().toLower().toStdString();
  std::string key = base;
  for (int n = 2; object.contains(key); ++n) key = base + " " + std::to_string(n);
  object[key] = std::move(value);
  open_.insert(key);
  context_.model.set(pointer_, std::move(object), tr("addition of %1").arg(QString::fromStdString(key)));
}

void MapEdit::rename(const std::string& from, const QString& to, QLineEdit* line) {
  const std::string key = to.toStdString();
  if (key == from) return;
  const Json object = current();
  if (key.empty() || object.contains(key)) {
    line->setText(QString::fromStdString(from));
    return;
  }
  Json renamed = Json::object();  // the order that a person wrote stays
  for (const auto& [k, v] : object.items()) renamed[k == from ? key : k] = v;
  open_.insert(key);
  context_.model.set(pointer_, std::move(renamed), tr("renaming of %1").arg(QString::fromStdString(from)));
}

QWidget* MapEdit::reveal(const std::string& pointer) {
  if (!is_within(pointer, pointer_)) return nullptr;
  for (ItemCard* card : cards_) {
    if (!is_within(pointer, card->editor()->pointer())) continue;
    card->set_open(true);
    QWidget* found = card->editor()->reveal(pointer);
    return found ? found : card;
  }
  return this;
}

}  // namespace conoid::app
