// SPDX-License-Identifier: BSD-3-Clause
// Where runs are computed.
#include "app/window/connect_dialog.hpp"

#include <QCompleter>
#include <QDialogButtonBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "engine/session/process/process_session.hpp"

namespace conoid::app {

ConnectDialog::ConnectDialog(Settings& settings, const Look& look, QWidget* parent)
    : QDialog(parent), settings_(settings), look_(look), query_(this) {
  setWindowTitle(tr("Where to compute"));
  setMinimumWidth(560);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(8);
  const auto choice = [&](const QString& words, const QString& explained) {
    auto* button = new QRadioButton(words, this);
    column->addWidget(button);
    auto* label = make_label(explained, "small", this);
    label->setWordWrap(true);
    label->setContentsMargins(26, 0, 0, 6);
    column->addWidget(label);
    connect(button, &QRadioButton::clicked, this, &ConnectDialog::refresh);
    return button;
  };
  inside_ = choice(tr("In this window"), tr("Quickest to start."));
  process_ = choice(tr("In a process of its own"),
                    tr("If the computation crashes, the window stays and the run can be resumed."));
  launched_ = choice(
      tr("By a launcher: another machine, or several ranks"),
      tr("The line starts conoid-worker, which then speaks through it. Nothing listens on a port. Files that the "
         "case names, and the folder of the runs, are those of the other machine."));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(26, 0, 0, 0);
  row->setSpacing(8);
  line_ = new QLineEdit(this);
  line_->setPlaceholderText("ssh host   ·   mpirun -n 4   ·   ssh host srun -n 8 conoid-worker");
  line_->setAccessibleName(tr("Launcher line"));
  line_->setAccessibleDescription(tr("The command that starts conoid-worker there: ssh, mpirun, srun"));
  auto* known = new QCompleter(settings.launchers(), line_);
  known->setCaseSensitivity(Qt::CaseInsensitive);
  line_->setCompleter(known);
  row->addWidget(line_, 1);
  column->addLayout(row);
  note_ = make_label({}, "bad", this);
  note_->setWordWrap(true);
  note_->setContentsMargins(26, 0, 0, 0);
  column->addWidget(note_);
  column->addSpacing(8);
  column->addWidget(make_rule(this));
  column->addSpacing(8);
  auto* far_row = new QHBoxLayout;
  far_row->setSpacing(8);
  lock_ = new IconLabel(look, "lock", "muted", 18, this);
  answer_ = make_label({}, "", this);
  answer_->setWordWrap(true);
  check_ = new QPushButton(tr("Show its devices"), this);
  check_->setIcon(look.icon("connect"));
  far_row->addWidget(lock_, 0, Qt::AlignVCenter);
  far_row->addWidget(answer_, 1);
  far_row->addWidget(check_);
  column->addLayout(far_row);
  devices_ = new QListWidget(this);
  devices_->setAccessibleName(tr("Devices of the place"));
  devices_->setAccessibleDescription(tr("Processors and devices that the chosen place has told of"));
  devices_->setFixedHeight(112);
  devices_->setSelectionMode(QAbstractItemView::NoSelection);
  devices_->setWordWrap(true);
  devices_->hide();  // until the place has answered
  column->addWidget(devices_);
  column->addStretch(1);
  auto* buttons = add_dialog_buttons(*this, *column, tr("OK"), Acts::asks).box;
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    const QString chosen = place();
    if (launched_->isChecked()) {
      const auto launcher = parse_launcher(chosen.toStdString());
      if (!launcher) return complain(sentence_of(launcher.error()));
      settings_.add_launcher(chosen);
    }
    settings_.set_place(chosen);
    emit changed();
    accept();
  });
  connect(line_, &QLineEdit::textEdited, this, [this] {
    launched_->setChecked(true);
    refresh();
  });
  connect(check_, &QPushButton::clicked, this, &ConnectDialog::check);
  connect(&query_, &FarEndQuery::answered, this, &ConnectDialog::show_answer);
  choose(settings.place());
  // What is chosen has the focus: a ring around another circle looks like a choice.
  for (QRadioButton* button : {inside_, process_, launched_})
    if (button->isChecked()) button->setFocus();
}

/// Sentences that break need more height than a dialog gives them of its own accord: in French, and at large text.
bool ConnectDialog::event(QEvent* event) {
  const bool handled = QDialog::event(event);
  if (event->type() == QEvent::Show || event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
    setMinimumHeight(layout()->totalHeightForWidth(width()));
  return handled;
}

QString ConnectDialog::place() const {
  return inside_->isChecked() ? QString() : process_->isChecked() ? QStringLiteral("process") : line_->text().trimmed();
}

void ConnectDialog::choose(const QString& place) {
  (is_inside(place) ? inside_ : place == "process" ? process_ : launched_)->setChecked(true);
  if (launched_->isChecked())
    line_->setText(place);
  else if (line_->text().isEmpty() && !settings_.launchers().isEmpty())
    line_->setText(settings_.launchers().front());
  refresh();
}

void ConnectDialog::refresh() {
  note_->setText({});
  note_->hide();
  devices_->clear();
  devices_->hide();
  const QString chosen = place();
  check_->setEnabled(!launched_->isChecked() || !chosen.isEmpty());
  const bool far = launched_->isChecked() && is_far(chosen);
  static_cast<IconLabel*>(lock_)->set_icon(far ? "lock" : "home", far ? "good" : "muted");
  answer_->setText(far ? tr("%1: encrypted and authenticated by ssh.").arg(words_of_place(chosen))
                       : tr("On this machine: nothing leaves it."));
}

void ConnectDialog::complain(const QString& sentence) {
  note_->setText(sentence);
  note_->show();
}

void ConnectDialog::check() {
  devices_->clear();
  answer_->setText(tr("Asking…"));
  check_->setEnabled(false);
  query_.ask(place());
}

void ConnectDialog::show_answer(const FarEnd& far_end) {
  refresh();
  if (!far_end.trouble.isEmpty()) return complain(far_end.trouble);
  answer_->setText((far_end.host.isEmpty() ? QString() : far_end.host + ". ") + answer_->text());
  devices_->show();
  for (const FarEnd::Device& device : far_end.devices) devices_->addItem(device.id + ":  " + device.words);
}

}  // namespace conoid::app
