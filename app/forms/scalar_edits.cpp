// SPDX-License-Identifier: BSD-3-Clause
// Editors that fit on one line.
#include "app/forms/scalar_edits.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QStringListModel>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "app/forms/file_preview.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/accessible_combo.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/file_kinds.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/case/schema.hpp"
#include "engine/core/units.hpp"
#include "engine/session/mesh_preview.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

class CalmCombo final : public QComboBox {
 public:
  explicit CalmCombo(QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
  }

  /// What the style asks for is too little by its own paddings: the longest choice would end in "…".
  [[nodiscard]] QSize sizeHint() const override {
    constexpr int paddings = 14;
    return QComboBox::sizeHint() + QSize(sizeAdjustPolicy() == AdjustToContents ? paddings : 0, 0);
  }

 protected:
  /// A choice that is longer than the field ends in "…".
  void paintEvent(QPaintEvent*) override {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const bool empty = currentIndex() < 0 && !placeholderText().isEmpty();
    if (empty) option.palette.setBrush(QPalette::ButtonText, option.palette.placeholderText());
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    // The room that the style leaves for the words; it takes a pixel at either side.
    const int room =
        style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() - 2;
    option.currentText = fontMetrics().elidedText(empty ? placeholderText() : currentText(), Qt::ElideRight, room);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
  }
  void wheelEvent(QWheelEvent* event) override { hasFocus() ? QComboBox::wheelEvent(event) : event->ignore(); }
};

QHBoxLayout* flat_row(QWidget* widget) {
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  return row;
}

QString unit_of(const Json& node) {
  const std::string unit = string_at(node, "unit");
  return unit == "1" ? QString() : QString::fromStdString(unit);
}

QString placeholder_for(const Json& fallback, bool number) {
  if (!fallback.is_null()) return number ? shown_text(fallback) : text_of(fallback);
  return number ? QString() : QObject::tr("not set");
}

bool has_errors_at(const CaseModel& model, const std::string& pointer) {
  return model.health_of(pointer) == Health::bad;
}

}  // namespace

QComboBox* make_calm_combo(QWidget* parent) {
  name_combo_boxes();
  return new CalmCombo(parent);
}

// ---- UnitLineEdit ---------------------------------------------------------------------------------------------------

UnitLineEdit::UnitLineEdit(const Look& look, QString unit, QWidget* parent)
    : QLineEdit(parent), look_(look), unit_(std::move(unit)) {
  setMinimumWidth(48);
  const auto make_room = [this] {
    const int room = shows_unit() ? fontMetrics().horizontalAdvance(shown_unit()) + 4 : 0;
    if (textMargins().right() != room) setTextMargins(0, 0, room, 0);
  };
  connect(this, &QLineEdit::textChanged, this, make_room);
  make_room();
  if (unit_.isEmpty()) return;
  // "2 " offers 2 Hz, 2 kHz, 2 MHz …; the list is that of the unit's dimension.
  auto* offers = new QCompleter(this);
  auto* list = new QStringListModel(offers);
  offers->setModel(list);
  offers->setCompletionMode(QCompleter::PopupCompletion);
  offers->setCaseSensitivity(Qt::CaseSensitive);
  setCompleter(offers);
  connect(this, &QLineEdit::textEdited, this, [this, list](const QString& typed) {
    static const QRegularExpression number("^\\s*([-+]?[0-9.,]+(?:[eE][-+]?[0-9]+)?)\\s+");
    const auto match = number.match(typed);
    QStringList lines;
    if (match.hasMatch()) {
      QStringList units;
      for (const std::string& u : units_for(unit_.toStdString())) units << QString::fromStdString(u);
      const QStringList& first = look_.preferred_units();
      std::stable_partition(units.begin(), units.end(), [&](const QString& u) { return first.contains(u); });
      for (const QString& u : units) lines << match.captured(0) + u;
    }
    list->setStringList(lines);
  });
}

void UnitLineEdit::set_wrong(bool wrong) {
  if (property("wrong").toBool() == wrong) return;
  setProperty("wrong", wrong);
  style()->unpolish(this);
  style()->polish(this);
}

void UnitLineEdit::show_value(const QString& shown) {
  if (hasFocus() && isModified()) return;
  if (shown == text()) return;
  setText(shown);
  setCursorPosition(0);
}

QString UnitLineEdit::shown_unit() const {
  return QString::fromStdString(readable_unit(unit_.toStdString()));
}

