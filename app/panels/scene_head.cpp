// SPDX-License-Identifier: BSD-3-Clause
// Choices above a picture.
#include "app/panels/scene_head.hpp"

#include <algorithm>
#include <cmath>

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

constexpr int row_height = 44, second_row = 36, spacing = 4, gap = 16;
// With the display choices beside one of two panes the other has 174 pixels of a window of 1024.
constexpr int least_field = 80, readable_field = 140, least_choice = 72, most_field = 220;  // pixels
constexpr int two_rows_from = 300;  // pixels of a pane below which its tools are a menu

int width_of(const QWidget* widget) {
  return widget->sizeHint().width();
}

}  // namespace

ColourRangeButton::ColourRangeButton(const Look& look, QWidget* parent) : QToolButton(parent) {
  setPopupMode(QToolButton::InstantPopup);
  setAccessibleName(tr("Colour range"));
  setToolTip(tr("Colour range"));
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setIcon(look.icon("chevron-down", "muted"));
  setIconSize({14, 14});
  setLayoutDirection(Qt::RightToLeft);
  auto* menu = new QMenu(this);
  auto* box = new QWidget(menu);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(12, 8, 12, 8);
  grid->setSpacing(8);
  follows_ = new QCheckBox(tr("Follow the field"), box);
  follows_->setChecked(true);
  low_ = new QLineEdit(box);
  low_->setAccessibleName(tr("Lower end of the colour range"));
  low_->setAccessibleDescription(tr("A number in SI units, or with a unit; smaller values have the first colour"));
  high_ = new QLineEdit(box);
  high_->setAccessibleName(tr("Upper end of the colour range"));
  high_->setAccessibleDescription(tr("A number in SI units, or with a unit; larger values have the last colour"));
  auto* reset = new QPushButton(tr("Fit to this frame"), box);
  grid->addWidget(follows_, 0, 0, 1, 2);
  grid->addWidget(make_label(tr("From"), "muted", box), 1, 0);
  grid->addWidget(low_, 1, 1);
  grid->addWidget(make_label(tr("To"), "muted", box), 2, 0);
  grid->addWidget(high_, 2, 1);
  grid->addWidget(reset, 3, 0, 1, 2);
  auto* action = new QWidgetAction(menu);
  action->setDefaultWidget(box);
  menu->addAction(action);
  setMenu(menu);
  connect(follows_, &QCheckBox::clicked, this, &ColourRangeButton::read);
  connect(low_, &QLineEdit::editingFinished, this, &ColourRangeButton::read);
  connect(high_, &QLineEdit::editingFinished, this, &ColourRangeButton::read);
  connect(reset, &QPushButton::clicked, this, [this] {
    follow_field();
    emit reset_wanted();
  });
}

bool ColourRangeButton::fixed() const {
  return !follows_->isChecked();
}
double ColourRangeButton::low() const {
  return end_of(*low_).value_or(shown_.first);
}
double ColourRangeButton::high() const {
  return end_of(*high_).value_or(shown_.second);
}

std::optional<double> ColourRangeButton::end_of(const QLineEdit& edit) const {
  const auto read = parse_quantity(typed_text(edit.text()).toStdString(), known_unit(unit_) ? unit_ : "1");
  return read ? std::optional(read->value) : std::nullopt;
}

void ColourRangeButton::follow_field() {
  follows_->setChecked(true);
  read();
}

void ColourRangeButton::read() {
  const auto low = end_of(*low_), high = end_of(*high_);
  if (fixed() && !(low && high && *low < *high)) {
    low_->setText(QString::number(shown_.first, 'g', 4));
    high_->setText(QString::number(shown_.second, 'g', 4));
  }
  low_->setEnabled(fixed());
  high_->setEnabled(fixed());
  emit edited();
}

