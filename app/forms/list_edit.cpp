// SPDX-License-Identifier: BSD-3-Clause
// A list of objects, vectors or words.
#include "app/forms/list_edit.hpp"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/item_card.hpp"
#include "app/forms/object_form.hpp"
#include "app/forms/paste_rows.hpp"
#include "app/forms/schema_text.hpp"
#include "app/forms/table_edit.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"

namespace conoid::app {
namespace {

/// "Receivers" → "receiver": the label of one element where its schema has no title.
QString singular(QString plural) {
  if (plural.endsWith("ies")) return plural.chopped(3) + "y";
  if (plural.endsWith('s') && !plural.endsWith("ss")) plural.chop(1);
  return plural;
}

}  // namespace

ListEdit::ListEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                   QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(6);
  empty_ = make_label(tr("None yet."), "small", this);
  column_->addWidget(empty_);
  items_column_ = new QVBoxLayout;
  items_column_->setSpacing(6);
  column_->addLayout(items_column_);
  auto* row = new QHBoxLayout;
  add_ = new QPushButton(tr("Add %1").arg(one_of(title_of_one(), item_name())), this);
  add_->setIcon(context.look.icon("add", "accent"));
  set_role(add_, "link");
  show_more_ = new QPushButton(tr("Show more"), this);
  set_role(show_more_, "link");
  more_ = make_label({}, "small", this);
  paste_ = new QPushButton(this);
  paste_->setAccessibleName(tr("Paste rows"));
  paste_->setIcon(context.look.icon("paste", "accent"));
  paste_->setToolTip(
      tr("Paste rows: those copied from a spreadsheet become elements of this list; a first line of names may say "
         "which column is which"));
  set_role(paste_, "link");
  table_ = new QPushButton(tr("As a table"), this);
  table_->setIcon(context.look.icon("table", "accent"));
  table_->setToolTip(tr("All elements at once, with cells to be copied and pasted"));
  set_role(table_, "link");
  table_->setVisible(!columns_of(node_["items"]).empty());
  row->addWidget(add_);
  row->addWidget(table_);
  row->addWidget(paste_);
  row->addStretch(1);
  row->addWidget(more_);
  row->addWidget(show_more_);
  column_->addLayout(row);
  paste_problem_ = make_label({}, "bad", this);
  paste_problem_->setWordWrap(true);
  paste_problem_->hide();
  column_->addWidget(paste_problem_);
  connect(add_, &QPushButton::clicked, this, &ListEdit::add);
  connect(table_, &QPushButton::clicked, this, [this] {
    TableDialog dialog(context_, pointer_, node_["items"], label(), window());
    dialog.exec();
  });
  connect(paste_, &QPushButton::clicked, this, [this] { paste(QGuiApplication::clipboard()->text()); });
  connect(show_more_, &QPushButton::clicked, this, [this] {
    shown_limit_ += 64;
    refresh();
  });
  refresh();
}

QString ListEdit::title_of_one() const {
  const std::string title = string_at(node_["items"], "title");
  return title.empty() ? singular(QString::fromStdString(string_at(node_, "title"))) : QString::fromStdString(title);
}

QString ListEdit::item_name() const {
  const std::string title = string_at(node_["items"], "title");
  return title.empty() ? singular(label()) : label_of({}, node_["items"]);
}

Json ListEdit::current() const {
  if (value() && value()->is_array()) return *value();
  return fallback_.is_array() ? fallback_ : Json::array();
}