bool UnitLineEdit::shows_unit() const {
  if (unit_.isEmpty()) return false;
  const QString shown = text().isEmpty() ? placeholderText() : text();
  return shown.isEmpty() || json_from_typed(shown).is_number();
}

bool leaves_undo_to_the_case(const QLineEdit& line, const QEvent& event) {
  if (event.type() != QEvent::ShortcutOverride || line.isModified()) return false;
  const auto& key = static_cast<const QKeyEvent&>(event);
  return key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo) ||
         key.keyCombination() == QKeyCombination(Qt::CTRL, Qt::Key_Y);
}

bool UnitLineEdit::event(QEvent* event) {
  // Past the line edit, which would take the keys.  NOLINTNEXTLINE(bugprone-parent-virtual-call)
  return leaves_undo_to_the_case(*this, *event) ? QWidget::event(event) : QLineEdit::event(event);
}

void UnitLineEdit::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  if (!shows_unit()) return;
  QPainter painter(this);
  painter.setPen(look_.colour("faint"));
  painter.drawText(rect().adjusted(0, 0, -9, 0), Qt::AlignRight | Qt::AlignVCenter, shown_unit());
}

// ---- NumberEdit -----------------------------------------------------------------------------------------------------

NumberEdit::NumberEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                       QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  line_ = new UnitLineEdit(context.look, unit_of(node), this);
  line_->setPlaceholderText(placeholder_for(fallback, true));
  line_->setAccessibleName(label());
  row->addWidget(line_);
  setFocusProxy(line_);
  connect(line_, &QLineEdit::textEdited, this, &NumberEdit::check_typing);
  connect(line_, &QLineEdit::editingFinished, this, &NumberEdit::commit);
  refresh();
}

QWidget* NumberEdit::reveal(const std::string& pointer) {
  return is_within(pointer, pointer_) ? line_ : nullptr;
}

void NumberEdit::refresh() {
  line_->show_value(value() ? shown_text(*value()) : QString());
  if (!line_->isModified()) problem_.clear();
  line_->set_wrong(!problem_.isEmpty() || has_errors_at(context_.model, pointer_));
}

void NumberEdit::check_typing() {
  problem_.clear();
  const QString text = typed_text(line_->text());
  if (!text.isEmpty() && !json_from_text(text).is_number()) {
    const std::string unit = string_at(node_, "unit");
    if (string_at(node_, "type") == "integer") {
      problem_ = tr("A whole number is needed here.");
    } else if (unit.empty()) {
      problem_ = tr("A number is needed here.");
    } else if (const auto quantity = parse_quantity(text.toStdString(), unit); !quantity) {
      problem_ = translated(quantity.error().text);
    }
  }
  line_->set_wrong(!problem_.isEmpty());
  emit typing_checked();
}

void NumberEdit::commit() {
  if (!line_->isModified()) return;
  line_->setModified(false);
  problem_.clear();
  const QString text = line_->text().trimmed();
  text.isEmpty() ? erase() : write(json_from_typed(text));
  refresh();
  emit typing_checked();
}

// ---- VectorEdit -----------------------------------------------------------------------------------------------------

VectorEdit::VectorEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                       QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  const Json& items = node["items"];
  const QString unit = unit_of(items).isEmpty() ? unit_of(node) : unit_of(items);
  const int size = vector_size(node);
  static const char* const axes[] = {"x", "y", "z", "w"};
  for (int i = 0; i < size; ++i) {
    auto* line = new UnitLineEdit(context.look, unit.size() <= 2 ? unit : QString(), this);
    line->setAccessibleName(label() + " " + axes[i]);
    if (size > 2) set_role(line, "narrow");
    const Json element = fallback.is_array() && fallback.size() > static_cast<std::size_t>(i) ? fallback[i] : Json();
    line->setPlaceholderText(element.is_null() ? QString(axes[i]) : shown_text(element));
    row->addWidget(line, 1);
    lines_.push_back(line);
    connect(line, &QLineEdit::editingFinished, this, [this, i] { commit(static_cast<std::size_t>(i)); });
  }
  setFocusProxy(lines_.front());
  refresh();
}

QWidget* VectorEdit::reveal(const std::string& pointer) {
  if (!is_within(pointer, pointer_)) return nullptr;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (is_within(pointer, child_pointer(pointer_, i))) return lines_[i];
  return lines_.front();
}

