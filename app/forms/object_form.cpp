// SPDX-License-Identifier: BSD-3-Clause
// The members of an object below each other.
#include "app/forms/object_form.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/forms/variant_edit.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"

namespace conoid::app {
namespace {

constexpr int label_width = 116, beside = 8, above = 2;

/// The worst sentence at a place: errors before warnings.
std::pair<QString, Severity> sentence_for(const CaseModel& model, const std::string& pointer, bool below) {
  std::pair<QString, Severity> best{{}, Severity::note};
  for (const auto& d : model.diagnostics()) {
    if (below ? !is_within(d.place.pointer, pointer) : d.place.pointer != pointer) continue;
    if (!best.first.isEmpty() && d.severity <= best.second) continue;
    best = {sentence_of(d), d.severity};
  }
  return best;
}

void show_sentence_in(QLabel* label, const QString& text, Severity severity) {
  label->setVisible(!text.isEmpty());
  if (text.isEmpty()) return;
  label->setText(text);
  set_role(label, severity == Severity::error ? "bad" : severity == Severity::warning ? "caution" : "small");
}

QLabel* make_sentence(QWidget* parent) {
  auto* label = make_label({}, "bad", parent);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->hide();
  return label;
}

}  // namespace

void clear_layout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (QWidget* widget = item->widget()) {
      widget->hide();
      widget->deleteLater();
    } else if (QLayout* inner = item->layout()) {
      clear_layout(inner);
    }
    delete item;
  }
}

// ---- FieldRow -------------------------------------------------------------------------------------------------------

FieldRow::FieldRow(const FormContext& context, FieldEditor* editor, const QString& label, bool required,
                   QWidget* parent)
    : QWidget(parent), context_(context), editor_(editor) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* row = row_ = new QHBoxLayout;
  row->setSpacing(beside);
  // A long name takes two lines; where it is one long word it ends in "…".
  QLabel* name = nullptr;
  if (label.contains(' ') && fontMetrics().horizontalAdvance(label) > label_width) {
    name = make_label(label, required ? "" : "muted", this);
    name->setWordWrap(true);
  } else {
    name = new ElidedLabel(label, required ? "" : "muted", Qt::ElideRight, this);
  }
  name->setFixedWidth(label_width);
  name->setBuddy(editor);
  row->addWidget(name);
  row->addWidget(editor, 1);
  if (const auto* file = qobject_cast<FileEdit*>(editor)) {
    // Beside the path, also when something is shown below it.
    name->setFixedHeight(file->findChild<QLineEdit*>()->sizeHint().height());
    row->setAlignment(name, Qt::AlignTop);
  }
  column->addLayout(row);
  sentence_ = make_sentence(this);
  sentence_->setContentsMargins(label_width + beside, 0, 0, 2);
  column->addWidget(sentence_);
  connect(editor, &FieldEditor::typing_checked, this, &FieldRow::show_sentence);
  show_sentence();
}

void FieldRow::refresh() {
  editor_->refresh();
  show_sentence();
  make_room();
}

void FieldRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  make_room();
}