void ColourRangeButton::show_range(double low, double high, const std::string& unit) {
  shown_ = {low, high};
  unit_ = unit;
  // In the unit of the colour bar: "−12 … 12 nPa".
  const TickSet ticks = tidy_ticks(low, high, 5, unit);
  const auto figure = [&](double v) {
    const double scaled = std::abs(v / ticks.scale);
    constexpr double whole_from = 1e3, whole_to = 1e5;  // 3000, and not 3e+03
    return scaled >= whole_from && scaled < whole_to ? QString::number(v / ticks.scale, 'f', 0)
                                                     : QString::number(v / ticks.scale, 'g', 3);
  };
  QString words = low == -high ? QChar(0xb1) + figure(high) : figure(low) + QString::fromUtf8(" … ") + figure(high);
  if (!ticks.unit.empty()) words += " " + QString::fromStdString(ticks.unit);
  words.replace('-', QChar(0x2212));
  words = in_figures(words);
  setText(words);
  setToolTip(tr("Colour range: %1").arg(words));
  low_->setEnabled(fixed());
  high_->setEnabled(fixed());
  if (fixed()) return;
  low_->setText(QString::number(low, 'g', 4));
  high_->setText(QString::number(high, 'g', 4));
}

void ColourRangeButton::set_brief(bool brief) {
  setToolButtonStyle(brief ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

int ColourRangeButton::wide() const {
  ensurePolished();
  // sizeHint() of the style in use now is not asked: it changes with set_brief().
  constexpr int padding = 24;
  return fontMetrics().horizontalAdvance(text()) + iconSize().width() + padding;
}

int ColourRangeButton::narrow() const {
  constexpr int padding = 14;
  return iconSize().width() + padding;
}

SceneHead::SceneHead(const Look& look, QWidget* parent) : QFrame(parent), look_(look) {
  setObjectName("paneHeader");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 0, 8, 0);
  column->setSpacing(0);
  column->setSizeConstraint(QLayout::SetNoConstraint);  // see minimumSizeHint()
  for (QHBoxLayout** row : {&upper_, &lower_}) {
    *row = new QHBoxLayout;
    (*row)->setSpacing(spacing);
    column->addLayout(*row);
  }
  field_ = make_calm_combo(this);
  field_->setAccessibleName(tr("Field"));
  field_->setAccessibleDescription(tr("Which quantity is drawn"));
  field_->setPlaceholderText(tr("Field"));
  field_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  field_->setMinimumWidth(least_field);
  field_->setMaximumWidth(most_field);
  component_ = make_calm_combo(this);
  component_->setAccessibleName(tr("Component"));
  component_->setAccessibleDescription(tr("Length of the vector, or one of its components"));
  part_of_complex_ = make_calm_combo(this);
  part_of_complex_->setAccessibleName(tr("Part of the complex field"));
  part_of_complex_->setAccessibleDescription(tr("The wave at one moment, its magnitude or its phase"));
  part_of_complex_->addItem(tr("Wave"), static_cast<int>(ComplexPart::instant));
  part_of_complex_->addItem(tr("Magnitude"), static_cast<int>(ComplexPart::magnitude));
  part_of_complex_->addItem(tr("Phase"), static_cast<int>(ComplexPart::phase));
  for (QComboBox* combo : {component_, part_of_complex_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    combo->setMinimumWidth(least_choice);
  }
  range_ = new ColourRangeButton(look_, this);

  for (const MouseToolRow& row : mouse_tools()) {
    if (row.tip.isEmpty()) continue;
    auto* button = make_icon_button(look_, row.icon, row.tip, this);
    button->setCheckable(true);
    button->setProperty("tool", row.id);
    connect(button, &QToolButton::clicked, this,
            [this, tool = row.tool](bool on) { emit tool_chosen(on ? tool : MouseTool::turn); });
    tools_ << button;
  }
  views_ = make_icon_button(look_, "view", tr("Views: standard and kept ones"), this);
  views_->setPopupMode(QToolButton::InstantPopup);
  tools_ << views_;
  auto* fit_button = make_icon_button(look_, "fit", tr("Fit the view"), this);
  connect(fit_button, &QToolButton::clicked, this, &SceneHead::fit_wanted);
  tools_ << fit_button;
  display_ = make_icon_button(look_, "display", tr("How the field is shown: planes, surfaces, arrows, labels"), this);
  display_->setCheckable(true);
  connect(display_, &QToolButton::clicked, this, &SceneHead::display_wanted);
  tools_ << display_;
  more_ = make_icon_button(look_, "more", tr("More tools"), this);
  more_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(more_);
  more_->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &SceneHead::fill_more);

  connect(field_, &QComboBox::activated, this, [this] {
    fill_components();
    emit field_chosen();
  });
  connect(component_, &QComboBox::activated, this, &SceneHead::value_chosen);
  connect(part_of_complex_, &QComboBox::activated, this, &SceneHead::complex_part_chosen);
  set_picture(false, false);
}

bool SceneHead::set_fields(const std::vector<std::pair<std::string, FieldInfo>>& fields) {
  QString key;
  for (const auto& [part, info] : fields)
    key += QString::fromStdString(part) + '/' + QString::fromStdString(info.name) + ';';
  if (key == fields_key_) return false;
  fields_key_ = key;
  const bool many_parts =
      std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.first != fields.front().first; });
  const QString before = field_->currentData().toString();
  const QSignalBlocker quiet(field_);
  field_->clear();
  for (const auto& [part, info] : fields) {
    QString name = info.label.empty() ? translated(words_of(info.name)) : translated(info.label);
    if (many_parts) name += QStringLiteral(" – ") + QString::fromStdString(part);
    field_->addItem(name, QString::fromStdString(part) + '\n' + QString::fromStdString(info.name));
    field_->setItemData(field_->count() - 1, info.components, Qt::UserRole + 1);
    field_->setItemData(field_->count() - 1, info.is_complex, Qt::UserRole + 2);
    field_->setItemData(field_->count() - 1, name, Qt::ToolTipRole);
  }
  const int index = field_->findData(before);
  field_->setCurrentIndex(index >= 0 ? index : 0);
  fill_components();
  return true;
}