int VectorEdit::needed_width() const {
  constexpr int around = 16;  // a figure: its line's border and padding
  int widest = 0;
  for (const UnitLineEdit* line : lines_)
    widest = std::max(widest, line->fontMetrics().horizontalAdvance(line->text()));
  const int lines = static_cast<int>(lines_.size());
  return widest == 0 ? 0 : lines * (widest + around) + (lines - 1) * layout()->spacing();
}

Json VectorEdit::current() const {
  if (value() && value()->is_array()) return *value();
  return fallback_.is_array() ? fallback_ : Json::array();
}

void VectorEdit::refresh() {
  const Json* array = value();
  const bool whole = array && context_.model.health_of(pointer_) == Health::bad;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool there = array && array->is_array() && i < array->size();
    lines_[i]->show_value(there ? shown_text((*array)[i]) : QString());
    bool wrong = has_errors_at(context_.model, child_pointer(pointer_, i));
    if (whole && !context_.model.diagnostics_at(pointer_).empty()) wrong = true;
    lines_[i]->set_wrong(wrong);
  }
}

void VectorEdit::commit(std::size_t index) {
  if (!lines_[index]->isModified()) return;
  lines_[index]->setModified(false);
  const QString text = lines_[index]->text().trimmed();
  const bool all_empty =
      std::all_of(lines_.begin(), lines_.end(), [](auto* l) { return l->text().trimmed().isEmpty(); });
  if (all_empty) return erase();
  Json array = current();
  while (array.size() < lines_.size()) array.push_back(0);
  const Json fallback = fallback_.is_array() && index < fallback_.size() ? fallback_[index] : Json(0);
  array[index] = text.isEmpty() ? fallback : json_from_typed(text);
  write(std::move(array));
}

// ---- NumbersEdit ----------------------------------------------------------------------------------------------------

NumbersEdit::NumbersEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                         QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  line_ = new UnitLineEdit(context.look, {}, this);
  line_->setPlaceholderText(fallback.is_null() ? tr("1, 2, 3") : shown_text(fallback));
  line_->setAccessibleName(label());
  row->addWidget(line_);
  setFocusProxy(line_);
  connect(line_, &QLineEdit::editingFinished, this, &NumbersEdit::commit);
  refresh();
}

void NumbersEdit::refresh() {
  line_->show_value(value() ? shown_text(*value()) : QString());
  line_->set_wrong(has_errors_at(context_.model, pointer_));
}

void NumbersEdit::commit() {
  if (!line_->isModified()) return;
  line_->setModified(false);
  const QString text = line_->text().trimmed();
  if (text.isEmpty()) return erase();
  Json array = Json::array();
  for (const QString& part : typed_list(text)) array.push_back(json_from_text(part));
  write(std::move(array));
}

// ---- TextEdit, FileEdit ---------------------------------------------------------------------------------------------

TextEdit::TextEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                   QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  line_ = new UnitLineEdit(context.look, {}, this);
  line_->setPlaceholderText(!keyword_of(node, "group").is_null() ? tr("name of a group of the mesh")
                                                                 : placeholder_for(fallback, false));
  line_->setAccessibleName(label());
  row->addWidget(line_);
  setFocusProxy(line_);
  connect(line_, &QLineEdit::editingFinished, this, [this] {
    if (!line_->isModified()) return;
    line_->setModified(false);
    line_->text().isEmpty() ? erase() : write(line_->text().toStdString());
  });
  refresh();
}

void TextEdit::refresh() {
  line_->show_value(value() ? text_of(*value()) : QString());
  line_->set_wrong(has_errors_at(context_.model, pointer_));
}

FileEdit::FileEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                   QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  column->addLayout(row);
  line_ = new UnitLineEdit(context.look, {}, this);
  line_->setPlaceholderText(fallback.is_null() ? tr("choose a file") : text_of(fallback));
  line_->setAccessibleName(label());
  const bool folder = string_at(node_, "file") == run_folder_kind;
  auto* browse_button =
      make_icon_button(context.look, "folder", folder ? tr("Choose a folder") : tr("Choose a file"), this);
  row->addWidget(line_, 1);
  row->addWidget(browse_button);
  preview_ = new FilePreview(context.look, this);
  column->addWidget(preview_);
  setFocusProxy(line_);
  connect(browse_button, &QToolButton::clicked, this, &FileEdit::browse);
  connect(line_, &QLineEdit::editingFinished, this, [this] {
    if (!line_->isModified()) return;
    line_->setModified(false);
    line_->text().isEmpty() ? erase() : write(line_->text().toStdString());
  });
  refresh();
}