void FieldRow::make_room() {
  const bool cut = editor_->needed_width() > width() - label_width - beside;
  row_->setDirection(cut ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  row_->setSpacing(cut ? above : beside);
}

void FieldRow::show_sentence() {
  if (const QString typing = editor_->typing_problem(); !typing.isEmpty())
    return show_sentence_in(sentence_, typing, Severity::error);
  const auto [text, severity] = sentence_for(context_.model, editor_->pointer(), true);
  show_sentence_in(sentence_, text, severity);
}

// ---- StraySentences -------------------------------------------------------------------------------------------------

StraySentences::StraySentences(const FormContext& context, QWidget* parent)
    : QWidget(parent), context_(context), column_(new QVBoxLayout(this)) {
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(6);
  hide();
}

void StraySentences::show_those(const std::function<bool(const std::string&)>& stray) {
  std::vector<const Diagnostic*> all;
  std::vector<std::string> shown;
  for (const auto& d : context_.model.diagnostics()) {
    if (d.severity == Severity::note || !stray(d.place.pointer)) continue;
    all.push_back(&d);
    shown.push_back(d.place.pointer + '\n' + d.text);
  }
  setVisible(!all.empty());
  if (shown == shown_) return;
  shown_ = std::move(shown);
  clear_layout(column_);
  for (const Diagnostic* d : all) {
    QLabel* sentence = make_sentence(this);
    show_sentence_in(sentence, sentence_of(*d), d->severity);
    column_->addWidget(sentence);
    const std::string place = d->place.pointer;
    if (place.empty() || !context_.model.value(place)) continue;
    const QString key = QString::fromStdString(last_token(place));
    auto* out = new QPushButton(tr("Take out %1").arg(key), this);
    set_role(out, "link");
    column_->addWidget(out, 0, Qt::AlignLeft);
    // The button goes with what it took out: not while it is still being clicked.
    connect(
        out, &QPushButton::clicked, this,
        [this, place, key] { context_.model.remove(place, tr("removal of %1").arg(key)); }, Qt::QueuedConnection);
  }
}

// ---- FoldButton -----------------------------------------------------------------------------------------------------

FoldButton::FoldButton(const Look& look, const QString& text, QWidget* body, bool open, QWidget* parent)
    : QWidget(parent), look_(look), body_(body), open_(!open) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  button_ = new QToolButton(this);
  button_->setText(text);
  set_role(button_, "fold");
  button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button_->setIconSize({14, 14});
  button_->setFocusPolicy(Qt::TabFocus);
  row->addWidget(button_);
  row->addStretch(1);
  connect(button_, &QToolButton::clicked, this, [this] { set_open(!open_); });
  set_open(open);
}

void FoldButton::set_open(bool open) {
  if (open == open_) return;
  open_ = open;
  button_->setIcon(look_.icon(open ? "chevron-down" : "chevron-right", "muted"));
  body_->setVisible(open);
  emit toggled(open);
}

// ---- ObjectForm -----------------------------------------------------------------------------------------------------

ObjectForm::ObjectForm(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                       QWidget* parent, const std::set<std::string>& left_out)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  const auto properties = node_.find("properties");
  if (properties == node_.end()) return;
  left_out_ = left_out;
  auto* advanced = new QWidget(this);
  auto* advanced_column = new QVBoxLayout(advanced);
  advanced_column->setContentsMargins(0, 0, 0, 0);
  advanced_column->setSpacing(6);
  bool any_advanced = false;
  for (const auto& [key, child] : properties->items()) {
    if (left_out.contains(key)) continue;
    const bool hidden = is_true(child, "advanced");
    add_member(key, child, hidden ? advanced_column : column, hidden);
    any_advanced = any_advanced || hidden;
  }
  if (any_advanced) {
    fold_ = new FoldButton(context.look, tr("More"), advanced, false, this);
    column->addWidget(fold_);
    column->addWidget(advanced);
  } else {
    delete advanced;
  }
  strays_ = new StraySentences(context, this);
  column->addWidget(strays_);
  refresh_strays();
}

void ObjectForm::refresh_strays() {
  if (!strays_) return;
  strays_->show_those([this](const std::string& pointer) {
    if (pointer == pointer_ || !is_within(pointer, pointer_)) return false;
    const std::string key = first_token(pointer.substr(pointer_.size()));
    return !left_out_.contains(key) && !keyword_of(keyword_of(node_, "properties"), key.c_str()).is_object();
  });
}

void ObjectForm::add_member(const std::string& key, const Json& child, QVBoxLayout* column, bool advanced) {
  const std::string place = child_pointer(pointer_, key);
  const Json inherited = fallback_for(key, child, fallback_);
  const bool required = is_required(key, node_);
  const bool object = child.contains("properties") || child.contains("variants");
  Entry entry;
  entry.advanced = advanced;
  if (const Json& idle = keyword_of(child, "idle_beside"); idle.is_string())
    entry.idle_beside = child_pointer(pointer_, idle.get<std::string>());
  entry.editor = object && !required && inherited.is_null() && (has_demands(child) || is_true(child, "optional"))
                     ? new OptionalBlock(context_, place, child, inherited, this)
                     : make_editor(context_, place, child, inherited, this);
  if (!entry.editor->is_block()) {
    entry.editor->setToolTip(tooltip_of(place, child, inherited));
    entry.editor->setAccessibleDescription(description_of(place, child, inherited));
    entry.row = new FieldRow(context_, entry.editor, label_of(key, child), required && inherited.is_null(), this);
    entry.row->setToolTip(entry.editor->toolTip());
    column->addWidget(entry.row);
  } else {
    entry.block = new QWidget(this);
    auto* inner = new QVBoxLayout(entry.block);
    inner->setContentsMargins(0, 6, 0, 2);
    inner->setSpacing(6);
    // Blocks with a name of their own need no heading.
    if (!qobject_cast<OptionalBlock*>(entry.editor) && !qobject_cast<VariantEdit*>(entry.editor)) {
      auto* heading = make_label(label_of(key, child), "section", entry.block);
      heading->setToolTip(tooltip_of(place, child, inherited));
      heading->setAccessibleDescription(description_of(place, child, inherited));
      inner->addWidget(heading);
    }
    entry.sentence = make_sentence(entry.block);
    inner->addWidget(entry.sentence);
    inner->addWidget(entry.editor);
    column->addWidget(entry.block);
  }
  entries_.push_back(entry);
  if (entry.sentence) {
    const auto [text, severity] = sentence_for(context_.model, place, false);
    show_sentence_in(entry.sentence, text, severity);
  }
  show_what_counts(entry);
}