void SceneHead::clear_fields() {
  const QSignalBlocker quiet(field_), still(component_);
  fields_key_.clear();
  field_->clear();
  component_->clear();
}

void SceneHead::fill_components() {
  const QSignalBlocker quiet(component_);
  component_->clear();
  if (field_->currentData(Qt::UserRole + 1).toInt() != 3) return;
  component_->addItem(tr("Length"), -1);
  component_->addItem("x", 0);
  component_->addItem("y", 1);
  component_->addItem("z", 2);
}

bool SceneHead::choose(const QString& field) {
  for (int i = 0; i < field_->count(); ++i)
    if (field_->itemData(i).toString().section('\n', 1) == field) {
      field_->setCurrentIndex(i);
      fill_components();
      return true;
    }
  return false;
}

QString SceneHead::field_text() const {
  return field_->currentText();
}

std::pair<std::string, std::string> SceneHead::chosen() const {
  const QString both = field_->currentData().toString();
  return {both.section('\n', 0, 0).toStdString(), both.section('\n', 1).toStdString()};
}

bool SceneHead::chosen_is_complex() const {
  return field_->currentData(Qt::UserRole + 2).toBool();
}

ValueSelection SceneHead::value() const {
  ValueSelection out;
  if (component_->count() > 0) out.component = component_->currentData().toInt();
  if (chosen_is_complex()) out.part = static_cast<ComplexPart>(part_of_complex_->currentData().toInt());
  return out;
}

void SceneHead::set_picture(bool any, bool has_range) {
  picture_ = any;
  has_range_ = has_range;
  for (QToolButton* button : tools_) button->setEnabled(any);
  more_->setEnabled(any);
  fit();
}

void SceneHead::show_tool(MouseTool tool) {
  for (QToolButton* button : tools_)
    if (const QVariant own = button->property("tool"); own.isValid())
      button->setChecked(own.toString() == mouse_tool(tool).id);
}

QToolButton* SceneHead::tool_button(const QString& id) const {
  for (QToolButton* button : tools_)
    if (button->property("tool").toString() == id) return button;
  return nullptr;
}

void SceneHead::show_display_open(bool open) {
  display_->setChecked(open);
}

void SceneHead::add_tool(QToolButton* button) {
  tools_ << button;
  button->setEnabled(picture_);
  fit();
}

QSize SceneHead::minimumSizeHint() const {
  // What is shown gives way to the menu: no row that happens to be laid out now keeps the pane wide.
  const QMargins margins = layout()->contentsMargins();
  return {margins.left() + least_field + spacing + range_->narrow() + spacing + width_of(more_) + margins.right(),
          row_height};
}

void SceneHead::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fit();
}