void FileEdit::refresh() {
  line_->show_value(value() ? text_of(*value()) : QString());
  line_->set_wrong(has_errors_at(context_.model, pointer_));
  std::filesystem::path file = value() ? text_of(*value()).toStdString() : std::string();
  if (!file.empty() && file.is_relative()) file = context_.model.document().folder() / file;
  if (string_at(node_, "file") != run_folder_kind) preview_->show_file(file);
}

void FileEdit::browse() {
  const QString kind = QString::fromStdString(string_at(node_, "file"));
  const QDir folder(QString::fromStdString(context_.model.document().folder().string()));
  QStringList filter;
  if (const QString known = file_filter(kind); !known.isEmpty()) filter << known;
  filter << tr("All files (*)");
  const QString chosen = kind.toStdString() == run_folder_kind
                             ? QFileDialog::getExistingDirectory(this, label(), folder.path())
                             : QFileDialog::getOpenFileName(this, label(), folder.path(), filter.join(";;"));
  if (chosen.isEmpty()) return;
  const QString relative = folder.relativeFilePath(chosen);
  write((relative.startsWith("../") ? chosen : relative).toStdString());
}

// ---- ChoiceEdit, BooleanEdit ----------------------------------------------------------------------------------------

ChoiceEdit::ChoiceEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                       QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  combo_ = make_calm_combo(this);
  combo_->setAccessibleName(label());
  combo_->setPlaceholderText(tr("Choose…"));
  for (const Json& choice : node["enum"])
    combo_->addItem(choice_words(choice), QString::fromStdString(compact_json(choice)));
  row->addWidget(combo_);
  setFocusProxy(combo_);
  connect(combo_, &QComboBox::activated, this,
          [this](int index) { write(read_json(combo_->itemData(index).toString().toStdString())); });
  refresh();
}

void ChoiceEdit::refresh() {
  const Json shown = value() ? *value() : fallback_;
  combo_->setCurrentIndex(shown.is_null() ? -1 : combo_->findData(QString::fromStdString(compact_json(shown))));
  const bool wrong = has_errors_at(context_.model, pointer_);
  if (combo_->property("wrong").toBool() != wrong) {
    combo_->setProperty("wrong", wrong);
    combo_->style()->unpolish(combo_);
    combo_->style()->polish(combo_);
  }
}

BooleanEdit::BooleanEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                         QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  box_ = new QCheckBox(this);
  box_->setAccessibleName(label());
  row->addWidget(box_);
  row->addStretch(1);
  setFocusProxy(box_);
  connect(box_, &QCheckBox::clicked, this, [this](bool on) { write(on); });
  refresh();
}

void BooleanEdit::refresh() {
  const Json shown = value() ? *value() : fallback_;
  const bool on = shown.is_boolean() && shown.get<bool>();
  box_->setChecked(on);
  box_->setText(on ? tr("on") : tr("off"));
}

// ---- JsonEdit -------------------------------------------------------------------------------------------------------

JsonEdit::JsonEdit(const FormContext& context, const std::string& pointer, const Json& node, const Json& fallback,
                   QWidget* parent)
    : FieldEditor(context, pointer, node, fallback, parent) {
  auto* row = flat_row(this);
  line_ = new UnitLineEdit(context.look, {}, this);
  line_->setPlaceholderText(fallback.is_null() ? tr("JSON") : QString::fromStdString(compact_json(fallback)));
  line_->setAccessibleName(label());
  row->addWidget(line_);
  setFocusProxy(line_);
  connect(line_, &QLineEdit::editingFinished, this, &JsonEdit::commit);
  refresh();
}

void JsonEdit::refresh() {
  if (problem_.isEmpty()) line_->show_value(value() ? QString::fromStdString(value()->dump()) : QString());
  line_->set_wrong(!problem_.isEmpty() || has_errors_at(context_.model, pointer_));
}

void JsonEdit::commit() {
  if (!line_->isModified()) return;
  problem_.clear();
  const QString text = line_->text().trimmed();
  if (text.isEmpty()) {
    line_->setModified(false);
    erase();
  } else {
    Json parsed = read_json(text.toStdString());
    if (parsed.is_discarded()) {
      problem_ = tr("This is not valid JSON, for example [1, 2, 3].");
    } else {
      line_->setModified(false);
      write(std::move(parsed));
    }
  }
  refresh();
  emit typing_checked();
}

}  // namespace conoid::app