void ObjectForm::show_what_counts(const Entry& entry) {
  if (entry.idle_beside.empty()) return;
  const Json* other = context_.model.value(entry.idle_beside);
  const bool idle = other && !other->empty() && context_.model.health_of(entry.editor->pointer()) != Health::bad;
  (entry.row ? static_cast<QWidget*>(entry.row) : entry.block)->setVisible(!idle);
}

void ObjectForm::refresh() {
  for (const Entry& entry : entries_) {
    if (entry.row) {
      entry.row->refresh();
    } else {
      entry.editor->refresh();
      const auto [text, severity] = sentence_for(context_.model, entry.editor->pointer(), false);
      show_sentence_in(entry.sentence, text, severity);
    }
    // Nothing wrong may stay hidden.
    if (entry.advanced && fold_ && context_.model.health_of(entry.editor->pointer()) == Health::bad)
      fold_->set_open(true);
    show_what_counts(entry);
  }
  refresh_strays();
}

QWidget* ObjectForm::reveal(const std::string& pointer) {
  if (!is_within(pointer, pointer_)) return nullptr;
  for (const Entry& entry : entries_) {
    if (!is_within(pointer, entry.editor->pointer())) continue;
    if (entry.advanced && fold_) fold_->set_open(true);
    QWidget* found = entry.editor->reveal(pointer);
    return found ? found : entry.editor;
  }
  return this;
}

// ---- OptionalBlock --------------------------------------------------------------------------------------------------

OptionalBlock::OptionalBlock(const FormContext& context, const std::string& pointer, const Json& node,
                             const Json& fallback, QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(6);
  refresh();
}

void OptionalBlock::refresh() {
  const bool wanted = value() != nullptr;
  if (bar_ && wanted == (inner_ != nullptr)) {
    if (inner_) inner_->refresh();
    return;
  }
  clear_layout(column_);
  inner_ = nullptr;
  bar_ = new QWidget(this);
  auto* row = new QHBoxLayout(bar_);
  row->setContentsMargins(0, 0, 0, 0);
  // A variant says its own name beside its choice.
  auto* heading = make_label(wanted && node_.contains("variants") ? QString() : label(), "section", bar_);
  heading->setToolTip(tooltip_of(pointer_, node_, fallback_));
  heading->setAccessibleDescription(description_of(pointer_, node_, fallback_));
  row->addWidget(heading, 1);
  auto* button = make_icon_button(context_.look, wanted ? "remove" : "add",
                                  wanted ? tr("Remove %1").arg(label()) : tr("Add %1").arg(label()), bar_);
  row->addWidget(button);
  column_->addWidget(bar_);
  connect(button, &QToolButton::clicked, this, [this, wanted] {
    if (wanted)
      context_.model.remove(pointer_, tr("removal of %1").arg(label()));
    else
      context_.model.set(pointer_, initial_value(node_), tr("addition of %1").arg(label()));
  });
  if (wanted) {
    inner_ = make_editor(context_, pointer_, node_, fallback_, this);
    column_->addWidget(inner_);
    if (auto* variant =
            qobject_cast<VariantEdit*>(inner_)) {  // its own line takes the button: none for the button alone
      variant->add_to_head(button);
      bar_->hide();
    }
  }
}

QWidget* OptionalBlock::reveal(const std::string& pointer) {
  return inner_ ? inner_->reveal(pointer) : this;
}

}  // namespace conoid::app