void SceneHead::fit() {
  const QMargins margins = layout()->contentsMargins();
  const int room = width() - margins.left() - margins.right();
  const auto length = [](int count, int each) { return count * each + std::max(0, count - 1) * spacing; };
  const int tool = width_of(more_);
  const int all_tools = length(static_cast<int>(tools_.size()), tool);
  const bool field = picture_ && field_->count() > 0, range = picture_ && has_range_;
  QList<QComboBox*> further;
  if (field && component_->count() > 0) further << component_;
  if (field && chosen_is_complex()) further << part_of_complex_;
  int further_wide = 0;
  for (const QComboBox* combo : further) further_wide += width_of(combo) + spacing;
  const int field_wide = std::clamp(width_of(field_), least_field, most_field);
  const int choices = (field ? field_wide + spacing : 0) + further_wide + (range ? range_->wide() + spacing : 0);

  in_menu_.clear();
  int most_further = QWIDGETSIZE_MAX;
  QWidgetList upper, lower;
  if (field) upper << field_;
  // As many tools as fit beside what takes `taken` pixels; the rest into the menu.
  const auto add_tools = [&](QWidgetList& row, int taken) {
    int count = static_cast<int>(tools_.size());
    if (taken + all_tools > room)
      count = std::clamp((room - taken - tool) / (tool + spacing), 0, static_cast<int>(tools_.size()));
    for (int i = 0; i < tools_.size(); ++i)
      if (i < count)
        row << tools_[i];
      else
        in_menu_ << tools_[i];
    if (!in_menu_.isEmpty()) row << more_;
  };
  if (choices + gap + all_tools <= room || (!field && !range)) {
    for (QComboBox* combo : further) upper << combo;
    if (range) upper << range_;
    range_->set_brief(false);
    upper << nullptr;
    add_tools(upper, std::min(choices + gap, room - all_tools));
  } else {
    // Choices whose words had no room would be three dots.
    const int least = (further.empty() ? least_field : std::min(field_wide, readable_field)) + spacing + further_wide;
    const bool words = least + range_->wide() <= room;
    range_->set_brief(!words);
    const bool fits = least + (words ? range_->wide() : range_->narrow()) <= room;
    if (fits && room >= two_rows_from) {
      for (QComboBox* combo : further) upper << combo;
      if (range) upper << range_;
      upper << nullptr;
      add_tools(lower, 0);
      lower << nullptr;
    } else {
      // The menu stands beside the field; a second row is for what the field itself asks for.
      range_->set_brief(least_field + spacing + range_->wide() + spacing + tool > room);
      if (range) upper << range_;
      in_menu_ = tools_;
      upper << more_;
      for (QComboBox* combo : further) lower << combo;
      const int count = std::max(1, static_cast<int>(further.size()));
      most_further = std::max(least_choice, (room - (count - 1) * spacing) / count);
    }
  }
  for (QComboBox* combo : {component_, part_of_complex_}) {
    // Beside the field it is the field's name that is shortened.
    combo->setMinimumWidth(upper.contains(combo) ? width_of(combo) : least_choice);
    combo->setMaximumWidth(most_further);
  }
  lay_out(upper, lower);
}

void SceneHead::lay_out(const QWidgetList& upper, const QWidgetList& lower) {
  setFixedHeight(lower.isEmpty() ? row_height : row_height + second_row);
  if (upper == upper_now_ && lower == lower_now_) return;
  upper_now_ = upper;
  lower_now_ = lower;
  QWidgetList all{field_, component_, part_of_complex_, range_, more_};
  for (QToolButton* button : tools_) all << button;
  for (QWidget* widget : all) widget->setVisible(upper.contains(widget) || lower.contains(widget));
  for (const auto& [row, content] : {std::pair{upper_, &upper}, std::pair{lower_, &lower}}) {
    while (QLayoutItem* item = row->takeAt(0)) delete item;
    for (QWidget* widget : *content)
      if (widget != nullptr)
        row->addWidget(widget);
      else
        row->addStretch(1);
  }
}

void SceneHead::fill_more() {
  QMenu* menu = more_->menu();
  menu->clear();
  for (QToolButton* button : in_menu_) {
    // What a tip explains after its colon is for the tip.
    const QString words = button->toolTip().section(':', 0, 0);
    if (QMenu* own = button->menu()) {
      QAction* entry = menu->addMenu(own);
      entry->setText(words);
      entry->setIcon(button->icon());
      entry->setEnabled(button->isEnabled());
      continue;
    }
    QAction* entry = menu->addAction(button->icon(), words, button, &QToolButton::click);
    entry->setCheckable(button->isCheckable());
    entry->setChecked(button->isChecked());
    entry->setEnabled(button->isEnabled());
  }
}

}  // namespace conoid::app