void ListEdit::refresh() {
  const Json array = current();
  const std::size_t shown = std::min(array.size(), shown_limit_);
  while (items_.size() > shown) {
    items_.back().widget->hide();
    items_.back().widget->deleteLater();
    items_column_->removeWidget(items_.back().widget);
    items_.pop_back();
  }
  while (items_.size() < shown) append_item(items_.size());
  const auto least = node_.find("minItems");
  const bool removable = least == node_.end() || array.size() > least->get<std::size_t>();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (item.card) {
      item.card->set_title(item_name() + " " + QString::number(i + 1), summary_of(array[i], node_["items"]));
      item.card->set_removable(removable);
      item.card->refresh();
    } else {
      item.editor->refresh();
      item.remove->setEnabled(removable);
      const std::string place = child_pointer(pointer_, i);
      QString text;
      for (const auto& d : context_.model.diagnostics())
        if (text.isEmpty() && is_within(d.place.pointer, place)) text = translated(d.text);
      item.sentence->setText(text);
      item.sentence->setVisible(!text.isEmpty());
    }
  }
  empty_->setVisible(array.empty());
  more_->setVisible(array.size() > shown);
  more_->setText(tr("%1 of %2 shown").arg(shown).arg(array.size()));
  show_more_->setVisible(array.size() > shown);
  const auto most = node_.find("maxItems");
  add_->setEnabled(most == node_.end() || array.size() < most->get<std::size_t>());
}

void ListEdit::append_item(std::size_t index) {
  const Json& node = node_["items"];
  Item item;
  // Elements know their place by its number; removing one shifts the values, not the widgets.
  item.editor = make_editor(context_, child_pointer(pointer_, index), node, fallback_for("", node, {}), this);
  if (item.editor->is_block()) {
    item.card = new ItemCard(context_, item.editor, this);
    item.widget = item.card;
    connect(item.card, &ItemCard::remove_wanted, this, [this, index] { take_out(index); });
    connect(item.card, &ItemCard::toggled, this, [this, index](bool open) {
      open ? static_cast<void>(open_.insert(index)) : static_cast<void>(open_.erase(index));
    });
    item.card->set_open(open_.contains(index));
  } else {
    item.widget = new QWidget(this);
    auto* column = new QVBoxLayout(item.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    auto* number = new FigureLabel(QString::number(index + 1), Qt::AlignRight, item.widget);
    number->set_colour("faint", context_.look);
    number->setMinimumWidth(18);
    auto* remove =
        make_icon_button(context_.look, "remove", tr("Remove %1 %2").arg(item_name()).arg(index + 1), item.widget);
    row->addWidget(number);
    row->addWidget(item.editor, 1);
    row->addWidget(remove);
    column->addLayout(row);
    item.sentence = make_label({}, "bad", item.widget);
    item.sentence->setWordWrap(true);
    item.sentence->setContentsMargins(22, 0, 0, 0);
    column->addWidget(item.sentence);
    item.remove = remove;
    connect(remove, &QToolButton::clicked, this, [this, index] { take_out(index); });
  }
  items_column_->addWidget(item.widget);
  items_.push_back(item);
}

void ListEdit::add() {
  Json array = current();
  // A new element like the last one is nearer to what is wanted than an empty one.
  array.push_back(array.empty() ? initial_value(node_["items"]) : array.back());
  const std::size_t index = array.size() - 1;
  open_.insert(index);
  shown_limit_ = std::max(shown_limit_, array.size());
  context_.model.set(pointer_, std::move(array), tr("addition of %1").arg(item_name()));
  if (index < items_.size() && items_[index].card) items_[index].card->set_open(true);
}

void ListEdit::paste(const QString& text) {
  const auto rows = rows_from_text(text, node_["items"]);
  if (!rows) {
    problem_ = sentence_of(rows.error());
    paste_problem_->setText(problem_);
    paste_problem_->show();
    return;
  }
  paste_problem_->hide();
  Json array = current();
  for (const Json& row : *rows) array.push_back(row);
  context_.model.set(pointer_, std::move(array), tr("pasting of %1 rows").arg(rows->size()));
}

void ListEdit::take_out(std::size_t index) {
  Json array = current();
  if (index >= array.size()) return;
  array.erase(index);
  context_.model.set(pointer_, std::move(array), tr("removal of %1 %2").arg(item_name()).arg(index + 1));
}

QWidget* ListEdit::reveal(const std::string& pointer) {
  if (!is_within(pointer, pointer_)) return nullptr;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!is_within(pointer, items_[i].editor->pointer())) continue;
    if (items_[i].card) items_[i].card->set_open(true);
    QWidget* found = items_[i].editor->reveal(pointer);
    return found ? found : items_[i].widget;
  }
  return add_;
}

}  // namespace conoid::app
