// SPDX-License-Identifier: BSD-3-Clause
// A place or a region, and the line that asks the same in a terminal.
#include "app/window/values_dialog.hpp"

#include <algorithm>
#include <utility>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/table_page.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/place.hpp"
#include "engine/core/shell_word.hpp"

namespace conoid::app {

namespace {

/// A word of the command as a shell takes it; an option stays one.
QString as_typed(const std::string& word) {
  const std::size_t option = word.starts_with("--") ? word.find('=') : std::string::npos;
  if (word.starts_with("--") && option == std::string::npos) return QString::fromStdString(word);
  const std::string name = option == std::string::npos ? std::string() : word.substr(0, option + 1);
  const std::string value = word.substr(name.size());
  constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._,/:+-";
  return QString::fromStdString(
      name + (!value.empty() && value.find_first_not_of(plain) == std::string::npos ? value : shell_word(value)));
}

/// Lines of at most `room` pixels, parted between words as a shell joins them again; a label alone would part "--" from its option.
QString in_lines(const QStringList& words, const QFontMetrics& metrics, int room) {
  QString out, line;
  for (qsizetype i = 0; i < words.size(); ++i) {
    QString word = words[i];
    // An option and what follows it stay together.
    if (word.startsWith("--") && !word.contains('=') && i + 1 < words.size() && !words[i + 1].startsWith("--"))
      word += ' ' + words[++i];
    const QString longer = line.isEmpty() ? word : line + ' ' + word;
    if (line.isEmpty() || metrics.horizontalAdvance(longer + " \\") <= room) {
      line = longer;
      continue;
    }
    out += line + " \\\n";
    line = "  " + word;
  }
  return out + line;
}

}  // namespace

ValuesDialog::ValuesDialog(ValuesQuestion question, const QStringList& regions, QWidget* parent)
    : QDialog(parent), question_(std::move(question)) {
  setWindowTitle(tr("Values over all frames"));
  setMinimumWidth(480);
  QVBoxLayout* column = make_page_column(this, 8);
  const std::string& name = question_.field.label.empty() ? question_.field.name : question_.field.label;
  column->addWidget(make_label(translated(name), "section", this));
  over_region_ = new QRadioButton(tr("Mean, ends and integral over"), this);
  column->addWidget(over_region_);
  region_ = new QComboBox(this);
  region_->setAccessibleName(tr("Part of the frames, or group of the mesh"));
  region_->setAccessibleDescription(tr("What the field is summed over"));
  region_->addItems(regions);
  column->addWidget(region_);
  at_place_ = new QRadioButton(tr("At a place"), this);
  column->addWidget(at_place_);
  place_ = new QLineEdit(this);
  place_->setPlaceholderText("x, y, z");
  place_->setAccessibleName(tr("Place x, y, z"));
  place_->setAccessibleDescription(tr("Three lengths with units or in metres"));
  column->addWidget(place_);
  note_ = make_label({}, "bad", this);
  note_->setWordWrap(true);
  column->addWidget(note_);
  command_ = make_label({}, "small", this);
  command_->setWordWrap(true);
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(command_);
  column->addStretch(1);
  ok_ = add_dialog_buttons(*this, *column, tr("Show")).act;
  connect(region_, &QComboBox::currentIndexChanged, this, &ValuesDialog::refresh);
  connect(place_, &QLineEdit::textChanged, this, &ValuesDialog::refresh);
  connect(at_place_, &QRadioButton::toggled, this, &ValuesDialog::refresh);
  (regions.isEmpty() ? at_place_ : over_region_)->setChecked(true);
  over_region_->setEnabled(!regions.isEmpty());
  refresh();
}

void ValuesDialog::refresh() {
  const bool at_place = at_place_->isChecked();
  region_->setEnabled(!at_place);
  place_->setEnabled(at_place);
  question_.place.reset();
  question_.over.clear();
  QString trouble;
  bool complete = true;
  if (at_place) {
    const QString typed = place_->text().trimmed();
    const auto place = parse_place(typed_list(typed).join(", ").toStdString());
    complete = place.ok();
    if (complete)
      question_.place = *place;
    else if (!typed.isEmpty())
      trouble = sentence_of(place.error());
  } else {
    question_.over = region_->currentText().toStdString();
  }
  note_->setText(trouble);
  note_->setVisible(!trouble.isEmpty());
  QStringList line{"conoid"};
  for (const std::string& word : arguments_of(question_)) line << as_typed(word);
  constexpr int margins = 2 * 24;
  command_->setText(complete ? in_lines(line, command_->fontMetrics(), std::max(width(), minimumWidth()) - margins)
                             : QString());
  ok_->setEnabled(complete);
}

}  // namespace conoid::app
