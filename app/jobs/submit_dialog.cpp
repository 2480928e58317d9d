// SPDX-License-Identifier: BSD-3-Clause
// Submitting a case.
#include "app/jobs/submit_dialog.hpp"

#include <algorithm>

#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/table_page.hpp"
#include "app/model/names.hpp"
#include "engine/core/shell_word.hpp"

namespace conoid::app {
namespace {

QString option_text(const std::string& text) {
  return QString::fromStdString(option_word(text));
}

}  // namespace

SubmitDialog::SubmitDialog(CaseDocument document, JobList& jobs, const Look& look, QWidget* parent)
    : WordyDialog(parent), document_(std::move(document)), jobs_(jobs), look_(look), form_(new HostForm(false, this)) {
  setWindowTitle(tr("Submit as a job"));
  setMinimumWidth(560);
  QVBoxLayout* column = make_page_column(this);
  auto* what =
      make_label(tr("The job goes on when this window is closed. Jobs and machines, in the menu File, shows what "
                    "has become of it."),
                 "muted", this);
  what->setWordWrap(true);
  column->addWidget(what);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  place_ = make_calm_combo(this);
  place_->setAccessibleName(tr("Where"));
  place_->setAccessibleDescription(tr("The machine that computes: this one, or one that is kept"));
  auto* more = new QPushButton(tr("Keep a machine…"), this);
  more->setIcon(look.icon("add", "accent"));
  row->addWidget(place_, 1);
  row->addWidget(more);
  column->addLayout(row);
  column->addWidget(form_);
  note_ = make_label({}, "bad", this);
  note_->setWordWrap(true);
  column->addWidget(note_);
  script_ = new QPlainTextEdit(this);
  script_->setReadOnly(true);
  script_->setTabChangesFocus(true);
  script_->setLineWrapMode(QPlainTextEdit::NoWrap);
  script_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  script_->setAccessibleName(tr("The script of the job"));
  script_->setAccessibleDescription(tr("What the machine will run"));
  script_->setFixedHeight(176);
  column->addWidget(new FoldButton(look, tr("The script of the job"), script_, false, this));
  column->addWidget(script_);
  command_ = make_label({}, "small", this);
  command_->setWordWrap(true);
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(command_);
  column->addStretch(1);
  submit_ = add_dialog_buttons(*this, *column, tr("Submit")).act;
  connect(more, &QPushButton::clicked, this, [this] {
    HostDialog dialog(ComputeHost(), jobs_, look_, this);
    if (dialog.exec() == QDialog::Accepted) fill_places(QString::fromStdString(dialog.form().host().name));
  });
  connect(place_, &QComboBox::currentIndexChanged, this, [this] { choose(place_->currentData().toString()); });
  connect(form_, &HostForm::edited, this, &SubmitDialog::refresh);
  // A cluster that is kept is why one submits.
  fill_places(jobs.hosts().empty() ? QString() : QString::fromStdString(jobs.hosts().front().name));
}

void SubmitDialog::fill_places(const QString& chosen) {
  {
    const QSignalBlocker quiet(place_);
    place_->clear();
    for (const ComputeHost& host : jobs_.hosts()) {
      const QString name = QString::fromStdString(host.name);
      const QString machine = host.host.empty() ? tr("this machine") : QString::fromStdString(host.host);
      place_->addItem(tr("%1: %2, %3").arg(name, machine, host.slurm ? tr("Slurm") : tr("starts at once")), name);
    }
    place_->addItem(tr("This machine, detached from the window"), QString());
  }
  choose(chosen);
}

void SubmitDialog::choose(const QString& name) {
  const QSignalBlocker quiet(place_);
  place_->setCurrentIndex(std::max(0, place_->findData(name)));
  const auto& hosts = jobs_.hosts();
  const auto it = std::find_if(hosts.begin(), hosts.end(),
                               [&](const ComputeHost& h) { return QString::fromStdString(h.name) == name; });
  form_->set(it == hosts.end() ? ComputeHost() : *it);
}

QString SubmitDialog::command() const {
  const ComputeHost asked = host();
  const auto& hosts = jobs_.hosts();
  const auto it = std::find_if(hosts.begin(), hosts.end(), [&](const ComputeHost& h) { return h.name == asked.name; });
  const ComputeHost kept = it == hosts.end() ? ComputeHost() : *it;
  QString out =
      "conoid submit " + option_text(document_.file().empty() ? std::string("case.json") : document_.file().string());
  if (it != hosts.end()) out += " --on " + option_text(kept.name);
  if (asked.ranks != kept.ranks) out += QString(" --ranks %1").arg(asked.ranks);
  if (asked.threads != kept.threads) out += QString(" --threads %1").arg(asked.threads);
  if (asked.devices != kept.devices) out += QString(" --devices %1").arg(asked.devices);
  if (asked.time != kept.time) out += " --time " + option_text(asked.time);
  if (asked.partition != kept.partition) out += " --partition " + option_text(asked.partition);
  if (asked.account != kept.account) out += " --account " + option_text(asked.account);
  return out;
}

void SubmitDialog::refresh() {
  const auto script = jobs_.script(document_, host());
  note_->setText(script ? QString() : rendered(script.error()));
  note_->setVisible(!script.ok());
  script_->setPlainText(script ? QString::fromStdString(*script) : QString());
  submit_->setEnabled(script.ok());
  command_->setText(command());
}

}  // namespace conoid::app
